import type { PaymentNotification } from '../parser/notification.js';
import { Decimal } from '../parser/values/amount.js';
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

/** What was seen, by its detail, or by null or false; and the likely cause. */
type Row = readonly [
  seen: string,
  detailOf: (wrong: WrongChange) => string | number | boolean | null,
  cause: string | ((detail: string, wrong: WrongChange) => string | undefined),
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
const EARLY_COPY =
  'Or a copy was answered with success while another one was in progress, which then failed';
const LATE_BALANCE =
  'The change of the balance was committed without the key. Put both into one transaction';
const ACCEPTED =
  'It was answered with success, but its money never came. Either an error was caught, or the answer came before the work. Let errors through, so that the answer is 500, or store the body first';
const UNMOVED =
  'Nothing moved: it was kept for review or dropped, its key is that of another event, or balance reads another table. What is kept on purpose, amountOf returns as null';
const ONE_UNIT =
  'It differs by one unit. Either it is rounded in another direction than amountOf returns, or it was multiplied as a double and cut off: Math.trunc(19.99 * 100) is 1998';

// Of each table, the first row that fits counts. Without one, no cause is guessed.

/** Nothing moved, though it was due. */
const NOTHING: readonly Row[] = [
  ['moved in another currency', ({ elsewhere }) => textOf(elsewhere) || null, causeOfCurrency],
  ['accepted during an outage', ({ step: { broken } }) => broken ?? null, causeOfOutage],
  ['sent again after an outage', ({ step: { mended } }) => mended ?? null, LATE_KEY],
  ['nothing', () => true, (_, { step }) => step.cause ?? UNMOVED],
];

/** It moved, though nothing was due. */
const UNDUE: readonly Row[] = [
  [
    'what was sent',
    ({ change, moves, notifications }) =>
      notifications.length === 0 || timesOf(change, sumOf(moves)) !== null,
    (_, { step }) => step.cause,
  ],
  [
    'the difference to what had moved',
    ({ change, moves, earlier }) => change.equals(sumOf(moves).minus(earlier[0] ?? 0)),
    'The difference to what had moved was added. A known key moves nothing',
  ],
  [
    'the opposite of a field',
    (wrong) => fieldOf(wrong, (change, _, field) => change.negated().equals(field)),
    (field) =>
      `The opposite of ${field} moved, as if a debit or credit were undone that was never made`,
  ],
  [
    'another field',
    (wrong) => fieldOf(wrong, (change, _, field) => change.equals(field)),
    (field, { step }) => [`This is ${field}`, step.cause].filter(Boolean).join('. '),
  ],
  ['what is held', ({ isHeld }) => isHeld, 'It moved, though amountOf returns null'],
];

/** Something else moved than what was due. */
const OTHER: readonly Row[] = [
  [
    'the opposite',
    ({ due, change }) => change.equals(due.negated()),
    'The sign is wrong. balance returns credits minus debits',
  ],
  ['several times', ({ due, change }) => severalOf(change, due), causeOfSeveral],
  [
    'another field',
    (wrong) => fieldOf(wrong, (change, _, field) => change.equals(field)),
    (field) => `This is ${field}. If you want that, return it in amountOf`,
  ],
  [
    'a part of what came at the same time',
    ({ change, moves }) => moves.length > 1 && isPart(change, moves),
    (_, { step }) => step.cause,
  ],
  [
    'overwritten',
    ({ due, change, earlier }) =>
      [earlier.slice(0, 1), earlier].some((some) => change.equals(due.minus(sumOf(some)))),
    'The balance was overwritten. Add to it',
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
    DOUBLE,
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
    'Its first digits are lost. Look for a limit of digits',
  ],
  ['20 digits', ({ due, change }) => change.equals(due.toSignificantDigits(20)), TWENTY],
  ['rounded', ({ due, change }) => decimalsOf(due, change), causeOfRounding],
  ['a real', ({ due, change }) => isReal(due, change), REAL],
  ['one unit', ({ due, change }) => isUnit(due.minus(change).abs(), due), ONE_UNIT],
  ['a sum of doubles', isAbout, DOUBLE],
  [
    'a share',
    ({ due, change }) => shareOf(due, change),
    (share) => `It is ${share} of the amount. If you want that, return it in amountOf`,
  ],
];

/** Returns the likely cause of a wrong balance; undefined if it can't be known. */
export function causeOfChange(wrong: WrongChange): string | undefined {
  const table = wrong.change.isZero() ? NOTHING : wrong.due.isZero() ? UNDUE : OTHER;
  for (const [, detailOf, cause] of table) {
    const detail = detailOf(wrong);
    if (detail === null || detail === false) continue;
    return typeof cause === 'string' ? cause : cause(`${detail}`, wrong);
  }
  return undefined;
}

function causeOfCurrency(moved: string, wrong: WrongChange): string {
  const [change] = wrong.elsewhere.values();
  const field = fieldOf(wrong, (_, __, value) => !!change?.abs().equals(value));
  const named = field ? `, which is ${field}` : '';
  return `It was moved as ${moved}${named}. If you want that, return it in amountOf`;
}

/** One of the copies failed, another one was accepted. It can't be known which one was first. */
function causeOfOutage(_: string, { hasFailed }: WrongChange): string {
  return hasFailed ? `${LATE_KEY}. ${EARLY_COPY}` : ACCEPTED;
}

function causeOfSeveral(times: string, { step: { mended, copies = 1 } }: WrongChange): string {
  if (mended) return LATE_BALANCE;
  return copies > 1 ? COPIED : `It moved ${times} times`;
}

function causeOfRounding(decimals: string, { due }: WrongChange): string {
  const digits = Number(decimals) + due.trunc().abs().precision(true);
  const look = `Look for toFixed(${decimals}), toDecimalPlaces(${decimals}), or a column such as numeric(20,${decimals})`;
  return digits < 15 || digits > 17
    ? `The amount was rounded to ${decimals} decimals. ${look}`
    : `The amount was rounded to ${decimals} decimals, or to ${digits} digits, which is what a double has. ${look}, toPrecision(${digits}), or double precision`;
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

/**
 * Returns the name of a field whose sum over the bodies fits. A debit counts as positive. If
 * amountOf rounds to 6 decimals or more, the field may be rounded as well.
 */
function fieldOf(
  { notifications, due, change }: WrongChange,
  fits: (change: Decimal, due: Decimal, field: Decimal) => boolean,
): string | null {
  const sign = notifications[0]?.type === 'deposit.received' ? 1 : -1;
  const decimals = Math.max(due.decimalPlaces(), change.decimalPlaces());
  const names = notifications.flatMap(Object.keys).filter((name) => {
    const fields = notifications.map((one) => Object.entries(one).find(([own]) => own === name));
    const amounts = fields.flatMap((field) => (Decimal.isDecimal(field?.[1]) ? field[1] : []));
    const sum = sumOf(amounts);
    const modes = decimals < 6 ? [] : [Decimal.ROUND_DOWN, Decimal.ROUND_UP];
    const values = [sum, ...modes.map((mode) => sum.toDecimalPlaces(decimals, mode))];
    return values.some(
      (value) => !value.isZero() && fits(change.times(sign), due.times(sign), value),
    );
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
  const power = change.dividedBy(due).log(10).toDecimalPlaces(0).toNumber();
  return power !== 0 && change.equals(due.times(new Decimal(10).pow(power))) ? power : null;
}

/** Whether a difference is the unit of the last of 2 to 8 decimals, of an amount without more. */
function isUnit(difference: Decimal, due: Decimal): boolean {
  const decimals = difference.decimalPlaces();
  const isOne = difference.equals(new Decimal(10).pow(-decimals));
  return isOne && decimals >= Math.max(2, due.decimalPlaces()) && decimals <= 8;
}

/** Whether the change is wrong by what a double of the balance loses. */
function isAbout({ due, change, before }: WrongChange): boolean {
  const largest = Decimal.max(before.abs(), before.plus(due).abs(), due.abs());
  const limit = Decimal.min(largest.times('2e-15'), due.abs().times('0.001'));
  return change.minus(due).abs().lessThan(limit);
}

/** A share of at most four decimals, such as 0.985 without a fee. */
function shareOf(due: Decimal, change: Decimal): string | null {
  const share = change.dividedBy(due);
  const isPlausible = share.greaterThan(0) && share.lessThan(2);
  return isPlausible && share.decimalPlaces() <= 4 ? `${share}` : null;
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
  /** Whether it is a copy of what was accepted. */
  readonly isRepeat: boolean;
}

type AnswerRow = readonly [
  seen: string,
  fits: (wrong: WrongAnswer, status: number) => boolean,
  cause: string,
];

/** The first row that fits counts. The status of no answer is 0. */
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
    ({ isRepeat }, status) => isRepeat && status >= 500,
    'A copy failed instead of being a repeat. Insert the key with ON CONFLICT DO NOTHING',
  ],
  [
    'a copy is refused',
    ({ isRepeat }) => isRepeat,
    'A copy is refused instead of being a repeat. Answer it with success',
  ],
  [
    'some of what came at the same time fail',
    ({ attempts }, status) => status >= 500 && attempts.some(({ success }) => success),
    'Transactions at the same time fail. Repeat them, or lock rows in one order',
  ],
  [
    'some of what came at the same time is refused',
    ({ attempts }) => attempts.some(({ success }) => success),
    'Some of what came at the same time is refused, such as by a limit of the rate. It may not be repeated',
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
