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
  /** What the steps before moved, the last one first. */
  readonly earlier: readonly Decimal[];
  /** Whether one of the bodies is held for review. */
  readonly isHeld: boolean;
  /** Whether one of the bodies was answered with 500 or more. */
  readonly hasFailed: boolean;
  /** What changed in other currencies. */
  readonly elsewhere: ReadonlyMap<string, Decimal>;
}

/** What was seen, by its detail or null; and the likely cause, which may be the step's. */
type ChangeRow = readonly [
  seen: string,
  detailOf: (wrong: WrongChange) => string | number | boolean | null,
  cause: (detail: string | number | boolean, wrong: WrongChange) => string,
];

const DOUBLE =
  'The amount was a double. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision';
const REAL = 'The amount was a number of 32 bits. Look for Math.fround, or a column of type real';
const TWENTY =
  'It was cut to 20 digits, as decimal.js does. Calculate with the Decimal of this package, as the left operand';
const COPIED =
  'Several copies passed the check of the key. Insert it into a unique column, in the transaction that changes the balance';
const LATE_KEY =
  'The key was committed, or is remembered, without the change of the balance. Put both into one transaction';
const LATE_BALANCE =
  'The change of the balance was committed without the key. Put both into one transaction';
const ACCEPTED =
  'It was answered with success, but its money never came. Either an error was caught, or the answer came before the work. Let errors through, so that the answer is 500, or store the body first';
const UNMOVED =
  'Nothing moved: it was kept for review or dropped, or balance reads another table. What is kept on purpose, amountOf returns as null';

/** The first row that fits counts. Without one, no cause is guessed. */
const CHANGES: readonly ChangeRow[] = [
  [
    'moved in another currency',
    ({ change, elsewhere }) => (change.isZero() && elsewhere.size > 0 ? textOf(elsewhere) : null),
    (moved, wrong) => {
      const [change] = wrong.elsewhere.values();
      const field = fieldOf(wrong, (_, __, value) => !!change?.abs().equals(value));
      const named = field ? `, which is ${field}` : '';
      return `It was moved as ${moved}${named}. If you want that, return it in amountOf`;
    },
  ],
  [
    'nothing, after it was accepted while the database failed',
    ({ step, due, change }) => step.broken !== undefined && !due.isZero() && change.isZero(),
    // What failed before is taken for a repeat.
    (_, { hasFailed }) => (hasFailed ? LATE_KEY : ACCEPTED),
  ],
  [
    'nothing, after the database was mended',
    ({ step, change }) => step.mended !== undefined && change.isZero(),
    () => LATE_KEY,
  ],
  ['nothing', ({ change }) => change.isZero(), (_, { step }) => step.cause ?? UNMOVED],
  [
    'the opposite',
    ({ due, change }) => !due.isZero() && change.equals(due.negated()),
    () => 'The sign is wrong. balance returns credits minus debits',
  ],
  [
    'several times, after the database was mended',
    ({ step, due, change }) => step.mended !== undefined && severalOf(change, due) !== null,
    () => LATE_BALANCE,
  ],
  [
    'several copies',
    ({ step, due, change }) => (step.copies ?? 1) > 1 && severalOf(change, due) !== null,
    () => COPIED,
  ],
  [
    'moved, though nothing was due',
    ({ due, change, moves, notifications }) =>
      due.isZero() && (notifications.length === 0 || timesOf(change, sumOf(moves)) !== null),
    (_, { step, isHeld }) =>
      isHeld ? 'It moved, though amountOf returns null' : (step.cause ?? 'Nothing was due'),
  ],
  [
    'the difference, though nothing was due',
    ({ due, change, moves, earlier: [last] }) =>
      due.isZero() && last !== undefined && change.equals(sumOf(moves).minus(last)),
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
    ({ due, change }) => severalOf(change, due),
    (times) => `It moved ${times} times`,
  ],
  [
    'a part of what came at the same time',
    ({ change, moves }) => moves.length > 1 && isPart(change, moves),
    (_, { step }) => step.cause ?? 'A part of what came at the same time is lost',
  ],
  [
    'overwritten',
    ({ due, change, earlier }) =>
      [...earlier.slice(0, 1), sumOf(earlier)].some(
        (before) => !before.isZero() && change.equals(due.minus(before)),
      ),
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
      before.plus(change).equals(before.toNumber() + due.toNumber()),
    () => DOUBLE,
  ],
  [
    'a power of ten',
    ({ due, change }) => powerOf(change, due),
    (power) =>
      `The decimal point moved by ${power}: an exponent is not read, or the decimals of the currency are wrong`,
  ],
  [
    'without its first digits',
    ({ due, change }) => due.minus(change).modulo(1e6).isZero() && change.abs().lessThan(due.abs()),
    () => 'Its first digits are lost. Look for a limit of digits',
  ],
  [
    'cut to 20 digits',
    ({ due, change }) => change.equals(due.toSignificantDigits(20)),
    () => TWENTY,
  ],
  [
    'rounded',
    ({ due, change }) => decimalsOf(due, change),
    (decimals, { due }) => {
      const digits = Number(decimals) + due.trunc().abs().precision(true);
      const look = `Look for toFixed(${decimals}), toDecimalPlaces(${decimals}), or a column such as numeric(20,${decimals})`;
      return digits < 15 || digits > 17
        ? `The amount was rounded to ${decimals} decimals. ${look}`
        : `The amount was rounded to ${decimals} decimals, or to ${digits} digits, which is what a double has. ${look}, toPrecision(${digits}), or double precision`;
    },
  ],
  [
    'one unit less',
    ({ due, change }) => unitOf(due.minus(change).abs(), due),
    (unit) =>
      `${unit} is missing. An amount was multiplied as a double, and cut off: Math.trunc(19.99 * 100) is 1998`,
  ],
  ['a real', ({ due, change }) => isReal(due, change), () => REAL],
  [
    'one unit less',
    ({ due, change }) => unitOf(due.minus(change).abs(), due),
    (unit) =>
      `${unit} is missing. An amount was multiplied as a double, and cut off: Math.trunc(19.99 * 100) is 1998`,
  ],
  ['a sum of doubles', (wrong) => differsBy(wrong, '2e-15'), () => DOUBLE],
  [
    'a sum of 32 bits',
    (wrong) => differsBy(wrong, '2e-7'),
    () => 'The balance was a number of 32 bits. Look for a column of type real',
  ],
  ['a sum of 20 digits', (wrong) => differsBy(wrong, '1e-19'), () => TWENTY],
  ['a sum of doubles', (wrong) => differsBy(wrong, '2e-15'), () => DOUBLE],
  ['a sum of reals', (wrong) => differsBy(wrong, '2e-7'), () => REAL],
  [
    'a share',
    ({ due, change }) => shareOf(due, change),
    (share) => `It is ${share} of the amount. If you want that, return it in amountOf`,
  ],
];

/** Returns the likely cause of a wrong balance; an empty text if it can't be known. */
export function causeOfChange(wrong: WrongChange): string {
  for (const [, detailOf, cause] of CHANGES) {
    const detail = detailOf(wrong);
    if (detail !== null && detail !== false) return cause(detail, wrong);
  }
  return '';
}

/** How many times one amount is another one; null unless it is a multiple. */
function timesOf(change: Decimal, due: Decimal): number | null {
  if (due.isZero()) return null;
  const times = change.dividedBy(due);
  return times.isInteger() && times.greaterThan(0) ? times.toNumber() : null;
}

/** From 2 to 20 times: more than that is another amount, of which this one happens to be a part. */
function severalOf(change: Decimal, due: Decimal): number | null {
  const times = timesOf(change, due);
  return times !== null && times > 1 && times <= 20 && times !== 10 ? times : null;
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

/** Whether a change is what a float of 32 bits holds of the amount, or 6 to 9 digits of that. */
function isReal(due: Decimal, change: Decimal): boolean {
  const real = Math.fround(due.toNumber());
  const shown = [6, 7, 8, 9].map((digits) => real.toPrecision(digits));
  return [`${real}`, ...shown].some(
    (text) => Math.fround(Number(text)) === real && change.equals(text),
  );
}

/** By how many places the decimal point moved. */
function powerOf(change: Decimal, due: Decimal): number | null {
  if (due.isZero()) return null;
  const power = change.dividedBy(due).log(10).toDecimalPlaces(0).toNumber();
  return power !== 0 && change.equals(due.times(new Decimal(10).pow(power))) ? power : null;
}

/** The unit of the last of 2 to 8 decimals, if the amount has no smaller one. */
function unitOf(difference: Decimal, due: Decimal): string | null {
  const decimals = difference.decimalPlaces();
  const isUnit = difference.equals(new Decimal(10).pow(-decimals));
  return isUnit && decimals >= Math.max(2, due.decimalPlaces()) && decimals <= 8
    ? `${difference}`
    : null;
}

/** Whether the change is wrong by such a share of the amount or of the balance, but little. */
function differsBy({ due, change, before }: WrongChange, share: string): boolean {
  const difference = change.minus(due).abs();
  const largest = Decimal.max(before.abs(), before.plus(due).abs(), due.abs());
  return difference.lessThan(largest.times(share)) && difference.lessThan(due.abs().times('0.001'));
}

/** A share of at most four decimals, such as 0.985. */
function shareOf(due: Decimal, change: Decimal): string | null {
  if (due.isZero()) return null;
  const share = change.dividedBy(due);
  return share.decimalPlaces() <= 4 ? `${share}` : null;
}

export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0));
}

/** Describes changes: `+20.75 EUR`. */
export function textOf(changes: ReadonlyMap<string, Decimal>): string {
  return [...changes].map(([currency, change]) => `${signed(change)} ${currency}`).join(', ');
}

export function signed(amount: Decimal): string {
  return amount.greaterThan(0) ? `+${amount}` : `${amount}`;
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
    'What came at the same time waits for each other, or for a connection. Use one connection to the database for each request, and release it after an error as well',
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
    'a failure after the database was mended',
    ({ step }, status) => step.mended !== undefined && status >= 500,
    'It still fails. Either the key was committed without the change of the balance, and a known key fails. Or the transaction is not rolled back, or its connection not released',
  ],
  [
    'a faulty body fails',
    ({ step }, status) => step.answer === 'refusal' && status >= 500,
    'The handler fails at a faulty body. Store the body, and answer 400',
  ],
  [
    'a faulty body is accepted',
    ({ step }) => step.answer === 'refusal',
    'The handler accepts a faulty body, and kept is null. Answer 400 if the parser throws, or pass kept',
  ],
  [
    'a copy fails',
    ({ step: { copies = 1 }, attempts, isRepeat }, status) =>
      status >= 500 && (isRepeat || (copies > 1 && attempts.some(({ success }) => success))),
    'A copy failed instead of being a repeat. Insert the key with ON CONFLICT DO NOTHING',
  ],
  [
    'a copy is refused',
    ({ step: { copies = 1 }, attempts, isRepeat }) =>
      isRepeat || (copies > 1 && attempts.some(({ success }) => success)),
    'A copy is refused instead of being a repeat. Answer it with success',
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
      ? 'The handler fails. See its log'
      : 'The handler refuses what the parser accepts, or prepare does not insert the order. See its log';
  return wrong.step.ifRefused ?? usual;
}
