import type { DepositReceived } from '../parser/deposit-received.js';
import { describe, quote } from '../parser/messages.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { checkTime } from '../shared/deadline.js';
import { checkNames } from '../shared/options.js';
import type { LogEntry } from './log.js';
import type { Store } from './store.js';

/** An answer to the service. */
export interface ReceiverAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Plain text, for logs. The service isn't known to read it. */
  readonly text: string;
}

/** What your function gets in addition to the notification. */
export interface DeliveryContext {
  /** The event's `idempotencyKey`: the same for every delivery. */
  readonly key: string;
  /** The raw body. Drivers that need a `Buffer` take `Buffer.from(body)`. */
  readonly body: Uint8Array;
}

/** What {@link ReceiverSettings.verify} gets. */
export interface VerifyInput {
  /** The raw body, or the start of one over 64 KiB. */
  readonly body: Uint8Array;
  /** Returns a header as one text, whatever the case of its name; null if it is missing. */
  readonly header: (name: string) => string | null;
}

/**
 * Settles an event. The receiver also calls the function for duplicates and retries.
 *
 * The function may run at the same time for the same event: for two copies of a webhook, or in
 * several processes. So insert the key in the transaction that moves the money. A check before the
 * transaction doesn't protect you.
 *
 * - If it returns, the event is settled.
 * - If it throws `NeedsReview`, the webhook is saved in `review`, where someone decides.
 * - If it throws anything else, or takes longer than `timeoutMs`, the webhook is saved in `retry`,
 *   and tried again.
 *
 * Return nothing. Any result counts as an error, because some clients return errors instead of
 * throwing them.
 */
export type Settle<T> = (notification: T, context: DeliveryContext) => void | Promise<void>;

/** The options of a receiver, except `onDepositReceived` and `onWithdrawalBroadcast`. */
export interface ReceiverSettings {
  /**
   * The last segment of the callback URL's path, which only you and the service know: at least 16
   * letters, digits or `-._~`. While you change it, pass a list of the old secret and the new one.
   *
   * A request to any other URL is answered with 404, and its body is ignored. A query and one
   * trailing slash are ignored.
   *
   * Pass null if `verify` checks who calls, or for the worker of a queue. If your proxy checks who
   * calls, pass null and `verify: () => true`. A list of IP addresses is not enough.
   */
  readonly secret: string | readonly string[] | null | undefined;
  /**
   * Saves webhooks until they are settled: `createStore('/var/lib/webhooks')`, or your own. The
   * receiver saves each valid webhook before it calls your function. If the process is killed,
   * another one settles its webhooks. If saving fails, the receiver logs it, and calls your
   * function all the same.
   *
   * With null, nothing is saved. An event that needs review is then answered with 500.
   */
  readonly store: Store | null;
  /**
   * Checks a signature over the raw body, or a header of your proxy. Returns whether the sender is
   * the service. If it returns false, the answer is 401. If it throws or returns anything else, the
   * answer is 500. In all these cases, nothing is saved.
   *
   * It isn't called for a webhook from a queue or the store.
   */
  readonly verify?: ((input: VerifyInput) => boolean | Promise<boolean>) | undefined;
  /**
   * The answer to an event that is settled or saved for review. Default: 200 `ok`. The service
   * doesn't document which statuses count as success.
   */
  readonly success?: Partial<ReceiverAnswer> | undefined;
  /**
   * Logs the outcome of each webhook. If it throws, the answer is the same. The answer waits for it
   * up to five seconds, except if the event is settled.
   *
   * By default, the receiver prints a line to standard error for every entry except `settled`. It
   * also prints the stack of an error that may be a bug.
   */
  readonly log?: ((entry: LogEntry) => unknown) | undefined;
  /**
   * How long an answer may take in milliseconds, including the time to read the body. Default:
   * 25,000. After this time, the receiver saves the webhook if it has been read and verified, logs,
   * and answers 500. If saving or logging hangs, the answer takes five more seconds for each.
   * Receivers that share a store need the same time, because each takes over the webhooks that have
   * been in `progress` for longer.
   *
   * The receiver doesn't stop a function that is late, and ignores its result. Until the function
   * ends, this receiver doesn't call it again for the same event.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * The options of a receiver.
 *
 * For an endpoint that receives only one type of notification, omit the other type's function. The
 * receiver then refuses that type.
 */
export type ReceiverOptions = ReceiverSettings &
  (
    | {
        /**
         * Settles a deposit. Insert the key and credit the amount in one transaction. The function
         * may run at the same time for the same event, so only the key in the transaction decides.
         */
        readonly onDepositReceived: Settle<DepositReceived>;
        /**
         * Settles a withdrawal. Insert the key and debit the amount in one transaction. The
         * function may run at the same time for the same event, so only the key in the transaction
         * decides.
         */
        readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
      }
    | {
        readonly onDepositReceived?: Settle<DepositReceived> | undefined;
        readonly onWithdrawalBroadcast: Settle<WithdrawalBroadcast>;
      }
  );

/** The option with the function of each type. */
export const FUNCTION_OF = {
  'deposit.received': 'onDepositReceived',
  'withdrawal.broadcast': 'onWithdrawalBroadcast',
} as const;
const FUNCTIONS = Object.values(FUNCTION_OF);
const NAMES = [...FUNCTIONS, 'secret', 'store', 'verify', 'success', 'log', 'timeoutMs'];

/**
 * Checks the options except for the secret.
 *
 * @throws TypeError if an option is missing, can't be used, or would be ignored; RangeError if
 * `setTimeout` can't wait for `timeoutMs`.
 */
export function checkReceiverOptions(options: ReceiverOptions): void {
  if (!options?.onDepositReceived && !options?.onWithdrawalBroadcast) {
    throw new TypeError(
      'options: expected onDepositReceived or onWithdrawalBroadcast, received neither',
    );
  }
  for (const name of [...FUNCTIONS, 'log', 'verify'] as const) checkFunction(name, options[name]);
  checkNames(Object.keys(options), NAMES);
  checkStore(options.store);
  successOf(options.success);
  checkTime('timeoutMs', options.timeoutMs);
}

function checkStore(store: Store | null): void {
  if (store === null) return;
  if (typeof store !== 'object') {
    throw new TypeError(
      `store: expected a store, received ${describe(store)}. Pass createStore('/var/lib/webhooks'), or null to save nothing`,
    );
  }
  for (const name of ['save', 'list', 'read', 'remove'] as const) {
    checkFunction(`store.${name}`, store[name] ?? null);
  }
}

function checkFunction(name: string, given: unknown): void {
  if (given !== undefined && typeof given !== 'function') {
    throw new TypeError(`${name}: expected a function, received ${describe(given)}`);
  }
}

/** With these, `Response` and some servers throw if there is a text. */
const WITHOUT_TEXT = [204, 205, 304];

/**
 * Returns the answer to an event that is settled or saved for review.
 *
 * @throws TypeError if no server can send it.
 */
export function successOf(given: Partial<ReceiverAnswer> = {}): ReceiverAnswer {
  const { status = 200, text = 'ok' } = given;
  const canBeSent = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!canBeSent || typeof text !== 'string') {
    throw new TypeError(
      `success: expected a status of 200 to 599 and a text, received ${quote(status)} and ${describe(text)}`,
    );
  }
  return { status, text: WITHOUT_TEXT.includes(status) ? '' : text };
}
