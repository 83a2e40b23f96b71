/** What of an `AbortSignal` is needed, where the runtime's own type is not to be had. */
export interface MinimalSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The runtime's `AbortSignal`; a project without DOM and Node types gets the part that is needed. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Own } }
  ? Own
  : MinimalSignal;

/** Time, as {@link deliver} sees it. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now`. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: Signal): Promise<void>;
}

/** The longest wait of a timer: one that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Like `setTimeout`, but for however long. Returns what cancels it. */
export function setTimer(milliseconds: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    const next = (): void => (left > LONGEST_MS ? wait(left - LONGEST_MS) : callback());
    // Node.js warns of a negative delay.
    timer = setTimeout(next, Math.max(0, Math.min(left, LONGEST_MS)));
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = setTimer(milliseconds, wake);
      signal?.addEventListener('abort', wake);
    }),
};

/**
 * A clock that stands still but for sleeping, which takes no time: 24 hours of retries pass as fast
 * as the endpoint answers.
 *
 * @param start - What it shows at first, in milliseconds since 1970.
 */
export function virtualClock(start = 0): Clock {
  let now = start;
  return {
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  };
}
