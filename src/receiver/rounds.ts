import { checkTime, LATE, lateError, within } from '../shared/deadline.js';
import { messageOf } from '../shared/reports.js';
import type { Handled } from './handle.js';
import type { Log } from './log.js';
import type { Store } from './store.js';

/** The pause between two rounds by default, in milliseconds. */
const PAUSE = 60_000;
/** How long a store or a body may take in a round, in milliseconds. A receiver answers earlier. */
const MAX_TIME = 60_000;
/**
 * A round ends after so many failures in a row, so that a database that is down causes only a few
 * lines of a log in each round.
 */
const MAX_FAILURES = 5;

/** Tries the bodies in `retry` again, in rounds. Nothing rejects. */
export interface Rounds {
  readonly start: (everyMs?: number) => void;
  /** Runs a round, or waits for the running one. */
  readonly run: () => Promise<void>;
  /** Starts no more bodies, and waits for the one in progress. */
  readonly stop: () => Promise<void>;
}

/**
 * @param settle - Settles a body, and never rejects.
 * @param busy - Names of bodies in progress. If they were passed on in each round, they would soon
 * take all connections to the database.
 */
export function createRounds(
  store: Store,
  settle: (body: Uint8Array) => Promise<Handled>,
  busy: Set<string>,
  log: Log,
): Rounds {
  /** How often bodies have failed, by name, in the order of a round. */
  let failures: Failures = new Map();
  let round: Promise<void> | null = null;
  let [isStarted, isStopping] = [false, false];
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
    failures = orderOf(await list(), failures);
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

  async function list(): Promise<readonly string[]> {
    const listing = async () => store.list(); // it may throw without a promise
    const names = await within(MAX_TIME, listing());
    if (names === LATE) throw lateError('store.list', MAX_TIME);
    return names;
  }

  /** Returns whether the body left `retry`. If it is late, its run may still remove it. */
  async function tryAgain(name: string): Promise<boolean> {
    busy.add(name);
    const running = passOn(name).finally(() => busy.delete(name));
    const isDone = await within(MAX_TIME, running);
    if (isDone === LATE) throw lateError('the store', MAX_TIME);
    return isDone;
  }

  async function passOn(name: string): Promise<boolean> {
    const body = await store.read(name);
    if (body === null) return true; // another process was first
    const { outcome, name: savedAs } = await settle(body);
    if (outcome === 'failed') return false;
    // If someone has renamed the file, the body was saved again under its own name.
    if (outcome === 'retry' && savedAs === name) return false;
    await store.remove(name);
    return outcome !== 'retry';
  }

  async function repeat(everyMs: number): Promise<void> {
    await run();
    if (!isStarted) return;
    timer = setTimeout(repeat, everyMs, everyMs);
    Object(timer).unref?.(); // the pause keeps no process running
  }

  return {
    start(everyMs = PAUSE) {
      checkTime('everyMs', everyMs);
      if (isStarted) return;
      isStarted = true;
      repeat(everyMs);
    },
    run,
    async stop() {
      isStarted = false;
      clearTimeout(timer);
      isStopping = true;
      await round;
      isStopping = false;
    },
  };
}

type Failures = Map<string, number>;

/**
 * Orders a round. New bodies and earlier failures take turns, so that neither kind waits while many
 * of the other one fail: the newest first, and those that failed least.
 *
 * A process that remembers no failures, such as a scheduled function, can't know them. There, the
 * newest and the oldest take turns.
 *
 * @param names - The oldest first.
 */
function orderOf(names: readonly string[], last: Failures): Failures {
  const countOf = (name: string) => last.get(name) ?? 0;
  const added = names.filter((name) => !last.has(name)).reverse();
  const known = names.filter((name) => last.has(name));
  known.sort((one, other) => countOf(one) - countOf(other));
  const others = known.length > 0 ? known : added.splice(Math.ceil(added.length / 2)).reverse();
  const turns = names.flatMap((_, turn) => [added[turn], others[turn]]);
  const round = turns.filter((name) => name !== undefined);
  return new Map(round.map((name) => [name, countOf(name)]));
}
