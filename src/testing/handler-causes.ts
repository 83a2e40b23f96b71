import { Decimal } from '../amount.js';
import type { PaymentNotification } from '../notification.js';
import type { DeliveryAttempt } from './deliver.js';
import type { Step } from './handler-behaviors.js';

/** A change of a balance that is not the one that was due. */
export interface WrongChange {
  readonly step: Step;
  /** What each body moves, negative for a debit, whether it is due or not. */
  readonly moves: readonly Decimal[];
  readonly notifications: readonly PaymentNotification[];
  readonly due: Decimal;
  readonly change: Decimal;
  readonly before: Decimal;
  /** What the last step moved. */
  readonly previous: Decimal;
  /** What changed in another currency: `+20.75 EUR`. */
  readonly elsewhere: string | null;
}

/** What was seen, by its detail or null; and the likely cause, which may be the step's. */
type ChangeRow = readonly [
  seen: string,
  detailOf: (wrong: WrongChange) => string | number | boolean | null,
  cause: (detail: string | number | boolean, wrong: WrongChange) => string,
];

/** The first row that fits counts. Without one, no cause is guessed. */
const CHANGES: readonly ChangeRow[] = [
  [
    'moved in another currency',
    ({ change, elsewhere }) => (change.isZero() ? elsewhere : null),
    (moved) => `It was moved as ${moved}. If you want that, return it in amountOf`,
  ],
  [
    'nothing',
    ({ change }) => change.isZero(),
    (_, { step }) =>
      step.cause ??
      'Nothing moved: it was kept for review or not settled, or balance reads another table',
  ],
  [
    'the opposite',
    ({ due, change }) => !due.isZero() && change.equals(due.negated()),
    () => 'The sign is wrong. Return credits minus debits',
  ],
  [
    'moved, though nothing was due',
    ({ due, change, moves }) => due.isZero() && timesOf(change, sumOf(moves)) !== null,
    (_, { step }) => step.cause ?? 'Nothing was due',
  ],
  [
    'the difference, though nothing was due',
    ({ due, change, moves, previous }) =>
      due.isZero() && !previous.isZero() && change.equals(sumOf(moves).minus(previous)),
    () => 'The difference to what had moved was added. A known key moves nothing',
  ],
  [
    'moved back, though nothing was due',
    ({ due, change, moves }) => due.isZero() && timesOf(change.negated(), sumOf(moves)) !== null,
    () => 'The opposite moved, as if a debit or credit were undone that was never made',
  ],
  [
    'another field',
    (wrong) => fieldOf(wrong, (change, _, field) => change.equals(field)),
    (field, { due, step }) => {
      const own = due.isZero() ? step.cause : undefined;
      return `This is ${field}. ${own ?? 'If you want that, return it in amountOf'}`;
    },
  ],
  [
    'several times',
    // More than that is another amount, of which this one happens to be a part.
    ({ due, change }) => (timesOf(change, due) ?? 11) < 11 && timesOf(change, due),
    (times, { step: { copies = 1, ifTwice } }) => {
      const copied =
        'Several copies passed the check of the key. Insert it into a unique column, in the transaction that changes the balance';
      return ifTwice ?? (copies > 1 ? copied : `It moved ${times} times`);
    },
  ],
  [
    'a part of what came at the same time',
    ({ change, moves }) => moves.length > 1 && isPart(change, moves),
    (_, { step }) => step.cause ?? 'A part of what came at the same time is lost',
  ],
  [
    'overwritten',
    ({ due, change, previous }) => !previous.isZero() && change.equals(due.minus(previous)),
    () => 'The balance was overwritten. Add to it',
  ],
  [
    'without a field',
    (wrong) => fieldOf(wrong, (change, due, field) => change.equals(due.minus(field))),
    (field) => `${field} was subtracted. If you want that, subtract it in amountOf`,
  ],
  [
    'with a field',
    (wrong) => fieldOf(wrong, (change, due, field) => change.equals(due.plus(field))),
    (field) => `${field} was added. If you want that, add it in amountOf`,
  ],
  [
    'a double',
    ({ due, change, before }) =>
      change.equals(due.toNumber()) ||
      before.plus(change).equals(before.toNumber() + due.toNumber()) ||
      (change.decimalPlaces() > 8 && isCutTo(change, due, [15, 16, 17])),
    () => DOUBLE,
  ],
  [
    'cut to 20 digits',
    ({ due, change }) => isCutTo(change, due, [20]),
    () =>
      'It was cut to 20 digits, as decimal.js does. Calculate with the Decimal of this package, as the left operand',
  ],
  [
    'rounded',
    ({ due, change }) => decimalsOf(due, change),
    (decimals) =>
      `The amount was rounded to ${decimals} decimals. Look for toFixed(${decimals}), toDecimalPlaces(${decimals}), or a column such as numeric(20,${decimals})`,
  ],
  // A sum of doubles has lost digits of the whole balance.
  ['a sum of doubles', ({ due, change, before }) => isAbout(due, change, before), () => DOUBLE],
];

const DOUBLE =
  'The amount was a double. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision';

/** Returns the likely cause of a wrong balance; an empty text if it can't be known. */
export function causeOfChange(wrong: WrongChange): string {
  for (const [, detailOf, cause] of CHANGES) {
    const detail = detailOf(wrong);
    if (detail !== null && detail !== false) return cause(detail, wrong);
  }
  return '';
}

/** How many times a change is another one: at least twice, or exactly that. */
function timesOf(change: Decimal, due: Decimal): number | null {
  if (due.isZero()) return null;
  const times = change.dividedBy(due);
  return times.isInteger() && times.greaterThan(0) ? times.toNumber() : null;
}

/** Whether some of the moves add up to the change. */
function isPart(change: Decimal, moves: readonly Decimal[]): boolean {
  const sums = [new Decimal(0)];
  for (const move of moves) sums.push(...sums.map((sum) => sum.plus(move)));
  return sums.some((sum) => sum.equals(change));
}

/** Returns the name of a field whose sum over the bodies fits. A debit counts as positive. */
function fieldOf(
  { notifications, due, change }: WrongChange,
  fits: (change: Decimal, due: Decimal, field: Decimal) => boolean,
): string | null {
  const [first] = notifications;
  const sign = first?.type === 'deposit.received' ? 1 : -1;
  const names = Object.keys(first ?? {}).filter((name) => {
    const fields = notifications.map((one) => Object.entries(one).find(([own]) => own === name));
    const amounts = fields.flatMap((field) => (Decimal.isDecimal(field?.[1]) ? field[1] : []));
    const sum = sumOf(amounts);
    return !sum.isZero() && fits(change.times(sign), due.times(sign), sum);
  });
  return names[0] ?? null;
}

/** Returns to how many decimals the change is rounded, in any direction. */
function decimalsOf(due: Decimal, change: Decimal): number | null {
  const { ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN, ROUND_UP } = Decimal;
  const modes = [ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN, ROUND_UP];
  for (let decimals = 0; decimals < due.decimalPlaces(); decimals += 1) {
    const isRounded = modes.some((mode) => change.equals(due.toDecimalPlaces(decimals, mode)));
    if (isRounded) return decimals;
  }
  return null;
}

function isCutTo(change: Decimal, due: Decimal, digits: readonly number[]): boolean {
  return digits.some((count) => change.equals(due.toSignificantDigits(count)));
}

/** Whether the change is wrong by what a double of the balance loses. */
function isAbout(due: Decimal, change: Decimal, before: Decimal): boolean {
  const largest = Decimal.max(before.abs(), before.plus(due).abs(), due.abs());
  return !due.isZero() && change.minus(due).abs().lessThan(largest.times('2e-15'));
}

export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0));
}

/** An answer that a step doesn't accept. */
export interface WrongAnswer {
  readonly step: Step;
  readonly attempt: DeliveryAttempt;
  /** Those of all that was sent at the same time. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Whether all of it was settled before. */
  readonly isRepeat: boolean;
}

type AnswerRow = readonly [
  seen: string,
  fits: (wrong: WrongAnswer, status: number) => boolean,
  cause: string,
];

/** As {@link CHANGES}. The status of no answer is 0. */
const ANSWERS: readonly AnswerRow[] = [
  [
    'copies without an answer in time',
    ({ attempts, attempt }) => attempts.length > 1 && !!attempt.error?.startsWith('no answer'),
    'What came at the same time waits for each other. Use one connection to the database for each request',
  ],
  [
    'no answer',
    (_, status) => status === 0,
    'Check that the handler runs at this URL, and answers every request',
  ],
  [
    'a wrong URL',
    (_, status) => status === 404,
    'Check the URL and its secret, and whether prepare inserts the order',
  ],
  [
    'refused while the database fails',
    ({ step }) => step.broken !== undefined,
    'A refusal may not be repeated. Let errors of the database through, so that the answer is 500',
  ],
  [
    'a faulty body fails',
    ({ step }, status) => step.answer === 'refusal' && status >= 500,
    'The handler fails at a faulty body. Store the body, and answer 400',
  ],
  [
    'a faulty body is accepted',
    ({ step }) => step.answer === 'refusal',
    'The handler accepts a faulty body. Answer 400 if the parser throws',
  ],
  [
    'a copy fails',
    ({ step: { copies = 1 }, attempts, isRepeat }) =>
      isRepeat || (copies > 1 && attempts.some(({ success }) => success)),
    'A copy failed instead of being a repeat. Insert the key with ON CONFLICT DO NOTHING',
  ],
  [
    'some of what came at the same time fail',
    ({ attempts }, status) => status >= 500 && attempts.some(({ success }) => success),
    'Transactions at the same time fail. Repeat them, or lock rows in one order',
  ],
];

/** Returns the likely cause of a wrong answer. */
export function causeOfAnswer(wrong: WrongAnswer): string {
  const status = wrong.attempt.answer?.status ?? 0;
  const row = ANSWERS.find(([, fits]) => fits(wrong, status));
  if (row) return row[2];
  const usual =
    status >= 500
      ? 'The handler fails'
      : 'The handler refuses what the parser accepts, or prepare does not insert the order';
  return wrong.step.ifRefused ?? `${usual}. See its log`;
}
