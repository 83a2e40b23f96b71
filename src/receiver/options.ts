import type { DepositReceived } from '../parser/deposit-received.js';
import type { NotificationError, NotificationIssue } from '../parser/errors.js';
import { describe } from '../parser/quote.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { checkTime } from '../shared/deadline.js';
import { checkNames } from '../shared/options.js';
import type { ReceiverAnswer } from './answer.js';

/** What a receiver passes along with a notification. */
export interface DeliveryContext {
  /** The event's `idempotencyKey`: the same for every delivery. */
  readonly key: string;
  /** The raw body. Drivers that need a `Buffer` take `Buffer.from(body)`. */
  readonly body: Uint8Array;
}

/** What a receiver passes along with an error. */
export interface FailureContext {
  /** The event's `idempotencyKey`; null if the body was refused or not read. */
  readonly key: string | null;
  /** The raw body, or the start of one over 64 KiB; null if it was not read to its end. */
  readonly body: Uint8Array | null;
}

// biome-ignore lint/suspicious/noConfusingVoidType: async functions may return Promise<void>.
type MaybeAnswer = ReceiverAnswer | void;

type Settle<T> = (notification: T, context: DeliveryContext) => Promise<MaybeAnswer>;

/**
 * The secret and the functions of a receiver. It answers when a function's promise resolves: with
 * the `status` and `text` that this returns, 200 `ok` by default.
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
   * Settles a deposit. It is called for every delivery, so insert the key and credit the amount in
   * one transaction.
   */
  readonly onDepositReceived?: Settle<DepositReceived> | undefined;
  /**
   * Settles a withdrawal. It is called for every delivery, so insert the key and debit the amount
   * in one transaction.
   */
  readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
  /**
   * Stores a refused body for review. Default answer: 400 and the issue codes.
   *
   * A body over 64 KiB is answered with 413. Of such a body, `node` and `fetch` read only the
   * start.
   */
  readonly onRefused: (
    error: NotificationError,
    context: Pick<DeliveryContext, 'body'>,
  ) => Promise<MaybeAnswer>;
  /**
   * Reports why the answer is 500 or more: one of the functions above has thrown, is late or has
   * returned a failure, or the body could not be read. It may take five seconds.
   *
   * Save the body here. The service repeats a deposit, but maybe not a withdrawal.
   */
  readonly onError: (error: unknown, context: FailureContext) => Promise<void>;
  /** Logs or counts a warning. If it throws, the answer is the same. Default: `console.warn`. */
  readonly onWarning?: ((issue: NotificationIssue, context: DeliveryContext) => void) | undefined;
  /**
   * How long an answer may take in milliseconds, reading the body included. Then the receiver calls
   * `onError`, and answers 500. Default: 25,000.
   *
   * A function that is late isn't stopped, but what it returns changes nothing. Until it ends, its
   * event isn't passed on again.
   */
  readonly timeoutMs?: number | undefined;
}

const FUNCTIONS = [
  'onDepositReceived',
  'onWithdrawalBroadcast',
  'onRefused',
  'onError',
  'onWarning',
] as const;

/** @throws TypeError if a function is missing, is none, or would never be called. */
export function checkOptions(options: ReceiverOptions): void {
  if (!options?.onDepositReceived && !options?.onWithdrawalBroadcast) {
    throw new TypeError(
      'options: expected onDepositReceived or onWithdrawalBroadcast, received neither',
    );
  }
  for (const name of ['onRefused', 'onError'] as const) {
    if (!options[name]) throw new TypeError(`options: expected ${name}, received none`);
  }
  for (const name of FUNCTIONS) {
    const given: unknown = options[name];
    if (given !== undefined && typeof given !== 'function') {
      throw new TypeError(`${name}: expected a function, received ${describe(given)}`);
    }
  }
  // The options may be an object of a class, which has other fields as well.
  checkNames(
    Object.keys(options).filter((name) => /^on[A-Z]/.test(name)),
    FUNCTIONS,
  );
  checkTime('timeoutMs', options.timeoutMs);
}
