import type { NotificationType } from '../parser/errors.js';
import { quote } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Decimal } from '../parser/values/amount.js';
import type { AttemptOptions } from './attempt.js';
import type { DepositReceivedOverrides, WithdrawalBroadcastOverrides } from './bodies.js';
import { urlErrorOf } from './deliver.js';
import { SAMPLES } from './sample.js';

/** What a handler credits or debits for a notification. */
export interface HandlerAmount {
  readonly currency: string;
  /** Never negative; null if the handler holds the notification for review. */
  readonly amount: Decimal | null;
}

/** A part of a handler's database that the tests break: its balances, or its idempotency keys. */
export type DatabasePart = 'balances' | 'keys';

/** The options of `handlerTests`: your handler and its database. */
export interface HandlerTestsOptions extends Omit<AttemptOptions, 'url'> {
  /**
   * The URL of the endpoint, or a function that returns it if the server starts after the tests are
   * made.
   */
  readonly url: string | undefined | (() => string);
  /**
   * Returns all credits minus all debits so far in a currency, as decimal text: `SELECT
   * sum(amount)::text`. Null means zero. Leave out what is only reserved. If the handler settles
   * after it answers, wait here until it has.
   */
  readonly balance: (currency: string) => Promise<string | Decimal | null>;
  /**
   * Returns how many bodies wait for review: `SELECT count(*)`. Null leaves out the tests that
   * nothing is lost.
   */
  readonly kept: (() => Promise<number | bigint | string>) | null;
  /**
   * Makes each change of the balances fail, or each insert of a key, such as by a trigger. All else
   * still works. Returns a function that mends it. If both are in one table, break that table. Null
   * leaves out the tests of a failing database.
   */
  readonly breakDatabase: ((part: DatabasePart) => Promise<() => Promise<unknown>>) | null;
  /**
   * Called once in a test, with one notification for each order. Insert these orders, all for one
   * customer, and fund the withdrawals.
   */
  readonly prepare?: ((notifications: readonly PaymentNotification[]) => Promise<void>) | undefined;
  /** The only type that the endpoint receives (default: both). */
  readonly receives?: NotificationType | undefined;
  /**
   * Returns what your handler credits or debits, rounded as it rounds, or null if it holds the
   * notification for review. By default, that is `actualDepositAmount` in `depositCurrency`, and
   * `actualWithdrawAmount` in `withdrawCurrency`. The tests never expect a FAILED or BLOCKED
   * withdrawal to move anything.
   */
  readonly amountOf?: ((notification: PaymentNotification) => HandlerAmount) | undefined;
  /**
   * Returns fields that your handler needs in a deposit, such as a `clientPaymentId` that is a
   * number (default: a UUID). Each event has its own seed. The tests set the amounts.
   */
  readonly deposit?: ((seed: number) => DepositReceivedOverrides) | undefined;
  /**
   * Returns fields that your handler needs in a withdrawal, as `deposit` does. The tests also set
   * `status`.
   */
  readonly withdrawal?: ((seed: number) => WithdrawalBroadcastOverrides) | undefined;
}

/** What an option may be, in words and as a test; and what to do otherwise. */
type Kind = readonly [expected: string, fits: (value: unknown) => boolean, advice?: string];

const isFunction = (value: unknown): boolean => typeof value === 'function';
const ANYTHING: Kind = ['', () => true];
const OPTIONAL: Kind = ['a function', (value) => value === undefined || isFunction(value)];
const orNull = (advice: string): Kind => [
  'a function, or null to leave out its tests',
  (value) => value === null || isFunction(value),
  advice,
];

const KINDS: Readonly<Record<keyof HandlerTestsOptions, Kind>> = {
  url: ANYTHING,
  balance: ['a function', isFunction, 'It returns credits minus debits in a currency'],
  kept: orNull('It returns how many bodies wait for review'),
  breakDatabase: orNull('It makes one part of the database fail, and returns what mends it'),
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
  const reason = typeof options.url === 'function' ? null : urlErrorOf(options.url);
  if (reason !== null) throw new TypeError(`url: ${reason}`);
  const known = Object.keys(KINDS);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`unknown option "${unknown}". The options are ${known.join(', ')}`);
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, [expected, fits, advice]] of Object.entries(KINDS)) {
    if (fits(given[name])) continue;
    const message = `${name}: expected ${expected}, received ${quote(given[name])}`;
    throw new TypeError([message, advice].filter(Boolean).join('. '));
  }
}
