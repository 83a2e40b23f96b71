import { Decimal } from '../../parser/values/amount.js';
import { COPIED, ownCause } from './advice.js';
import { type Amounts, amountIn, describeChanges, sumOf } from './balances.js';
import type { Exchange, MovingBody } from './exchange.js';

/** Balance changes other than those that were due. */
interface WrongChange {
  readonly changes: Amounts;
  /** The balances before. */
  readonly expected: Amounts;
  /** What moved before, the last one first. */
  readonly earlier: readonly Decimal[];
  /** Whether `kept` counts one more. */
  readonly isKept: boolean;
}

const UNMOVED = "No balance changed. The handler dropped the webhook, or used another event's key";
const KEPT =
  'The webhook was saved for review. If the handler saves it on purpose, return amount: null from amountOf';
const DOUBLE =
  'The amount was a double, which rounds. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision';
const TWENTY_DIGITS =
  'The amount was rounded to 20 digits, the default of decimal.js. Calculate with the Decimal of this package, as the left operand';
const OTHER_AMOUNT =
  'The handler moved another amount. If it converts at a rate, or subtracts or adds a fee, return that amount from amountOf';
const MOVED_NULL =
  'The balance changed, although the amount is null. Save the webhook for review, or return the amount from amountOf';
const OTHER_CURRENCY =
  'The handler moved another currency, or several. Move one amount in the currency of the webhook, or return what you move from amountOf';
const ONE_UNIT =
  "The last digit differs by one. Round as amountOf does, and don't multiply as a double: Math.trunc(19.99 * 100) is 1998";

/** Returns the likely cause of a wrong balance; undefined if it can't be known. */
export function causeOfChange(exchange: Exchange, wrong: WrongChange): string | undefined {
  const { causes, bodies, due, sums } = exchange;
  const { changes, expected, earlier, isKept } = wrong;
  const own = ownCause(causes, 'change');
  if (sums.size === 0) {
    return bodies.some(({ move }) => move === null) ? MOVED_NULL : own;
  }
  const missing = [...sums].find(([code, sum]) => !amountIn(changes, code).equals(sum));
  if (missing === undefined || (bodies.length === 1 && changes.size > 1)) {
    return OTHER_CURRENCY;
  }
  const [currency, sum] = missing;
  const change = amountIn(changes, currency);
  const before = amountIn(expected, currency);
  if (!change.isZero()) {
    const guesses = guessesOf(exchange, earlier, sum, before);
    const [cause] = guesses.find(([, moved]) => moved.some((one) => one.equals(change))) ?? [];
    const isNear = change.minus(sum).abs().lt(sum.abs().times('1e-12'));
    const unknown = bodies.length > 1 ? own : OTHER_AMOUNT;
    return cause ?? (isNear ? DOUBLE : unknown);
  }
  const [other] = changes.keys();
  if (other === undefined) return isKept ? (ownCause(causes, 'kept') ?? KEPT) : (own ?? UNMOVED);
  return due.some(({ notification: one }) => 'network' in one && one.network === other)
    ? `The handler moved ${describeChanges(changes)}, but ${other} is the network. Use the currency`
    : OTHER_CURRENCY;
}

/** A cause, and the wrong amounts, one of which it would have moved. */
type Guess = readonly [cause: string, moved: readonly Decimal[]];

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
    ['The sign is wrong. balance must return credits minus debits', [due.negated()]],
    // Not ten times: then, a decimal point has moved.
    ...[...range(2, 9), ...range(11, 20)].map(
      (times): Guess => [several ?? `The amount was moved ${times} times`, [due.times(times)]],
    ),
    ...amounts.map(([name, amount]): Guess => {
      return [`The handler moved ${name}. If that is intended, return it from amountOf`, [amount]];
    }),
    [
      'The balance was overwritten. Add to the balance',
      [due.minus(earlier[0] ?? 0), due.minus(sumOf(earlier))],
    ],
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
  `The amount is ${ten(Math.abs(power)).toFixed()} times too ${power > 0 ? 'large' : 'small'}. Read exponents, and check the decimals of the currency`;
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

/** A wrong answer; its status is 0 if there was none. */
interface WrongAnswer {
  readonly status: number;
  /** Whether the timeout was over. */
  readonly isLate: boolean;
  /** Whether the server has answered any request with success. */
  readonly hasAccepted: boolean;
}

/** Returns the likely cause of a wrong answer. */
export function causeOfAnswer(exchange: Exchange, wrong: WrongAnswer): string {
  const { attempts, causes, copies, isRepeat } = exchange;
  const { status, isLate, hasAccepted } = wrong;
  const isFailure = status >= 500;
  const someSucceed = attempts.some(({ success }) => success);
  if (isLate && attempts.length > 1) {
    return 'Concurrent requests wait for each other, or for a database connection. Use one connection for each request, and release it even after an error';
  }
  if (status === 0 && !hasAccepted) {
    return 'Check that your server runs at the host and the port of url, and answers every request';
  }
  if (status === 0) {
    return isLate
      ? 'The handler never answers this webhook. Answer in every branch, and let errors propagate'
      : 'Your server closed the connection, or stopped. See its log';
  }
  if (status === 429) {
    return 'The server limits the rate of requests. Exempt this endpoint, because the service might not resend a refused webhook';
  }
  if (status >= 300 && status <= 399)
    return 'The server redirects. Check the scheme and the path of url';
  if ([401, 403, 404, 405].includes(status) && !hasAccepted) {
    return 'Check the path and the secret in url, and that prepare inserts the order';
  }
  const own = ownCause(causes, 'answer');
  if (typeof causes === 'object' && own) return own;
  if (isRepeat || (copies > 1 && someSucceed)) {
    return isFailure
      ? 'A duplicate failed. It should succeed and change nothing. Insert the key with ON CONFLICT DO NOTHING'
      : 'A duplicate was refused. Answer duplicates with success';
  }
  if (someSucceed) {
    return isFailure
      ? 'Concurrent transactions fail. Retry them, or lock rows in the same order'
      : 'Some concurrent webhooks were refused, such as by a rate limit. The service might not resend them';
  }
  const usual = isFailure
    ? "The handler fails. See your server's log"
    : "The handler refuses a webhook that the parser accepts, or prepare does not insert the order. See your server's log";
  return own ?? usual;
}
