import { idempotencyKey, type PaymentNotification } from '../../parser/notification.js';
import { safeParseNotification } from '../../parser/parse.js';
import { Decimal } from '../../parser/values/amount.js';
import { hexOf } from '../bodies.js';
import type { DeliveryAttempt } from '../deliver.js';
import type { Causes } from './advice.js';
import { type Amounts, amountIn } from './balances.js';
import type { TestBody } from './events.js';
import type { HandlerAmount, HandlerTestsOptions } from './options.js';

/** A body, and what a correct handler does with it. */
export interface ReadBody extends TestBody {
  /** Undefined for a faulty body. */
  readonly notification: PaymentNotification | undefined;
  readonly key: string;
  readonly currency: string;
  /** What the body moves, negative for a debit. Null if `amountOf` returns null. */
  readonly move: Decimal | null;
}

/** A body that moves something, unless its key is known. */
export type MovingBody = ReadBody & {
  readonly notification: PaymentNotification;
  readonly move: Decimal;
};

/** Bodies that were sent at the same time, each of them `copies` times, and their answers. */
export interface Exchange {
  /** What was sent, for a message. */
  readonly name: string;
  readonly bodies: readonly ReadBody[];
  readonly copies: number;
  readonly causes: Causes;
  readonly due: readonly MovingBody[];
  /** What is due, by currency. */
  readonly sums: Amounts;
  /** Whether each body is settled already, with the same values. */
  readonly isRepeat: boolean;
  readonly keptBefore: number;
  readonly attempts: readonly DeliveryAttempt[];
}

export function readBody(body: TestBody, options: HandlerTestsOptions): ReadBody {
  const { amountOf = usualAmount } = options;
  const { notification } = safeParseNotification(body.body);
  const nothing = { ...body, notification, key: '', currency: '', move: new Decimal(0) };
  if (notification === undefined) return nothing;
  const key = idempotencyKey(notification);
  const isDeposit = notification.type === 'deposit.received';
  if (!isDeposit && notification.status !== 'COMPLETED') return { ...nothing, key };
  const { currency, amount } = amountOf(notification);
  return { ...nothing, key, currency, move: isDeposit ? amount : (amount?.negated() ?? null) };
}

const usualAmount: NonNullable<HandlerTestsOptions['amountOf']> = (notification): HandlerAmount =>
  notification.type === 'deposit.received'
    ? { currency: notification.depositCurrency, amount: notification.actualDepositAmount }
    : { currency: notification.withdrawCurrency, amount: notification.actualWithdrawAmount };

/** All currencies that a body names. */
export function currenciesOf({ currency, notification }: ReadBody): string[] {
  const named = Object.entries({ ...notification }).flatMap(([name, value]) =>
    name.endsWith('Currency') && typeof value === 'string' ? value : [],
  );
  return [currency, ...named].filter((code) => code !== '');
}

export const movesSomething = (one: ReadBody): one is MovingBody =>
  one.move !== null && !one.move.isZero();

/** What must be the same in a repeat. */
export const valuesOf = ({ currency, move }: ReadBody): string => `${currency} ${move}`;

/** The sums of what bodies move, by currency. */
export function sumsOf(due: readonly MovingBody[]): Amounts {
  const sums = new Map<string, Decimal>();
  for (const { currency, move } of due) sums.set(currency, amountIn(sums, currency).plus(move));
  return sums;
}

/** Whether exactly what is due has moved. */
export const isSettled = ({ sums }: Exchange, changes: Amounts): boolean =>
  changes.size === sums.size &&
  [...sums].every(([code, sum]) => amountIn(changes, code).equals(sum));

/** Names what was sent, with the key, which is also in the log and the database. */
export function nameOfExchange(bodies: readonly ReadBody[], copies: number): string {
  const [first, ...others] = bodies;
  const copied = copies > 1 ? `${copies} copies of ` : '';
  const more = others.length > 0 ? ` and ${others.length} others` : '';
  const label = first?.label ? `sent: ${first.label}; ` : '';
  return `${copied}${first?.key || 'a faulty body'}${more} (${label}seed ${first?.seed})`;
}

/** A body without its seed may be the same as in an earlier test, and is then not saved again. */
export function hasSeed({ seed, body }: TestBody): boolean {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return text.includes(hexOf(seed));
}
