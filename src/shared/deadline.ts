import { quote } from '../parser/messages.js';

/** The longest time that `setTimeout` can wait, in milliseconds. */
const MAX_TIME = 2 ** 31 - 1;

/** Checks a time before `setTimeout` takes it for one millisecond. */
export function checkTime(name: string, time: number | undefined): void {
  if (time !== undefined && !(typeof time === 'number' && time >= 1 && time <= MAX_TIME)) {
    throw new RangeError(
      `${name}: expected 1 to ${MAX_TIME} milliseconds, received ${quote(time)}`,
    );
  }
}

/**
 * Ends like the work, or rejects at the deadline. Its timer keeps the process running, because
 * there may be a body to save then.
 *
 * @param late - Called at the deadline. Returns the name of what is late, for the error.
 */
export function within<T>(time: number, work: Promise<T>, late: () => string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new Error(
          `${late()}: expected a result within ${time} milliseconds, received none. Set a time limit for what it waits for`,
        ),
      );
    }, time);
    const end = () => clearTimeout(timer);
    work.then(resolve, reject).then(end);
  });
}
