import type { Decimal } from '../amount.js';
import type { NotificationType } from '../errors.js';
import { quote } from '../internal/quote.js';
import type { PaymentNotification } from '../notification.js';
import { SAMPLES } from '../wire/sample.js';
import type { AttemptOptions } from './attempt.js';
import type { DepositReceivedOverrides, WithdrawalBroadcastOverrides } from './bodies.js';
import { urlErrorOf } from './deliver.js';

/** What a handler credits or debits for a notification. */
export interface HandlerAmount {
  readonly currency: string;
  /** Never negative; null if the notification doesn't say it. */
  readonly amount: Decimal | null;
}

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
   * Called once in each test, before it sends bodies, with one notification for each order. Insert
   * the orders that they name, and fund the withdrawals.
   */
  readonly prepare?: ((notifications: readonly PaymentNotification[]) => Promise<void>) | undefined;
  /**
   * Makes the statement fail that changes the balance, while the insert of the key still works:
   * rename the table of balances. Returns a function that mends it. Without this option, the tests
   * of a failing database are left out.
   */
  readonly breakDatabase?: (() => Promise<() => Promise<unknown>>) | undefined;
  /** The only type that the endpoint receives (default: both). */
  readonly receives?: NotificationType | undefined;
  /**
   * Returns what your handler credits or debits, rounded as it rounds. By default, that is
   * `actualDepositAmount` in `depositCurrency`, and `actualWithdrawAmount` in `withdrawCurrency`.
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

/** Checks the options before any test runs. */
export function checkOptions(options: HandlerTestsOptions): void {
  const { url, balance, receives } = options;
  const reason = typeof url === 'function' ? null : urlErrorOf(url);
  if (reason !== null) throw new TypeError(`url: ${reason}`);
  const { prepare, breakDatabase, amountOf, deposit, withdrawal } = options;
  const optional = { prepare, breakDatabase, amountOf, deposit, withdrawal };
  for (const [name, value] of Object.entries({ balance, ...optional })) {
    if (typeof value === 'function' || (value === undefined && name !== 'balance')) continue;
    throw new TypeError(`${name}: expected a function, received ${quote(value)}`);
  }
  if (receives !== undefined && !Object.hasOwn(SAMPLES, receives)) {
    const expected = Object.keys(SAMPLES).join(' or ');
    throw new TypeError(`receives: expected ${expected}, received ${quote(receives)}`);
  }
}
