import { quote } from '../internal/quote.js';
import {
  type AttemptOptions,
  type DeliveryOutcome,
  type EndpointResponse,
  post,
} from './attempt.js';
import { type Clock, checkTime, type DeliverySignal, systemClock } from './clock.js';

/** When to retry a delivery. */
export interface RetryPolicy {
  /** The time from the start of one attempt to the start of the next, in milliseconds. */
  readonly intervalMs: number;
  /** How long after the start of the first attempt a retry may start, in milliseconds. */
  readonly durationMs: number;
}

/**
 * How the service retries a deposit: every 2 minutes for up to 24 hours, until a delivery succeeds.
 *
 * The service doesn't document whether there is a retry after exactly 24 hours. Here there is, so
 * an endpoint that never succeeds gets 721 attempts: the first one and 720 retries.
 */
export const DEPOSIT_RETRY: RetryPolicy = { intervalMs: 120_000, durationMs: 86_400_000 };

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
  /** A replacement for real time. With a {@link virtualClock}, 24 hours pass immediately. */
  readonly clock?: Clock | undefined;
  /** Aborts the delivery. The attempts so far are returned. */
  readonly signal?: DeliverySignal | undefined;
  /** Called after each attempt. */
  readonly onAttempt?: ((attempt: DeliveryAttempt) => void) | undefined;
}

/** An attempt and its outcome: an `answer`, or an `error` if there was no answer. */
export type DeliveryAttempt = DeliveryOutcome & {
  /** The number of the copy: 1 to `copies`. */
  readonly copy: number;
  /** The number of the attempt at this copy: 1 for the first, 2 for the first retry. */
  readonly number: number;
  /** When the attempt started, according to `clock`. */
  readonly at: Date;
  /** How long the attempt took, according to `clock`. */
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
 *   clock: virtualClock(),
 * });
 * ```
 */
export async function deliver(
  body: string | Uint8Array,
  options: DeliverOptions,
): Promise<Delivery> {
  check(body, options);
  const { signal } = options;
  // One listener for all copies: with a dozen listeners on a signal, Node.js warns of a leak.
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    return await repeat(body, options, controller.signal);
  } finally {
    // If a function of the caller threw, this stops the other copies.
    stop();
    signal?.removeEventListener('abort', stop);
  }
}

async function repeat(
  body: string | Uint8Array,
  options: DeliverOptions,
  signal: DeliverySignal,
): Promise<Delivery> {
  const { retry = null, clock = systemClock, copies = 1, isSuccess = isOk, onAttempt } = options;
  const attempts: DeliveryAttempt[] = [];
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  const requests = new Set<Promise<DeliveryOutcome>>();

  const attempt = async (copy: number, number: number): Promise<boolean> => {
    const at = clock.now();
    const request = post(body, options, stopped);
    requests.add(request);
    const outcome = await request;
    requests.delete(request);
    const success = outcome.answer !== null && isSuccess(outcome.answer);
    const durationMs = clock.now() - at;
    const ended = { copy, number, at: new Date(at), durationMs, success, ...outcome };
    attempts.push(ended);
    onAttempt?.(ended);
    return success;
  };

  const start = clock.now();
  checkTime('clock.now()', start);
  const pauses = new Map<number, Promise<void>>();
  // All copies share one pause per round, so that a custom clock advances once per round. The pause
  // starts when all pending requests have ended, or the interval is over.
  const pauseUntil = async (until: number): Promise<void> => {
    const ended = new AbortController();
    Promise.all(requests).then(() => ended.abort());
    await systemClock.sleep(until - clock.now(), ended.signal);
    const left = until - clock.now();
    // A slow request may have taken longer than the interval.
    if (left > 0) await clock.sleep(left, signal);
  };

  const deliverCopy = async (copy: number): Promise<boolean> => {
    // Counts intervals since the start, so that slow answers don't shift the schedule.
    let slot = 0;
    for (let number = 1; !signal.aborted; number += 1) {
      if (await attempt(copy, number)) return true;
      if (retry === null || signal.aborted) return false;
      const { intervalMs, durationMs } = retry;
      slot = Math.max(slot + 1, Math.ceil((clock.now() - start) / intervalMs));
      if (slot * intervalMs > durationMs) return false;
      const pause = pauses.get(slot) ?? pauseUntil(start + slot * intervalMs);
      pauses.set(slot, pause);
      await Promise.race([pause, stopped]);
    }
    return false;
  };

  const outcomes = await Promise.all(
    Array.from({ length: copies }, (_, index) => deliverCopy(index + 1)),
  );
  return { delivered: outcomes.every(Boolean), aborted: signal.aborted, attempts };
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
  const { intervalMs, durationMs } = retry ?? DEPOSIT_RETRY;
  for (const [name, value] of Object.entries({ timeoutMs, intervalMs, durationMs })) {
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
  const shown = text === undefined ? 'nothing' : `"${text}"`;
  const received = isSecret ? 'a hidden value that may contain a password' : shown;
  return `expected an http or https URL, received ${received}`;
}
