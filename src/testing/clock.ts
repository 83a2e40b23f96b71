import { quote } from '../internal/issues.js';

/** The part of `AbortSignal` that is used here, for projects without DOM or Node.js types. */
export interface MinimalSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The runtime's `AbortSignal`, or the part of it that is used here. */
export type DeliverySignal = typeof globalThis extends { AbortSignal: { prototype: infer Own } }
  ? Own
  : MinimalSignal;

/** Time, as {@link deliver} sees it. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now`. */
  now(): number;
  /** Resolves after this many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: DeliverySignal): Promise<void>;
}

/** The longest wait of a timer, 24 days: one that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      // Node.js warns of a negative delay.
      const timer = setTimeout(wake, Math.max(0, Math.min(milliseconds, LONGEST_MS)));
      signal?.addEventListener('abort', wake);
      if (signal?.aborted) wake();
    }),
};

/** Throws unless the value is finite: with NaN, a schedule of retries would never end. */
export function checkTime(name: string, value: number): void {
  if (Number.isFinite(value)) return;
  throw new TypeError(`${name}: expected milliseconds since 1970, received ${quote(value)}`);
}

/**
 * A clock that advances only when `sleep` is called, and then at once: 24 hours of retries pass as fast as
 * the endpoint answers.
 *
 * @param start - Its initial time, in milliseconds since 1970.
 * @throws TypeError for a start that is not a finite number, e.g. a `Date`.
 */
export function virtualClock(start = 0): Clock {
  checkTime('start', start);
  let now = start;
  return {
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  };
}
