import { messageOf } from '../shared/reports.js';
import type { Busy } from './busy.js';
import type { Handled } from './handle.js';
import type { Log } from './log.js';
import { inTime, type Store } from './store.js';

/**
 * A round ends after this many failures in a row. A database that is down then adds only a few
 * lines to the log in each round.
 */
const MAX_FAILURES = 5;

/** Tries the bodies in `retry` again, in rounds. None of these functions rejects. */
export interface Rounds {
  readonly start: (everyMs: number) => void;
  /** Runs a round, or waits for the running one. */
  readonly run: () => Promise<void>;
  /** Starts no more bodies, and waits for the one in progress. */
  readonly stop: () => Promise<void>;
}

/** @param settle - Settles a body that is saved under this name, and never rejects. */
export function createRounds(
  store: Store,
  settle: (body: Uint8Array, name: string) => Promise<Handled>,
  busy: Busy,
  log: Log,
): Rounds {
  /** How often each body has failed, by name, in the order of the current round. */
  let failures: Failures = new Map();
  let round: Promise<void> | null = null;
  /** Identifies the rounds that `start` has begun; null after `stop`. */
  let started: object | null = null;
  let isStopping = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): Promise<void> {
    round ??= runRound()
      .catch((error) => log({ outcome: 'failed', key: null, message: messageOf(error), error }))
      .finally(() => {
        round = null;
      });
    return round;
  }

  async function runRound(): Promise<void> {
    failures = orderOf(await inTime('list', () => store.list()), failures);
    let inARow = 0;
    for (const [name, count] of failures) {
      if (isStopping || inARow === MAX_FAILURES) return;
      if (busy.has(name)) continue;
      const isDone = await tryAgain(name).catch((error) => {
        log({ outcome: 'failed', key: null, message: `${name} waits: ${messageOf(error)}`, error });
        return false;
      });
      if (!isDone) failures.set(name, count + 1);
      inARow = isDone ? 0 : inARow + 1;
    }
  }

  /** Returns whether the body left `retry`. */
  async function tryAgain(name: string): Promise<boolean> {
    const body = await inTime('read', () => held(name, store.read(name)));
    if (body == null) return true; // another process was first
    const { outcome, name: savedAs } = await held(name, settle(body, name));
    if (outcome === 'failed') return false;
    // With the outcome `retry`, a body stays under its name. But a draft, or a file that someone
    // renamed, has just been saved again under the body's own name, so the old name is removed.
    if (outcome === 'retry' && savedAs === name) return false;
    await inTime('remove', () => held(name, store.remove(name)));
    return outcome !== 'retry';
  }

  /** Keeps a name out of the next rounds until the work ends, however late that is. */
  async function held<T>(name: string, work: Promise<T>): Promise<T> {
    busy.enter(name);
    try {
      return await work;
    } finally {
      busy.leave(name);
    }
  }

  async function repeat(everyMs: number, mine: object): Promise<void> {
    await run();
    if (started !== mine) return;
    timer = setTimeout(repeat, everyMs, everyMs, mine);
    Object(timer).unref?.(); // the pause doesn't keep the process running
  }

  return {
    start(everyMs) {
      if (started) return;
      started = {};
      repeat(everyMs, started);
    },
    run,
    async stop() {
      started = null;
      clearTimeout(timer);
      isStopping = true;
      await round;
      isStopping = false;
    },
  };
}

type Failures = Map<string, number>;

/**
 * Orders a round. New bodies and known ones, which were in the last round, take turns, so that
 * neither kind waits while many of the other kind fail. New bodies start with the newest, and known
 * ones with the one that has failed least often.
 *
 * For a process without a last round, such as a scheduled function, no body is known. Then the
 * newest take turns with all bodies in random order, so that none waits forever behind the same
 * failures.
 *
 * @param names - The oldest first.
 */
function orderOf(names: readonly string[], last: Failures): Failures {
  const countOf = (name: string) => last.get(name) ?? 0;
  const added = names.filter((name) => !last.has(name)).reverse();
  const known = names.filter((name) => last.has(name));
  known.sort((one, other) => countOf(one) - countOf(other));
  const others = known.length > 0 ? known : shuffled(names);
  const turns = names.flatMap((_, turn) => [added[turn], others[turn]]);
  const round = turns.filter((name) => name !== undefined);
  return new Map(round.map((name) => [name, countOf(name)])); // each name at its first turn
}

function shuffled(names: readonly string[]): string[] {
  const places = new Map(names.map((name) => [name, Math.random()]));
  return [...names].sort((one, other) => Number(places.get(one)) - Number(places.get(other)));
}
