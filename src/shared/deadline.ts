import { quote } from '../parser/messages.js';

/** The longest time that `setTimeout` can wait, in milliseconds. A longer one ends at once. */
export const MAX_TIME: number = 2 ** 31 - 1;

/** What {@link within} resolves to at its deadline. */
export const LATE: unique symbol = Symbol('late');

/** Throws for a time that `setTimeout` would take for one millisecond. */
export function checkTime(name: string, time: number | undefined): void {
  if (time !== undefined && !(typeof time === 'number' && time >= 1 && time <= MAX_TIME)) {
    throw new RangeError(
      `${name}: expected 1 to ${MAX_TIME} milliseconds, received ${quote(time)}`,
    );
  }
}

/**
 * Ends like the work, or resolves to `LATE` at the deadline. Its timer keeps the process running,
 * because there may be a body to save then.
 */
export function within<T>(time: number, work: Promise<T>): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(LATE), time);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Returns an error that names what is late. */
export function lateError(name: string, time: number): Error {
  const shown = time % 1000 === 0 ? `${time / 1000} s` : `${time} ms`;
  return new Error(`${name}: no result within ${shown}`);
}
