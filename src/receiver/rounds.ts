import { messageOf } from '../shared/thrown.js';
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
  /** The names of the last round, in the order of the next tries. A try moves a name to the end. */
  let waiting = new Set<string>();
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
    const names = await inTime('list', () => store.list());
    const listed = new Set(names);
    const known = [...waiting].filter((name) => listed.has(name));
    const added = names.filter((name) => !waiting.has(name));
    waiting = new Set([...known, ...added]);
    let failures = 0;
    for (const name of orderOf(added, known)) {
      if (isStopping || failures === MAX_FAILURES) return;
      if (busy.has(name)) continue;
      waiting.delete(name);
      waiting.add(name); // at the end
      const isDone = await tryAgain(name).catch((error) => {
        log({ outcome: 'failed', key: null, message: `${name} waits: ${messageOf(error)}`, error });
        return false;
      });
      failures = isDone ? 0 : failures + 1;
    }
  }

  /** Returns whether the body left `retry`. */
  async function tryAgain(name: string): Promise<boolean> {
    const body = await inTime('read', () => held(name, store.read(name)));
    if (body == null) return true; // another process was first
    const { outcome, name: savedAs } = await held(name, settle(body, name));
    if (outcome === 'failed') return false;
    // With the outcome `retry`, a body stays under its name. But if it had another name, because
    // someone renamed its file, it has just been saved again under its own, so the old name is
    // removed. If only the case differs, the old name stays, because it may be the same file.
    if (outcome === 'retry' && savedAs?.toLowerCase() === name.toLowerCase()) return false;
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

/**
 * Orders a round. New bodies and those of the last round take turns, so that neither kind waits
 * while many of the other kind fail. New bodies start with the newest.
 *
 * In a process without a last round, such as a scheduled function, all bodies are new. Then the
 * newest take turns with bodies chosen at random, so that none waits forever behind the same
 * failures.
 *
 * @param added - New bodies, the oldest first.
 * @param known - The bodies of the last round, in the order in which they are tried.
 */
function orderOf(added: readonly string[], known: readonly string[]): ReadonlySet<string> {
  const newest = [...added].reverse();
  const others = known.length > 0 ? known : shuffled(added);
  const turns = [...known, ...added].flatMap((_, turn) => [newest[turn], others[turn]]);
  return new Set(turns.filter((name) => name !== undefined)); // each name at its first turn
}

function shuffled(names: readonly string[]): string[] {
  const places = new Map(names.map((name) => [name, Math.random()]));
  return [...names].sort((one, other) => Number(places.get(one)) - Number(places.get(other)));
}
