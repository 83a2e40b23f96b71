import { quote } from '../parser/messages.js';

/** The longest time that `setTimeout` can wait, in milliseconds. A longer one ends at once. */
export const MAX_TIME: number = 2 ** 31 - 1;

const OVER: unique symbol = Symbol('late');

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
  /** Ends like the work. At the deadline, calls `onLate`, and rejects with an error of the step. */
  readonly before: <T>(step: string, work: Promise<T>, onLate?: () => void) => Promise<T>;
  /** Without this, its timer would keep the process running. */
  readonly end: () => void;
}

/** Its timer keeps the process running, because there may be a body to save at the deadline. */
export function createDeadline(time: number): Deadline {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<typeof OVER>((resolve) => {
    const turn = (left: number): void => {
      if (left === 0) resolve(OVER);
      else timer = setTimeout(turn, TURN, left - 1);
    };
    timer = setTimeout(turn, time, TURNS);
  });
  return {
    async before(step, work, onLate) {
      const result = await Promise.race([work, over]);
      if (result !== OVER) return result;
      onLate?.();
      throw lateError(step, time);
    },
    end: () => clearTimeout(timer),
  };
}

/** Ends like the work, or rejects at its own deadline. */
export async function within<T>(time: number, step: string, work: Promise<T>): Promise<T> {
  const deadline = createDeadline(time);
  try {
    return await deadline.before(step, work);
  } finally {
    deadline.end();
  }
}

/** With a code, it isn't logged like a bug. */
function lateError(step: string, time: number): Error {
  const shown = time % 1000 === 0 ? `${time / 1000} s` : `${time} ms`;
  return Object.assign(new Error(`${step}: took longer than ${shown}`), { code: 'ETIMEDOUT' });
}
