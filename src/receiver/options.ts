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

/** What a receiver passes along with a notification. */
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
 * Settles an event. It is called for repeated deliveries as well.
 *
 * - It returns: the event is settled.
 * - It throws `NeedsReview`: the body is saved in `review`, where someone decides.
 * - It throws anything else, or is late: the body is saved in `retry`, and tried again.
 *
 * It returns nothing. Any result counts as an error, because some clients return what failed, in
 * place of throwing it.
 *
 * It may run several times at the same time, also for one event: for copies, and in other
 * processes.
 */
export type Settle<T> = (notification: T, context: DeliveryContext) => void | Promise<void>;

/** The options of a receiver, except `onDepositReceived` and `onWithdrawalBroadcast`. */
export interface ReceiverSettings {
  /**
   * The last segment of the callback URL's path, which only you and the service know: at least 16
   * letters, digits or any of `-._~`. While you change it, pass a list of the old secret and the
   * new one.
   *
   * A request to any other URL is answered with 404, and its body is ignored. A query and one
   * trailing slash are ignored. Pass null only if `verify` checks who calls, or a proxy does: then
   * pass `verify: () => true` as well. A list of IP addresses is not enough.
   */
  readonly secret: string | readonly string[] | null | undefined;
  /**
   * Keeps bodies until they are settled: `createStore('/var/lib/webhooks')`, or your own. Each
   * valid body is saved before its function is called, because the process may be killed, and the
   * service may not send a withdrawal again. If saving fails, that is logged, and the function is
   * called all the same.
   *
   * With null, nothing is saved. An event that needs review is then answered with 500.
   */
  readonly store: Store | null;
  /**
   * Checks a signature over the raw body, or a header of your proxy. Returns whether the sender is
   * the service. If it returns false, the answer is 401. If it throws or returns anything else, the
   * answer is 500. In all these cases, nothing is saved.
   *
   * It isn't called for a body from a queue or the store.
   */
  readonly verify?: ((input: VerifyInput) => boolean | Promise<boolean>) | undefined;
  /**
   * The answer to an event that is settled or saved for review. Default: 200 `ok`. The service
   * doesn't document which statuses count as success.
   */
  readonly success?: Partial<ReceiverAnswer> | undefined;
  /**
   * Logs what became of each body. If it throws, the answer is the same. Unless the event is
   * settled, an answer waits up to five seconds until its outcome is logged. By default, nothing is
   * printed for a settled event. For anything else, a line is printed to standard error, with the
   * stack of an error that may be a bug.
   */
  readonly log?: ((entry: LogEntry) => unknown) | undefined;
  /**
   * How long an answer may take in milliseconds, reading the body included. Default: 25,000. Once
   * this time is over, the receiver saves the body if it has been read and verified, logs, and
   * answers 500. A store or a log that hangs gets five more seconds each. Receivers that share a
   * store need the same time, because each takes over what is in `progress` for longer.
   *
   * A function that is late isn't stopped, but what it returns changes nothing. Until it ends, this
   * receiver doesn't pass its event on again.
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
        /** Settles a deposit. Insert the key and credit the amount in one transaction. */
        readonly onDepositReceived: Settle<DepositReceived>;
        /** Settles a withdrawal. Insert the key and debit the amount in one transaction. */
        readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
      }
    | {
        readonly onDepositReceived?: Settle<DepositReceived> | undefined;
        readonly onWithdrawalBroadcast: Settle<WithdrawalBroadcast>;
      }
  );

const FUNCTIONS = ['onDepositReceived', 'onWithdrawalBroadcast'] as const;
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
