import { quote } from '../internal/quote.js';

/** The part of `AbortSignal` that this package uses, for projects without DOM or Node.js types. */
export interface MinimalSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The runtime's `AbortSignal`, or {@link MinimalSignal} in a project without its types. */
export type DeliverySignal = typeof globalThis extends { AbortSignal: { prototype: infer Own } }
  ? Own
  : MinimalSignal;

/** The source of time for {@link deliver}. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now`. */
  now(): number;
  /** Resolves after this many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: DeliverySignal): Promise<void>;
}

/** The longest delay of a timer, 24 days. A timer with a longer delay fires immediately. */
const LONGEST_MS = 2 ** 31 - 1;

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

/** Throws unless the value is finite. With NaN, retries would never end. */
export function checkTime(name: string, value: number): void {
  if (Number.isFinite(value)) return;
  throw new TypeError(`${name}: expected milliseconds since 1970, received ${quote(value)}`);
}

/**
 * Makes a clock that advances only when `sleep` is called, and then immediately. 24 hours of
 * retries take only as long as the endpoint needs to answer.
 *
 * @param start - Its initial time, in milliseconds since 1970.
 * @throws TypeError if `start` is not a finite number.
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
