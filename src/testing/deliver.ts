import { quote } from '../parser/messages.js';
import { hideLongSegments } from '../shared/redact.js';
import {
  type AttemptOptions,
  type DeliveryOutcome,
  type EndpointResponse,
  post,
  sleep,
} from './attempt.js';

/** When to retry a delivery. */
export interface RetryPolicy {
  /** The time from the start of one attempt to the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** How long after the start of the first attempt a retry may start, in milliseconds. */
  readonly forMs: number;
}

/**
 * How the service retries a deposit: every 2 minutes for up to 24 hours, until a delivery succeeds.
 *
 * The service doesn't document whether there is a retry after exactly 24 hours. Here there is, so
 * an endpoint that never succeeds gets 721 attempts: the first one and 720 retries.
 */
export const DEPOSIT_RETRY: RetryPolicy = { everyMs: 120_000, forMs: 86_400_000 };

/** The options of {@link deliver}. */
export interface DeliverOptions extends AttemptOptions {
  /**
   * When to retry. {@link DEPOSIT_RETRY} retries as the service does. By default (null), there is
   * one attempt.
   */
  readonly retry?: RetryPolicy | null | undefined;
  /** How many copies to send at the same time (default: 1). Each copy is retried independently. */
  readonly copies?: number | undefined;
  /**
   * Decides which answers count as success (default: status 200 to 299). The service doesn't
   * document which do.
   */
  readonly isSuccess?: ((answer: EndpointResponse) => boolean) | undefined;
  /**
   * Retries without waiting (default: false), so that 24 hours of retries take only as long as the
   * endpoint needs to answer.
   */
  readonly skipWaits?: boolean | undefined;
  /** An `AbortSignal`, which aborts the delivery. The attempts so far are returned. */
  readonly signal?:
    | {
        readonly aborted: boolean;
        addEventListener(type: 'abort', listener: () => void): void;
        removeEventListener(type: 'abort', listener: () => void): void;
      }
    | undefined;
  /** Called after each attempt. */
  readonly onAttempt?: ((attempt: DeliveryAttempt) => void) | undefined;
}

/** An attempt and its outcome: an `answer`, or an `error` if there was no answer. */
export type DeliveryAttempt = DeliveryOutcome & {
  /** The number of the copy: 1 to `copies`. */
  readonly copy: number;
  /** The number of the attempt at this copy: 1 for the first, 2 for the first retry. */
  readonly number: number;
  /** When the attempt started. With `skipWaits`, when it would have started. */
  readonly at: Date;
  readonly durationMs: number;
  readonly success: boolean;
};

/** The result of {@link deliver}. */
export interface Delivery {
  /** Whether every copy was delivered. */
  readonly delivered: boolean;
  /** Whether `signal` aborted the delivery. */
  readonly aborted: boolean;
  /** All attempts, in the order in which they ended. */
  readonly attempts: readonly DeliveryAttempt[];
}

/**
 * Posts a body as the service does: once or, with `retry`, until it succeeds. Redirects are not
 * followed, and count as failures.
 *
 * The service doesn't document its method, headers, timeout or what counts as success. You can
 * change all of them except the method.
 *
 * @param body - Text or bytes, sent unchanged.
 * @param options - The endpoint, and how to deliver.
 * @returns All attempts, and whether the body was delivered. A failed attempt does not throw.
 * @throws TypeError or RangeError for an invalid body or option.
 *
 * @example
 * ```ts
 * const { delivered, attempts } = await deliver(depositReceivedBody(), {
 *   url: 'http://127.0.0.1:3000/callbacks',
 *   retry: DEPOSIT_RETRY,
 *   skipWaits: true,
 * });
 * ```
 */
export async function deliver(
  body: string | Uint8Array,
  options: DeliverOptions,
): Promise<Delivery> {
  check(body, options);
  const { retry = null, copies = 1, isSuccess = isOk, skipWaits, signal, onAttempt } = options;
  const attempts: DeliveryAttempt[] = [];
  // One listener for all copies: with a dozen listeners on a signal, Node.js warns of a leak.
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const { signal: own } = controller;
  const stopped = new Promise<void>((resolve) => own.addEventListener('abort', () => resolve()));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);

  const deliverCopy = async (copy: number): Promise<boolean> => {
    let skippedMs = 0;
    const now = (): number => Date.now() + skippedMs;
    const start = now();
    // Counts intervals since the start, so that slow answers don't shift the schedule.
    let slot = 0;
    for (let number = 1; !own.aborted; number += 1) {
      const at = now();
      const outcome = await post(body, options, stopped);
      const success = outcome.answer !== null && isSuccess(outcome.answer);
      const durationMs = now() - at;
      const attempt = { copy, number, at: new Date(at), durationMs, success, ...outcome };
      attempts.push(attempt);
      onAttempt?.(attempt);
      if (success || retry === null) return success;
      slot = Math.max(slot + 1, Math.ceil((now() - start) / retry.everyMs));
      if (slot * retry.everyMs > retry.forMs) return false;
      const waitMs = Math.max(0, start + slot * retry.everyMs - now());
      if (skipWaits) skippedMs += waitMs;
      else await sleep(waitMs, stopped);
    }
    return false;
  };

  try {
    const numbers = Array.from({ length: copies }, (_, index) => index + 1);
    const delivered = await Promise.all(numbers.map(deliverCopy));
    return { delivered: delivered.every(Boolean), aborted: own.aborted, attempts };
  } finally {
    // If a function of the caller threw, this stops the other copies.
    stop();
    signal?.removeEventListener('abort', stop);
  }
}

const isOk = ({ status }: EndpointResponse): boolean => status >= 200 && status <= 299;

function check(body: unknown, { url, copies = 1, timeoutMs = 1, retry }: DeliverOptions): void {
  // Not by `instanceof`, because bytes in a test runner may come from another realm.
  const tag = Object.prototype.toString.call(body);
  if (typeof body !== 'string' && !/^\[object (?:Uint8Array|ArrayBuffer)\]$/.test(tag)) {
    throw new TypeError(`body: expected text or bytes, received ${quote(body)}`);
  }
  const reason = urlErrorOf(url);
  if (reason !== null) throw new TypeError(`url: ${reason}`);
  if (!Number.isSafeInteger(copies) || copies < 1) {
    throw new RangeError(
      `copies: expected a whole number of at least 1, received ${quote(copies)}`,
    );
  }
  const { everyMs, forMs } = retry ?? DEPOSIT_RETRY;
  for (const [name, value] of Object.entries({ timeoutMs, everyMs, forMs })) {
    if (!(value > 0)) throw new RangeError(`${name}: expected more than 0, received ${value}`);
  }
}

/** Describes why a URL can't be used; null if it can. */
export function urlErrorOf(text: string | undefined): string | null {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  // fetch rejects a URL with credentials. The message leaves the URL out, so that no password gets
  // into a log.
  if (url !== null && url.username + url.password !== '') {
    return 'expected a URL without user name and password';
  }
  if (url !== null && /^https?:$/.test(url.protocol)) return null;
  const isSecret = String(text).includes('@');
  const shown = text === undefined ? 'nothing' : `"${hideLongSegments(text)}"`;
  const received = isSecret ? 'a hidden value that may contain a password' : shown;
  return `expected an http or https URL, received ${received}`;
}
