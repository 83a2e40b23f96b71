import type { DepositReceived } from '../parser/deposit-received.js';
import { describe } from '../parser/messages.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { checkTime } from '../shared/deadline.js';
import { checkNames } from '../shared/options.js';
import { type ReceiverAnswer, successOf } from './answer.js';
import type { LogEntry } from './log.js';
import type { Store } from './store.js';

/** What a receiver passes along with a notification. */
export interface DeliveryContext {
  /** The event's `idempotencyKey`: the same for every delivery. */
  readonly key: string;
  /** The raw body. Drivers that need a `Buffer` take `Buffer.from(body)`. */
  readonly body: Uint8Array;
}

/**
 * Settles an event. It is called for every delivery.
 *
 * If it returns, the event is settled. If it throws `NeedsReview`, the body is saved for someone to
 * decide. If it throws anything else, the body is saved and tried again.
 *
 * What it returns is ignored, except an object with `ok: false`, such as a failed response of
 * `fetch`: that counts as an error.
 */
export type Settle<T> = (notification: T, context: DeliveryContext) => Promise<unknown>;

/**
 * The secret, the store and the functions of a receiver.
 *
 * For an endpoint that receives only one type of notification, omit the other type's function. The
 * receiver then refuses that type.
 */
export interface ReceiverOptions {
  /**
   * The last segment of the callback URL's path, which only you and the service know: at least 16
   * letters, digits or any of `-._~`. While you change it, a list of the old one and the new one.
   *
   * Any other URL is answered with 404, and its body isn't read. A query and one trailing slash are
   * ignored. Pass null only if something that knows a secret or a signature checks who calls. A
   * list of addresses is not enough.
   */
  readonly secret: string | readonly string[] | null | undefined;
  /**
   * Where bodies wait that can't be settled: `createStore('webhooks')`, or your own.
   *
   * With null, nothing is saved. An event that needs review is then answered with 500.
   */
  readonly store: Store | null;
  /** Settles a deposit. Insert the key and credit the amount in one transaction. */
  readonly onDepositReceived?: Settle<DepositReceived> | undefined;
  /** Settles a withdrawal. Insert the key and debit the amount in one transaction. */
  readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
  /**
   * The answer to an event that is settled or saved for review. Default: 200 `ok`. The service
   * doesn't document which statuses count as success.
   */
  readonly success?: Partial<ReceiverAnswer> | undefined;
  /**
   * Logs what became of each body. If it throws, the answer is the same. Default: prints a line
   * unless the event is settled.
   */
  readonly log?: ((entry: LogEntry) => unknown) | undefined;
  /**
   * Whether a body is saved in `retry` before its function is called, and removed afterwards.
   * Default: false.
   *
   * A process that is killed has not answered the bodies on which it works. The service repeats a
   * deposit, but maybe not a withdrawal. With this, another process settles them.
   */
  readonly saveFirst?: boolean | undefined;
  /**
   * How long an answer may take in milliseconds, reading the body included. Then the receiver saves
   * the body, and answers 500. Default: 25,000.
   *
   * A function that is late isn't stopped, but what it returns changes nothing. Until it ends, its
   * event isn't passed on again.
   */
  readonly timeoutMs?: number | undefined;
}

const FUNCTIONS = ['onDepositReceived', 'onWithdrawalBroadcast'] as const;

/** @throws TypeError if an option is missing, can't be used, or would be ignored. */
export function checkOptions(options: ReceiverOptions): void {
  if (!options?.onDepositReceived && !options?.onWithdrawalBroadcast) {
    throw new TypeError(
      'options: expected onDepositReceived or onWithdrawalBroadcast, received neither',
    );
  }
  for (const name of [...FUNCTIONS, 'log'] as const) checkFunction(name, options[name]);
  // The options may be an object of a class, which has other fields as well.
  checkNames(
    Object.keys(options).filter((name) => /^on[A-Z]/.test(name)),
    FUNCTIONS,
  );
  checkStore(options.store);
  successOf(options.success);
  checkTime('timeoutMs', options.timeoutMs);
}

function checkStore(store: Store | null): void {
  if (store === null) return;
  if (typeof store !== 'object') {
    throw new TypeError(
      `store: expected a store, received ${describe(store)}. Pass createStore('webhooks'), or null to save nothing`,
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
