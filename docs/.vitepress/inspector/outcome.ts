// What the mark and the color of a body say: whether support can stop reading.
import type { Inspection } from 'payment-notifications/inspect';

export const MARKS = { good: '✓', review: '!', refused: '✗' } as const;

export type Outcome = keyof typeof MARKS;

/**
 * Good is an event without a warning or a repeated field that went as expected: a deposit of the
 * expected amounts in time, or a completed withdrawal that says what was sent. Neither has an
 * amount of 0.
 */
export function outcomeOf({ verdict, type, fields }: Inspection): Outcome {
  if (verdict === 'refused') return 'refused';
  const parsed = new Map(fields.map(({ name, parsed }) => [name, parsed]));
  const parsedOf = (name: string) => parsed.get(name) ?? null;
  // An amount has one notation once it is parsed.
  const differs = (actual: string, expected: string) =>
    parsedOf(expected) !== null && parsedOf(actual) !== parsedOf(expected);
  // An amount that is null or unreadable counts as 0.
  const isSome = (actual: string) => Number(parsedOf(actual)) !== 0;
  const timeOf = (name: string) => Date.parse(String(parsedOf(name)));
  const isLate = timeOf('paymentReceivedAt') > timeOf('expirationTime');
  const isRepeated = fields.some(({ quirks }) => quirks.some(({ code }) => code === 'repeated'));
  const isGood =
    type === 'deposit.received'
      ? isSome('actualDepositAmount') &&
        !differs('actualDepositAmount', 'expectedDepositAmount') &&
        !differs('actualDisplayAmount', 'expectedDisplayAmount') &&
        !isLate
      : parsedOf('status') === 'COMPLETED' && isSome('actualWithdrawAmount');
  return verdict === 'valid' && !isRepeated && isGood ? 'good' : 'review';
}
