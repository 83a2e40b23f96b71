import { Decimal } from '../../parser/values/amount.js';
import { ownCause } from './advice.js';
import { type Amounts, amountIn, describeChanges, sumOf } from './balances.js';
import type { Exchange, MovingBody } from './exchange.js';

/** Balance changes other than those that were due. */
interface WrongChange {
  readonly changes: Amounts;
  /** The balances before. */
  readonly expected: Amounts;
  /** What moved before, the last one first. */
  readonly earlier: readonly Decimal[];
  readonly isKept: boolean;
}

const UNMOVED = 'Nothing moved. Either it was dropped, or its key is that of another event';
const KEPT =
  'The body was kept for review. If you keep it on purpose, return amount: null in amountOf';
const DOUBLE =
  'The amount was a double. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision';
const DIFFERENCE =
  'The difference to what was settled was moved. Move nothing, and keep the body for review: one of the two may be forged';
const COPIED =
  'Several copies passed the check of the key. Insert the key into a unique column, in the transaction that changes the balance';
const TWENTY_DIGITS =
  'It was cut to 20 digits, as decimal.js does. Calculate with the Decimal of this package, as the left operand';
const ONE_UNIT =
  'It differs by one unit. Either it is rounded in another direction than amountOf returns, or it was multiplied as a double and cut off: Math.trunc(19.99 * 100) is 1998';

/** Returns the likely cause of a wrong balance; undefined if it can't be known. */
export function causeOfChange(exchange: Exchange, wrong: WrongChange): string | undefined {
  const { causes, bodies, due, sums, isRepeat } = exchange;
  const { changes, expected, earlier, isKept } = wrong;
  const own = ownCause(causes, 'change');
  if (sums.size === 0) {
    if (bodies.some(({ move }) => move === null))
      return 'It moved, though its amount is null, or amountOf returns null';
    const [settled = new Decimal(0)] = earlier;
    const isDifference = bodies.some(({ currency, move }) => {
      if (isRepeat || settled.isZero() || !move || move.isZero()) return false;
      return move.minus(settled).equals(amountIn(changes, currency));
    });
    return isDifference ? DIFFERENCE : own;
  }
  const missing = [...sums].find(([code, sum]) => !amountIn(changes, code).equals(sum));
  if (missing === undefined) return 'It moved in more than one currency';
  const [currency, sum] = missing;
  const change = amountIn(changes, currency);
  const before = amountIn(expected, currency);
  if (!change.isZero()) {
    const guesses = guessesOf(exchange, earlier, sum, before);
    const [cause] = guesses.find(([, moved]) => moved.some((one) => one.equals(change))) ?? [];
    const isNear = change.minus(sum).abs().lt(sum.abs().times('1e-12'));
    return cause ?? (isNear ? DOUBLE : undefined);
  }
  const [other, moved] = [...changes][0] ?? [];
  if (moved === undefined) return isKept ? (ownCause(causes, 'kept') ?? KEPT) : (own ?? UNMOVED);
  const named = due.flatMap(({ notification }) => Object.values<unknown>({ ...notification }));
  if (!named.includes(other)) {
    return `It was moved as ${describeChanges(changes)}, but the body has no ${other}. Look the balance up by its currency`;
  }
  const [field] = amountFields(due).find(([, amount]) => amount.equals(moved)) ?? [];
  const source = field === undefined ? '' : `, which is ${field}`;
  return `It was moved as ${describeChanges(changes)}${source}. If you want that, return it in amountOf`;
}

/** A cause, and the wrong amounts, one of which it would have moved. */
type Guess = readonly [cause: string | undefined, moved: readonly Decimal[]];

/** The first guess that fits is the likeliest. */
function guessesOf(
  { causes, copies, due: bodies }: Exchange,
  earlier: readonly Decimal[],
  due: Decimal,
  before: Decimal,
): Guess[] {
  const amounts = amountFields(bodies);
  const several = ownCause(causes, 'several') ?? (copies > 1 ? COPIED : undefined);
  const sum = new Decimal(before.toNumber() + due.toNumber());
  const { ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN, ROUND_UP } = Decimal;
  const modes = [ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN, ROUND_UP];
  const units = range(Math.max(2, due.decimalPlaces()), 8).map((decimals) => ten(-decimals));
  return [
    ['The sign is wrong. balance returns credits minus debits', [due.negated()]],
    // Not ten times: then, a decimal point has moved.
    ...[...range(2, 9), ...range(11, 20)].map(
      (times): Guess => [several ?? `It moved ${times} times`, [due.times(times)]],
    ),
    ...amounts.map(
      ([name, amount]): Guess => [
        `This is ${name}. If you want that, return it in amountOf`,
        [amount],
      ],
    ),
    [ownCause(causes, 'change'), partialSums(bodies)],
    [
      'The balance was overwritten. Add to it',
      [due.minus(earlier[0] ?? 0), due.minus(sumOf(earlier))],
    ],
    ...amounts.map(
      ([name, amount]): Guess => [
        `${name} was subtracted. If you want that, subtract it in amountOf`,
        [due.minus(amount)],
      ],
    ),
    ...amounts.map(
      ([name, amount]): Guess => [
        `${name} was added. If you want that, add it in amountOf`,
        [due.plus(amount)],
      ],
    ),
    [DOUBLE, [new Decimal(due.toNumber()), sum.minus(before)]],
    [TWENTY_DIGITS, [due.toSignificantDigits(20)]],
    ...range(-18, 18).map((power): Guess => [movedBy(power), [due.times(ten(power))]]),
    ...range(0, due.decimalPlaces() - 1).map((decimals): Guess => {
      return [roundedTo(decimals), modes.map((mode) => due.toDecimalPlaces(decimals, mode))];
    }),
    [ONE_UNIT, units.flatMap((unit) => [due.minus(unit), due.plus(unit)])],
  ];
}

const movedBy = (power: number): string =>
  `The decimal point moved by ${power}. Read exponents, and check the decimals of the currency`;
const roundedTo = (decimals: number): string =>
  `The amount was rounded to ${decimals} decimals. Look for toFixed(${decimals}), toDecimalPlaces(${decimals}), or a column such as numeric(20,${decimals})`;

const ten = (power: number): Decimal => new Decimal(10).pow(power);

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** The amounts of a single body, by name. Those of a debit are negative. */
function amountFields(bodies: readonly MovingBody[]): (readonly [string, Decimal])[] {
  return (bodies.length > 1 ? [] : bodies).flatMap(({ notification }) =>
    Object.entries(notification).flatMap(([name, value]) => {
      if (!Decimal.isDecimal(value) || value.isZero()) return [];
      const isDeposit = notification.type === 'deposit.received';
      return [[name, isDeposit ? value : value.negated()] as const];
    }),
  );
}

/** What some of the bodies move without the others. */
function partialSums(bodies: readonly MovingBody[]): Decimal[] {
  const sums = [new Decimal(0)];
  for (const { move } of bodies) sums.push(...sums.map((sum) => sum.plus(move)));
  return sums;
}

/** Returns the likely cause of a wrong answer. Without an answer, the status is 0. */
export function causeOfAnswer(exchange: Exchange, status: number, isLate: boolean): string {
  const { attempts, causes, copies, isRepeat } = exchange;
  const isFailure = status >= 500;
  const someSucceed = attempts.some(({ success }) => success);
  if (isLate && attempts.length > 1) {
    return 'What arrives at the same time waits for each other, or for a connection. Use one connection to the database for each request, and release it even after an error';
  }
  if (status === 0) {
    return 'Check that your server runs at the host and the port of url, and answers every request';
  }
  if ([401, 403, 404, 405].includes(status)) {
    return 'Check the path of url and the secret in it, and whether prepare inserts the order';
  }
  const own = ownCause(causes, 'answer');
  if (typeof causes === 'object' && own) return own;
  if (isRepeat || (copies > 1 && someSucceed)) {
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
