import { quote } from '../parser/messages.js';

/** The longest time that `setTimeout` can wait, in milliseconds. A longer one ends at once. */
export const MAX_TIME: number = 2 ** 31 - 1;

/** What {@link within} resolves to at its deadline. */
export const LATE: unique symbol = Symbol('late');

// While something blocks the event loop, bodies and results arrive, but the loop runs timers before
// it reads them. So a deadline waits for a few more turns of the loop, however long each takes.
const TURNS = 5;
const TURN = 10;
/** How long a deadline waits once more, in milliseconds. */
export const LAST_TURNS: number = TURNS * TURN;

/** Throws for a time that `setTimeout` would take for one millisecond. */
export function checkTime(name: string, time: number | undefined): void {
  if (time !== undefined && !(typeof time === 'number' && time >= 1 && time <= MAX_TIME)) {
    throw new RangeError(
      `${name}: expected 1 to ${MAX_TIME} milliseconds, received ${quote(time)}`,
    );
  }
}

/** A deadline that several steps share. */
export interface Deadline {
  /** Ends like the work, or resolves to `LATE` at the deadline. */
  readonly race: <T>(work: Promise<T>) => Promise<T | typeof LATE>;
  /** Ends like the work, or rejects with an error that names the step. */
  readonly before: <T>(step: string, work: Promise<T>) => Promise<T>;
  /** The error of a step that is late. */
  readonly lateError: (step: string) => Error;
  /** Without this, its timer would keep the process running. */
  readonly end: () => void;
}

/** Its timer keeps the process running, because there may be a body to save at the deadline. */
export function createDeadline(time: number): Deadline {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<typeof LATE>((resolve) => {
    const turn = (left: number): void => {
      if (left === 0) resolve(LATE);
      else timer = setTimeout(turn, TURN, left - 1);
    };
    timer = setTimeout(turn, time, TURNS);
  });
  const race = <T>(work: Promise<T>) => Promise.race([work, over]);
  return {
    race,
    async before(step, work) {
      const result = await race(work);
      if (result === LATE) throw lateError(step, time);
      return result;
    },
    lateError: (step) => lateError(step, time),
    end: () => clearTimeout(timer),
  };
}

/** Ends like the work, or resolves to `LATE` at its own deadline. */
export async function within<T>(time: number, work: Promise<T>): Promise<T | typeof LATE> {
  const deadline = createDeadline(time);
  try {
    return await deadline.race(work);
  } finally {
    deadline.end();
  }
}

/** Returns an error that names what is late. With a code, it isn't logged like a bug. */
export function lateError(name: string, time: number): Error {
  const shown = time % 1000 === 0 ? `${time / 1000} s` : `${time} ms`;
  return Object.assign(new Error(`${name}: no result within ${shown}`), { code: 'ETIMEDOUT' });
}
