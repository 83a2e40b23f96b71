import type { DepositReceived } from '../../parser/deposit-received.js';
import type { NotificationType } from '../../parser/errors.js';
import { quote } from '../../parser/messages.js';
import type { PaymentNotification } from '../../parser/notification.js';
import { Decimal } from '../../parser/values/amount.js';
import { isDecimalLiteral } from '../../parser/values/digits.js';
import type { WithdrawalCompleted } from '../../parser/withdrawal-broadcast.js';
import { checkNames } from '../../shared/options.js';
import { messageOf } from '../../shared/thrown.js';
import type { DepositReceivedOverrides, WithdrawalBroadcastOverrides } from '../bodies.js';
import { checkDeliverOptions, type DeliverOptions } from '../deliver.js';
import { SAMPLES } from '../sample.js';

/** What a handler credits or debits for a notification. */
export interface HandlerAmount {
  readonly currency: string;
  /** Never negative. Null if the handler saves the webhook for review. */
  readonly amount: Decimal | null;
}

/** A part of a handler's database that the tests break: its balances, or its idempotency keys. */
export type DatabasePart = 'balances' | 'keys';

/** The options of `handlerTests`: your handler and its database. */
export interface HandlerTestsOptions extends Omit<DeliverOptions, 'url' | 'copies'> {
  /** The URL of the endpoint, or a function that returns it once the server has started. */
  readonly url: string | undefined | (() => string);
  /**
   * The secret in `url` (default: the last part of its path or query that has at least 16
   * characters). Null leaves out the test of a wrong secret, for an endpoint whose proxy checks who
   * calls, or that checks a signature.
   */
  readonly secret?: string | null | undefined;
  /**
   * Returns all credits minus all debits so far in a currency, as decimal text: `SELECT
   * sum(amount)::text`. Null means zero. Don't count reservations. If you use a queue, wait until
   * it is empty.
   */
  readonly balance: (currency: string) => Promise<string | Decimal | null>;
  /**
   * Returns how many webhooks wait for review: `SELECT count(*)`. Null skips the checks for lost
   * webhooks.
   */
  readonly kept: (() => Promise<number | bigint | string>) | null;
  /**
   * Makes writes to one part of the database fail, for example with a trigger, and returns a
   * function that repairs that part. Everything else must still work. If both parts are in one
   * table, break that table. Null skips the tests of a failing database.
   */
  readonly breakDatabase: ((part: DatabasePart) => Promise<() => unknown>) | null;
  /**
   * Inserts an order for each of these notifications. Each call has new orders. All orders belong
   * to one customer. Give the customer enough balance for the withdrawals.
   */
  readonly prepare?: ((notifications: readonly PaymentNotification[]) => Promise<void>) | undefined;
  /** The only type that the endpoint receives (default: both). */
  readonly receives?: NotificationType | undefined;
  /**
   * Returns the amount that your handler credits or debits, with its rounding. By default, that is
   * `actualDepositAmount` in `depositCurrency`, and `actualWithdrawAmount` in `withdrawCurrency`.
   * For a notification that your handler saves for review, return `amount: null`. A FAILED or
   * BLOCKED withdrawal must never move anything.
   */
  readonly amountOf?:
    | ((notification: DepositReceived | WithdrawalCompleted) => HandlerAmount)
    | undefined;
  /**
   * Returns fields that your handler needs in a deposit, such as a `clientPaymentId` that is a
   * number (default: a UUID). Each event has its own seed. The tests set the amounts.
   */
  readonly deposit?: ((seed: number) => DepositReceivedOverrides) | undefined;
  /** Returns fields that your handler needs in a withdrawal. The tests also set `status`. */
  readonly withdrawal?: ((seed: number) => WithdrawalBroadcastOverrides) | undefined;
}

/** What an option may be, and a test for it. */
type Kind = readonly [expected: string, fits: (value: unknown) => boolean];

const isFunction = (value: unknown): boolean => typeof value === 'function';
const ANYTHING: Kind = ['', () => true];
const OPTIONAL: Kind = ['a function', (value) => value === undefined || isFunction(value)];
const OR_NULL: Kind = [
  'a function, or null to skip its tests',
  (value) => value === null || isFunction(value),
];

const KINDS: Readonly<Record<keyof HandlerTestsOptions, Kind>> = {
  url: ANYTHING,
  secret: [
    'the secret in url, or null to skip its test',
    (value) => value == null || (typeof value === 'string' && value !== ''),
  ],
  balance: ['a function', isFunction],
  kept: OR_NULL,
  breakDatabase: OR_NULL,
  prepare: OPTIONAL,
  receives: [
    'deposit.received or withdrawal.broadcast',
    (value) => value === undefined || Object.hasOwn(SAMPLES, `${value}`),
  ],
  amountOf: OPTIONAL,
  deposit: OPTIONAL,
  withdrawal: OPTIONAL,
  headers: ANYTHING,
  timeoutMs: ANYTHING,
  fetch: OPTIONAL,
};

/** Checks the options before any test runs. */
export function checkOptions(options: HandlerTestsOptions): void {
  const { url, headers, timeoutMs } = options;
  // A function returns the URL once the server has started.
  const known = typeof url === 'function' ? 'http://localhost' : url;
  checkDeliverOptions({ url: known as string, headers, timeoutMs });
  checkNames(Object.keys(options), Object.keys(KINDS));
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, [expected, fits]] of Object.entries(KINDS)) {
    if (fits(given[name])) continue;
    throw new TypeError(`${name}: expected ${expected}, received ${quote(given[name])}`);
  }
}

/** Calls an option. An error names the option. */
export async function callOption<T>(name: string, option: () => Promise<T>): Promise<T> {
  try {
    return await option();
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** Breaks a part of the database, and returns the function that repairs it. */
export async function breakPart(
  { breakDatabase }: HandlerTestsOptions,
  part: DatabasePart,
): Promise<() => unknown> {
  const repair: unknown = await callOption('breakDatabase', async () => breakDatabase?.(part));
  if (typeof repair === 'function') return () => repair();
  throw new TypeError(
    `breakDatabase: expected a function that repairs it, received ${quote(repair)}`,
  );
}

export async function readBalance(
  { balance }: HandlerTestsOptions,
  currency: string,
): Promise<Decimal> {
  const value: unknown = await callOption('balance', () => balance(currency));
  if (value === null) return new Decimal(0);
  const expected = 'balance: expected decimal text, received';
  if (typeof value === 'number') {
    throw new TypeError(
      `${expected} the number ${value}, which may have lost digits. Cast it in the query: sum(amount)::text`,
    );
  }
  // A Decimal of another copy of decimal.js has other settings.
  const text = Decimal.isDecimal(value) ? value.toFixed() : value;
  if (typeof text === 'string' && isDecimalLiteral(text)) return new Decimal(text);
  throw new TypeError(`${expected} ${quote(value)}`);
}

/** How many webhooks wait for review; 0 if that is unknown. */
export async function countKept({ kept }: HandlerTestsOptions): Promise<number> {
  if (!kept) return 0;
  const value: unknown = await callOption('kept', kept);
  // PostgreSQL counts as text, because a count may exceed what a number holds exactly.
  const text = typeof value === 'object' ? '' : String(value);
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new TypeError(`kept: expected a whole number, received ${quote(value)}`);
}
