import { MAX_STORING } from '../receiver/store.js';
import { within } from '../shared/deadline.js';

/**
 * How many calls use the disk at a time. Node.js has four threads for files, the names of hosts and
 * SHA-256: if a disk hangs, the others must still find the database. And after a restart, hundreds
 * of bodies may arrive at once, of which the first would otherwise wait for the last.
 */
const MAX_CALLS = 2;

/**
 * Creates a function that runs calls, a few at a time and the others in order. If one hangs, no
 * other begins until it has ended: those that wait for their turn are rejected.
 */
export function createTurns(): <T>(call: () => Promise<T>) => Promise<T> {
  let running = 0;
  let hanging = 0;
  const waiting: { readonly begin: () => void; readonly fail: (error: Error) => void }[] = [];
  const hangs = () =>
    Object.assign(new Error('an earlier call still hangs'), { code: 'ETIMEDOUT' });

  async function watch(called: Promise<unknown>): Promise<void> {
    const ended = called.catch(() => {});
    try {
      await within(MAX_STORING, 'a call', ended);
    } catch {
      hanging += 1;
      for (const { fail } of waiting.splice(0)) fail(hangs());
      await ended;
      hanging -= 1;
    }
    // The turn goes on to the next call, so that none comes between.
    const next = waiting.shift();
    if (next) next.begin();
    else running -= 1;
  }

  return async (call) => {
    if (hanging > 0) throw hangs();
    if (running < MAX_CALLS) running += 1;
    else await new Promise<void>((begin, fail) => waiting.push({ begin, fail }));
    const called = call();
    watch(called);
    return called;
  };
}
