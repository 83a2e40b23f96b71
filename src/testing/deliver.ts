import { quote } from '../internal/issues.js';
import {
  type AttemptOptions,
  type DeliveryOutcome,
  type EndpointResponse,
  post,
} from './attempt.js';
import { type Clock, checkTime, type DeliverySignal, systemClock } from './clock.js';

/** When a delivery is tried again. */
export interface RetryPolicy {
  /** From the start of one attempt to the start of the next, in milliseconds. */
  readonly intervalMs: number;
  /** How long after the start of the first attempt another may begin, in milliseconds. */
  readonly durationMs: number;
}

/**
 * How the service retries a deposit: every 2 minutes for up to 24 hours, until a delivery succeeds.
 *
 * Whether a retry falls on the 24th hour itself is undocumented. Here it does: an endpoint
 * that never succeeds gets 721 deliveries, the first one and 720 retries.
 */
export const DEPOSIT_RETRY: RetryPolicy = { intervalMs: 120_000, durationMs: 86_400_000 };

/** How {@link deliver} delivers. */
export interface DeliverOptions extends AttemptOptions {
  /**
   * When to try again: {@link DEPOSIT_RETRY} to do as the service does with a deposit. By default null:
   * one attempt only.
   */
  readonly retry?: RetryPolicy | null | undefined;
  /** How many copies are sent at once, each retried independently of the others: 1 by default. */
  readonly copies?: number | undefined;
  /** What counts as success, which is undocumented: by default a status of 200 to 299. */
  readonly isSuccess?: ((answer: EndpointResponse) => boolean) | undefined;
  /** Real time by default; a {@link virtualClock} lets 24 hours pass at once. */
  readonly clock?: Clock | undefined;
  /** Stops the delivery: nothing further is sent, and what was sent so far is returned. */
  readonly signal?: DeliverySignal | undefined;
  /** Called with each attempt as it ends. */
  readonly onAttempt?: ((attempt: DeliveryAttempt) => void) | undefined;
}

/** One request and its outcome: an `answer`, or the `error` that prevented one. */
export type DeliveryAttempt = DeliveryOutcome & {
  /** Which copy: 1 to `copies`. */
  readonly copy: number;
  /** Which attempt at this copy: 1 for the first, 2 for the first retry. */
  readonly number: number;
  /** When it began, by the clock. */
  readonly at: Date;
  /** How long it took, by the clock. */
  readonly durationMs: number;
  readonly success: boolean;
};

/** What came of a delivery. */
export interface Delivery {
  /** Whether every copy was answered with success. */
  readonly delivered: boolean;
  /** Whether the signal stopped it. */
  readonly aborted: boolean;
  /** Every attempt, in the order in which they ended. */
  readonly attempts: readonly DeliveryAttempt[];
}

/**
 * Delivers a body as the service does: an HTTP POST of JSON, once or, with `retry`, until it succeeds.
 * Redirects are not followed; they are answers without success.
 *
 * Method, headers, timeout and what counts as success are undocumented. All but the method can be changed.
 *
 * @param body - Text as it is, or bytes.
 * @param options - The endpoint, and what differs from the service's behaviour.
 * @returns Every attempt, and whether the body was delivered. A failed attempt is no exception.
 * @throws TypeError or RangeError for a body that is neither text nor bytes, or options that make no sense.
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
  // One listener for all copies: with a dozen of them on one signal, Node warns of a leak.
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    return await repeat(body, options, controller.signal);
  } finally {
    // If a function of the caller's has thrown, the other copies must not go on.
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
  // All copies share one pause a round. It begins when the requests under way have ended, or the interval is
  // over: so a clock of the caller's own moves once a round.
  const pauseUntil = async (until: number): Promise<void> => {
    const ended = new AbortController();
    Promise.all(requests).then(() => ended.abort());
    await systemClock.sleep(until - clock.now(), ended.signal);
    const left = until - clock.now();
    // A slow request may have taken longer than the interval.
    if (left > 0) await clock.sleep(left, signal);
  };

  const deliverCopy = async (copy: number): Promise<boolean> => {
    // Counted in intervals since the start, so that slow answers don't shift the schedule.
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
  // By the tag, since a test runner's bytes may come from another realm.
  const tag = Object.prototype.toString.call(body);
  if (typeof body !== 'string' && !/^\[object (?:Uint8Array|ArrayBuffer)\]$/.test(tag)) {
    throw new TypeError(`body: expected text or bytes, received ${quote(body)}`);
  }
  const reason = urlErrorOf(url);
  if (reason !== null) throw new TypeError(`url: ${reason}`);
  if (!Number.isSafeInteger(copies) || copies < 1) {
    throw new RangeError(`copies: expected a whole number from 1, received ${quote(copies)}`);
  }
  const { intervalMs, durationMs } = retry ?? DEPOSIT_RETRY;
  for (const [name, value] of Object.entries({ timeoutMs, intervalMs, durationMs })) {
    if (!(value > 0)) throw new RangeError(`${name}: expected more than 0, received ${value}`);
  }
}

/** Why an address can't be posted to; null if it can. */
export function urlErrorOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  // fetch refuses them. The address is not repeated: a password must not get into a log.
  if (url !== null && url.username + url.password !== '') {
    return 'expected an address without user name and password';
  }
  if (url !== null && /^https?:$/.test(url.protocol)) return null;
  const isSecret = String(text).includes('@');
  const received = isSecret ? 'text that may hold a password: it is not shown' : `"${text}"`;
  return `expected an http or https address, received ${received}`;
}
