import { Decimal } from '../amount.js';
import type { NotificationType } from '../errors.js';
import { escapeUnprintable, quote } from '../internal/quote.js';
import { idempotencyKey, type PaymentNotification } from '../notification.js';
import { safeParseNotification } from '../parse.js';
import type { AttemptOptions } from './attempt.js';
import {
  type BodyOptions,
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from './bodies.js';
import { deliver } from './deliver.js';
import { faultyBodies } from './faults.js';
import { bodyVariants } from './variants.js';

/** A test of a handler, for any test runner. */
export interface HandlerTest {
  readonly name: string;
  /** Rejects with an error that says what was sent, expected and received, and the likely cause. */
  readonly run: () => Promise<void>;
}

/** The amount that a handler credits or debits. It is never negative; null if the notification doesn't say it. */
export interface HandlerAmount {
  readonly currency: string;
  readonly amount: Decimal | null;
}

/** Your handler and its database. */
export interface HandlerTestsOptions extends AttemptOptions {
  /**
   * Returns all credits minus all debits so far in a currency, without what is only reserved. Null means none. If the
   * handler settles after its answer, wait here until it has.
   */
  readonly balance: (currency: string) => Promise<string | Decimal | null>;
  /** Called before bodies are sent, with one notification for each order. Insert the orders, and fund the withdrawals. */
  readonly prepare?: ((notifications: readonly PaymentNotification[]) => Promise<void>) | undefined;
  /**
   * Lets the statement fail that changes the balance, but not the one before it, which inserts the key: rename the
   * table of balances. Returns a function that mends it. Without this, the tests that need it are left out.
   */
  readonly breakDatabase?: (() => Promise<() => Promise<void>>) | undefined;
  /** The only type that the endpoint receives (default: both). */
  readonly receives?: NotificationType | undefined;
  /** Returns what your handler moves. Default: `actualDepositAmount` or `actualWithdrawAmount`, in its currency. */
  readonly amountOf?: ((notification: PaymentNotification) => HandlerAmount) | undefined;
  /** Fields that your handler needs in a deposit, such as a `clientPaymentId` that is a UUID. The tests set the amounts. */
  readonly deposit?: ((seed: number) => DepositReceivedOverrides) | undefined;
  /** Fields that your handler needs in a withdrawal. */
  readonly withdrawal?: ((seed: number) => WithdrawalBroadcastOverrides) | undefined;
}

/** A request, and what has to follow. */
interface Step {
  readonly body: string | Uint8Array;
  /** What differs from an ordinary body. */
  readonly label?: string;
  readonly copies?: number;
  /** Default: success. */
  readonly answer?: keyof typeof ANSWERS;
  /** Whether the amount is credited or debited now. */
  readonly moves?: boolean;
  /** Whether the database is broken meanwhile. */
  readonly broken?: boolean;
  /** The likely cause if the balance is wrong. */
  readonly cause?: string;
  /** The likely cause if it is refused. */
  readonly refused?: string;
}

/** The statuses that a step accepts: in words, and from and to. */
const ANSWERS = {
  success: ['a status from 200 to 299', 200, 299],
  refusal: ['a status from 400 to 499', 400, 499],
  failure: ['a status from 500', 500, 599],
  any: ['an answer', 0, 599],
} as const;

const AMOUNT = '0.75';
/** In an encoding that the parser reads exactly. The second has more digits than decimal.js keeps by default. */
const EXACT = {
  '18 decimals': '0.123456789012345678',
  '28 digits': '1234567890.123456789012345678',
};
/** A race may be lost in one round. */
const ROUNDS = 10;

/**
 * Makes tests of your handler: it credits and debits each event once, exactly, and whatever the encoding; it refuses
 * faulty bodies; and it settles what came while the database failed.
 *
 * Every run sends events of its own, so the database may have others, as long as nothing else changes its balances
 * meanwhile. The tests wait for each other.
 *
 * @throws TypeError if `balance` is missing.
 *
 * @example
 * ```ts
 * for (const { name, run } of handlerTests({ url, balance })) test(name, run);
 * ```
 */
export function handlerTests(options: HandlerTestsOptions): HandlerTest[] {
  if (typeof options?.balance !== 'function') {
    throw new TypeError(`balance: expected a function, received ${quote(options?.balance)}`);
  }
  const types = ['deposit.received', 'withdrawal.broadcast'] as const;
  let last: Promise<unknown> = Promise.resolve();
  return types
    .filter((type) => type === (options.receives ?? type))
    .flatMap((type) => Object.entries(stepsFor(type, options)))
    .map(([name, steps]) => ({
      name,
      run() {
        const ran = last.then(() => check(steps(), options));
        last = ran.catch(() => {});
        return ran;
      },
    }));
}

/** The steps of each test, made when it runs: a second run needs other events. */
function stepsFor(
  type: NotificationType,
  options: HandlerTestsOptions,
): Record<string, () => Step[]> {
  const isDeposit = type === 'deposit.received';
  let next = Math.floor(Math.random() * 2 ** 47);
  const newEvent = () => {
    const seed = next++;
    return { seed, own: isDeposit ? options.deposit?.(seed) : options.withdrawal?.(seed) };
  };
  // Each amount differs, so that a balance tells which one was moved.
  const make = (
    amount: string | null,
    changes: object = {},
    { seed, own } = newEvent(),
    additional: BodyOptions['additional'] = {},
  ): string => {
    const other = (digit: number) => amount && `${digit}${amount}`;
    const display = { ...own, actualDisplayAmount: other(2) };
    if (isDeposit) {
      const amounts = { actualDepositAmount: amount, settlementAmount: other(3) };
      const fields = { ...display, ...amounts, ...changes } as DepositReceivedOverrides;
      return depositReceivedBody(fields, { seed, additional });
    }
    const estimatedWithdrawAmount = `1${amount ?? AMOUNT}`;
    const amounts = { actualWithdrawAmount: amount, deductedSettlementAmount: other(3) };
    const fields = { ...display, ...amounts, estimatedWithdrawAmount, ...changes };
    return withdrawalBroadcastBody(fields as WithdrawalBroadcastOverrides, { seed, additional });
  };
  /** One event with several amounts. */
  const variously = (...amounts: (string | null)[]): string[] => {
    const event = newEvent();
    return amounts.map((amount) => make(amount, {}, event));
  };
  const settled = (body: string, label?: string): Step => ({
    body,
    moves: true,
    ...(label && { label }),
  });
  const [word, done] = isDeposit ? ['deposit', 'credited'] : ['withdrawal', 'debited'];
  const late = 'The key was committed before the balance changed: put both into one transaction';

  const fewer =
    'A column may have fewer digits: the amount was refused, or differs from what was stored';

  const tests: Record<string, () => Step[]> = {};
  for (const [digits, amount] of Object.entries(EXACT)) {
    tests[`${word}: an amount of ${digits} is ${done} exactly`] = () => [
      { ...settled(make(amount)), cause: fewer },
    ];
  }
  tests[`${word}: five copies at the same time are ${done} once`] = () =>
    Array.from({ length: ROUNDS }, () => ({ ...settled(make(AMOUNT)), copies: 5 }));
  tests[`${word}: every encoding is ${done} once`] = () =>
    bodyVariants(make(AMOUNT)).flatMap((_, index) => {
      const [given = { body: '', label: '' }, ...others] = bodyVariants(make(AMOUNT));
      const { body, label } = others[index - 1] ?? given;
      const cause =
        'The key is not checked, or depends on how the body is written: use idempotencyKey';
      return [settled(body, label), { body: given.body, label: 'the same event again', cause }];
    });
  tests[`${word}: a known key with another amount moves nothing`] = () => {
    const [first = '', second = ''] = variously(AMOUNT, '7');
    const cause = 'The key is not looked up before the amount, or the amount is overwritten';
    return [settled(first), { body: second, label: 'with another amount', answer: 'any', cause }];
  };
  tests[`${word}: faulty bodies are refused, and move nothing`] = () => {
    const body = make(AMOUNT);
    const cause = 'The handler reads the body by other means than the parsers of this package';
    const faulty = faultyBodies(body).map((one): Step => ({ ...one, answer: 'refusal', cause }));
    return [...faulty, settled(body, 'the valid body')];
  };
  tests[`${word}: what this version doesn't know changes nothing`] = () => {
    const odd = isDeposit ? { rateType: 'OTHER' } : { txAddressOwner: undefined };
    const refused =
      'What the parser accepts was refused: log warnings and additionalFields, no more';
    const known = make(AMOUNT, {}, newEvent(), { unknownField: '1.50' });
    const label = isDeposit ? 'with an unknown rateType' : 'without txAddressOwner';
    return [
      { ...settled(known, 'with an unknown field'), refused },
      { ...settled(make(AMOUNT, odd), label), refused },
    ];
  };
  if (isDeposit) {
    tests['deposit: two deposits of one order add up'] = () => {
      const first = make(AMOUNT);
      const { clientPaymentId, paymentId } = JSON.parse(first);
      const cause =
        'The key is that of the order, not of the deposit, or the balance is overwritten';
      const second = make('0.5', { clientPaymentId, paymentId });
      return [settled(first), { ...settled(second, 'a second deposit of the order'), cause }];
    };
  } else {
    for (const status of ['FAILED', 'BLOCKED'] as const) {
      tests[`withdrawal: ${status} debits nothing`] = () => {
        const cause = `The status is not looked at: debit only COMPLETED withdrawals`;
        // With and without an amount: the service doesn't document whether it sends one.
        return [AMOUNT, null].map((amount) => ({ body: make(amount, { status }), cause }));
      };
    }
    tests['withdrawal: without an amount it debits nothing, and later what it says'] = () => {
      const [first = '', second = ''] = variously(null, AMOUNT);
      const estimate = 'An estimate was debited: wait for actualWithdrawAmount';
      const kept = 'The key of the body without an amount was inserted, so this was a repeat';
      return [
        { body: first, label: 'without an amount', answer: 'any', cause: estimate },
        { ...settled(second, 'now with its amount'), cause: kept },
      ];
    };
  }
  if (options.breakDatabase) {
    for (const [copies, name] of [1, 5].map((count) => [count, count > 1 ? ', five copies' : ''])) {
      tests[`${word}: the database fails${name}: 500, and then it is ${done} once`] = () => {
        const step = { body: make(AMOUNT), copies: Number(copies), cause: late };
        return [
          { ...step, answer: 'failure', broken: true, label: 'while the database fails' },
          { ...step, moves: true, label: 'once the database works again' },
        ];
      };
    }
  }
  return tests;
}

/** Sends the bodies of a test in turn. Checks the answers and the balance after each. */
async function check(steps: readonly Step[], options: HandlerTestsOptions): Promise<void> {
  const { prepare, breakDatabase, amountOf = usualAmount } = options;
  const known = steps.map(({ body }) => safeParseNotification(body).notification);
  const orders = new Map<string, PaymentNotification>();
  known.forEach((one, index) => {
    const id = one && ('clientPaymentId' in one ? one.clientPaymentId : one.clientWithdrawalId);
    // The one that is settled says most.
    if (id && (!orders.has(id) || steps[index]?.moves)) orders.set(id, one);
  });
  await prepare?.([...orders.values()]);
  const [first] = orders.values();
  if (!first) throw new TypeError('deposit, withdrawal: expected fields of a valid body');
  const { currency } = amountOf(first);
  const read = async (): Promise<Decimal> => readAmount(await options.balance(currency));

  let before = await read();
  for (const [index, step] of steps.entries()) {
    const mend = step.broken ? await breakDatabase?.() : undefined;
    const sent = deliver(step.body, { ...options, copies: step.copies });
    const { attempts } = await sent.finally(mend);
    const name = nameOf(step, known[index] ?? first);
    const [expected, least, most] = ANSWERS[step.answer ?? 'success'];
    const hasFailed = attempts.some(({ answer }) => (answer?.status ?? 0) >= 500);
    for (const { answer, error } of attempts) {
      if (answer === null) fail(name, 'an answer', error, 'The handler does not run at this URL');
      const { status, body } = answer;
      if (status >= least && status <= most) continue;
      const text = escapeUnprintable(body.slice(0, 200));
      fail(name, expected, `${status} ${text}`.trim(), causeOfAnswer(step, status, hasFailed));
    }
    // What is broken can't be read. And once mended, a handler may settle by itself what it kept.
    if (!step.broken) {
      const { amount } = amountOf(known[index] ?? first);
      const sign = first.type === 'deposit.received' ? 1 : -1;
      const expected = new Decimal(step.moves ? (amount ?? 0) : 0).times(sign);
      const after = await read();
      const actual = after.minus(before);
      before = after;
      if (!actual.equals(expected)) {
        const cause = causeOf(step, known[index] ?? first, expected, actual);
        fail(name, `${signed(expected)} ${currency}`, `${signed(actual)} ${currency}`, cause);
      }
    }
  }
}

function usualAmount(notification: PaymentNotification): HandlerAmount {
  return notification.type === 'deposit.received'
    ? { currency: notification.depositCurrency, amount: notification.actualDepositAmount }
    : { currency: notification.withdrawCurrency, amount: notification.actualWithdrawAmount };
}

function readAmount(value: unknown): Decimal {
  // Another copy of decimal.js has other settings.
  if (typeof value === 'string' || Decimal.isDecimal(value)) return new Decimal(`${value}`);
  if (value === null || value === undefined) return new Decimal(0);
  throw new TypeError(`balance: expected a string or a Decimal, received ${quote(value)}`);
}

const signed = (amount: Decimal): string =>
  amount.isZero() ? '0' : `${amount.isPositive() ? '+' : ''}${amount}`;

function nameOf({ label, copies = 1 }: Step, notification: PaymentNotification): string {
  const copied = copies > 1 ? `${copies} copies of ` : '';
  return `${copied}${idempotencyKey(notification)}${label ? ` (${label})` : ''}`;
}

/** The likely cause of a wrong balance. */
function causeOf(
  { cause, copies = 1 }: Step,
  notification: PaymentNotification,
  expected: Decimal,
  actual: Decimal,
): string {
  if (!expected.isZero()) {
    if (actual.equals(expected.negated())) return 'Credits and debits are interchanged';
    const times = actual.dividedBy(expected);
    if (copies > 1 && times.isInteger() && times.greaterThan(1) && times.lte(copies)) {
      return 'Two copies passed the check of the key: insert it into a unique column, in the transaction that changes the balance';
    }
    const isNear = times.minus(1).abs().lessThan('0.01');
    if (isNear) return 'The amount was rounded: by Number(amount), or a column with fewer decimals';
    const named = Object.entries(notification).find(
      ([, value]) => Decimal.isDecimal(value) && actual.abs().equals(value),
    );
    if (named) return `It is ${named[0]}. If that is meant, say so by amountOf`;
  }
  if (cause) return cause;
  return actual.isZero()
    ? 'The body was taken for a repeat or held, or balance does not read what the handler writes'
    : 'Something else changed the balance meanwhile, or the handler overwrites it';
}

/** The likely cause of a wrong answer. */
function causeOfAnswer(step: Step, status: number, hasFailed: boolean): string {
  const { answer, broken, cause, refused } = step;
  const isSuccess = status >= 200 && status <= 299;
  if (broken && isSuccess) {
    if (hasFailed && cause) return cause;
    return 'The handler catches the error of the database, or breakDatabase breaks what it does not use';
  }
  if (broken)
    return 'The service may not repeat what is refused: let the error of the database through';
  if (answer === 'refusal' && isSuccess) {
    return 'Middleware decodes or parses the body, or the handler does not parse it by this package';
  }
  if (answer === 'refusal')
    return 'The handler throws: keep the body and return, so that 400 is answered';
  return status < 500
    ? (refused ??
        'The order is unknown (see prepare), or a check in front of the handler refuses the request')
    : 'The handler throws: its log says why';
}

/** Runners show a difference between `expected` and `actual`. */
function fail(sent: string, expected: string, actual: string, cause: string): never {
  const message = `${sent}: expected ${expected}, received ${actual}. ${cause}.`;
  throw Object.assign(new Error(message), { expected, actual });
}
