import type { PaymentNotification } from '../parser/notification.js';
import { Decimal } from '../parser/values/amount.js';

/** The likely causes that a behavior knows. A text is the cause of whatever is wrong. */
export type Causes =
  | string
  | {
      /** If nothing moved, or if it moved though nothing was due. */
      readonly change?: string;
      /** If it moved several times. */
      readonly several?: string;
      /** If it was refused, or failed. */
      readonly answer?: string;
    };

/** A change of a balance that is not the one that was due. */
export interface WrongChange {
  readonly causes: Causes;
  readonly copies: number;
  /** What each body moves, negative for a debit, whether it is due or not. */
  readonly moves: readonly Decimal[];
  readonly notifications: readonly PaymentNotification[];
  readonly due: Decimal;
  readonly change: Decimal;
  readonly before: Decimal;
  /** What moved before, the last one first. */
  readonly earlier: readonly Decimal[];
  /** Whether amountOf says that one of the bodies moves nothing. */
  readonly isHeld: boolean;
  /** What changed in other currencies. */
  readonly elsewhere: ReadonlyMap<string, Decimal>;
}

const UNMOVED =
  'Nothing moved. Either it was dropped or kept for review, or its key is that of another event. If you keep it on purpose, return amount: null in amountOf';
const DOUBLE =
  'The amount was a double. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision';
const COPIED =
  'Several copies passed the check of the key. Insert the key into a unique column, in the transaction that changes the balance';
const ONE_UNIT =
  'It differs by one unit. Either it is rounded in another direction than amountOf returns, or it was multiplied as a double and cut off: Math.trunc(19.99 * 100) is 1998';

/** Returns the likely cause of a wrong balance; undefined if it can't be known. */
export function causeOfChange(wrong: WrongChange): string | undefined {
  if (wrong.change.isZero()) return causeOfNothing(wrong);
  return wrong.due.isZero() ? causeOfUndue(wrong) : causeOfOther(wrong);
}

export function causeOf(causes: Causes, kind: 'change' | 'several' | 'answer'): string | undefined {
  return typeof causes === 'string' ? causes : causes[kind];
}

function causeOfNothing(wrong: WrongChange): string {
  const [moved] = wrong.elsewhere;
  if (!moved) return causeOf(wrong.causes, 'change') ?? UNMOVED;
  const field = fieldOf(wrong, (_, __, value) => moved[1].abs().equals(value));
  const named = field ? `, which is ${field}` : '';
  return `It was moved as ${textOf(wrong.elsewhere)}${named}. If you want that, return it in amountOf`;
}

function causeOfUndue(wrong: WrongChange): string | undefined {
  const { change, moves, notifications, isHeld } = wrong;
  const own = causeOf(wrong.causes, 'change');
  if (notifications.length === 0 || timesOf(change, sumOf(moves)) !== null) return own;
  const opposite = fieldOf(wrong, (moved, _, value) => moved.negated().equals(value));
  if (opposite)
    return `The opposite of ${opposite} moved. Undo nothing: only COMPLETED moves money`;
  const field = fieldOf(wrong, (moved, _, value) => moved.equals(value));
  if (field) return [`This is ${field}`, own].filter(Boolean).join('. ');
  return isHeld ? 'It moved, though amountOf returns amount: null' : own;
}

function causeOfOther(wrong: WrongChange): string | undefined {
  const { due, change, before, moves, earlier, copies } = wrong;
  if (change.equals(due.negated()))
    return 'The sign is wrong. balance returns credits minus debits';
  const times = timesOf(change, due);
  // Ten times and more are another amount, of which this one happens to be a part.
  if (times !== null && times > 1 && times <= 20 && times !== 10) {
    const own = causeOf(wrong.causes, 'several');
    return own ?? (copies > 1 ? COPIED : `It moved ${times} times`);
  }
  const field = fieldOf(wrong, (moved, _, value) => moved.equals(value));
  if (field) return `This is ${field}. If you want that, return it in amountOf`;
  if (moves.length > 1 && isPart(change, moves)) return causeOf(wrong.causes, 'change');
  const isOverwritten = [earlier.slice(0, 1), earlier].some((some) =>
    change.equals(due.minus(sumOf(some))),
  );
  if (isOverwritten) return 'The balance was overwritten. Add to it';
  const fee = fieldOf(wrong, (moved, all, value) => moved.equals(all.minus(value)));
  if (fee) return `${fee} was subtracted. If you want that, subtract it in amountOf`;
  const sum = before.toNumber() + due.toNumber();
  if (change.equals(due.toNumber()) || before.plus(change).equals(sum)) return DOUBLE;
  const power = powerOf(change, due);
  if (power !== null) {
    return `The decimal point moved by ${power}. Read exponents, and check the decimals of the currency`;
  }
  return causeOfDigits(wrong);
}

function causeOfDigits({ due, change, before }: WrongChange): string | undefined {
  if (change.equals(due.toSignificantDigits(20))) {
    return 'It was cut to 20 digits, as decimal.js does. Calculate with the Decimal of this package, as the left operand';
  }
  const decimals = decimalsOf(due, change);
  if (decimals !== null) {
    const digits = decimals + due.trunc().abs().precision(true);
    const look = `Look for toFixed(${decimals}), toDecimalPlaces(${decimals}), or a column such as numeric(20,${decimals})`;
    return digits < 15 || digits > 17
      ? `The amount was rounded to ${decimals} decimals. ${look}`
      : `The amount was rounded to ${decimals} decimals, or to ${digits} digits, as a double does. ${look}, toPrecision(${digits}), or double precision`;
  }
  if (isUnit(due.minus(change).abs(), due)) return ONE_UNIT;
  // What a double of the whole balance loses.
  const largest = Decimal.max(before.abs(), before.plus(due).abs(), due.abs());
  const limit = Decimal.min(largest.times('2e-15'), due.abs().times('0.001'));
  if (change.minus(due).abs().lessThan(limit)) return DOUBLE;
  const share = change.dividedBy(due);
  const isPlausible = share.greaterThan(0) && share.lessThan(2) && share.decimalPlaces() <= 4;
  return isPlausible
    ? `It is ${share} of the amount. If you want that, return it in amountOf`
    : undefined;
}

/** How many times one amount is another one; null unless it is a multiple. */
function timesOf(change: Decimal, due: Decimal): number | null {
  if (due.isZero()) return null;
  const times = change.dividedBy(due);
  return times.isInteger() && times.greaterThan(0) ? times.toNumber() : null;
}

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

/** An answer with a status that is not expected. The status of no answer is 0. */
export interface WrongAnswer {
  readonly causes: Causes;
  readonly status: number;
  /** Whether it is a copy of what was accepted. */
  readonly isRepeat: boolean;
  /** Whether something else at the same time was accepted. */
  readonly someSucceed: boolean;
  /** Whether it came too late, while others were in progress. */
  readonly isLate: boolean;
}

export function causeOfAnswer(wrong: WrongAnswer): string {
  const { causes, status, isRepeat, someSucceed, isLate } = wrong;
  const isFailure = status >= 500;
  if (isLate) {
    return 'What arrives at the same time waits for each other, or for a connection. Use one connection to the database for each request, and release it even after an error';
  }
  if (status === 0) return 'Check that the handler runs at this URL, and answers every request';
  if (status === 404) return 'Check the URL and its secret, and whether prepare inserts the order';
  const own = causeOf(causes, 'answer');
  if (typeof causes === 'object' && own) return own;
  if (isRepeat) {
    return isFailure
      ? 'A copy failed instead of being a repeat. Insert the key with ON CONFLICT DO NOTHING'
      : 'A copy is refused instead of being a repeat. Answer it with success';
  }
  if (someSucceed) {
    return isFailure
      ? 'Transactions at the same time fail. Repeat them, or lock rows in one order'
      : 'Some of what arrives at the same time is refused, such as by a rate limit. It may not be repeated';
  }
  const usual = isFailure
    ? 'The handler fails. See its log'
    : 'The handler refuses what the parser accepts, or prepare does not insert the order. See its log';
  return own ?? usual;
}

export function causeOfFirstAnswer(status: number, hasPrepare: boolean): string {
  if (status === 0) return 'Start your server, and check the host and the port of url';
  if ([401, 403, 404, 405].includes(status)) return 'Check the path of url, and the secret in it';
  return hasPrepare
    ? 'See the log of your server, and check that prepare inserts the order'
    : 'Pass prepare, which inserts the order. If there are no orders, see the log of your server';
}

/** Returns what to do if the first event is accepted, but nothing moves. */
export function causeOfNoFirst(hasPrepare: boolean, isKept: boolean): string {
  if (!hasPrepare) {
    return isKept
      ? 'The body was kept for review, because its order is unknown. Pass prepare, which inserts it'
      : 'Nothing moved. Pass prepare, which inserts the order. If there are no orders, check that balance reads what your handler changes';
  }
  return isKept
    ? 'The body was kept for review. Check that prepare inserts the order that your handler looks up. If you keep it on purpose, return amount: null in amountOf'
    : 'Nothing moved. Check that balance reads what your handler changes, and that prepare inserts what it updates. Otherwise, an error was caught, the answer came before the work, or a worker gave up';
}
