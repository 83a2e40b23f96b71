import { within } from '../shared/deadline.js';
import { type Log, messageOf, type Outcome } from './log.js';
import type { Store } from './store.js';

/** The pause between two rounds, in milliseconds. */
const PAUSE = 60_000;
/** How long a store or a body may take in a round, in milliseconds. A receiver answers earlier. */
const MAX_TIME = 60_000;
/**
 * A round ends after so many failures in a row, so that a database that is down causes only a few
 * lines of a log in each round.
 */
const MAX_FAILURES = 5;

/** What became of a saved body, and under which name it is saved now. */
interface Tried {
  readonly outcome: Outcome;
  readonly name: string | null;
}

/** Tries the bodies in `retry` again, in rounds. Nothing rejects. */
export interface Rounds {
  /**
   * Names of bodies whose run hasn't ended. If they were passed on in each round, they would soon
   * take all connections to the database.
   */
  readonly inProgress: Set<string>;
  readonly start: () => void;
  /** Runs a round, or waits for the one that runs. */
  readonly run: () => Promise<void>;
  /** Starts no more bodies, and waits for the one in progress. */
  readonly stop: () => Promise<void>;
}

export function createRounds(
  store: Store,
  settle: (body: Uint8Array) => Promise<Tried>,
  log: Log,
): Rounds {
  /** How often bodies have failed, by name, in the order of a round. */
  let failures: Failures = new Map();
  const inProgress = new Set<string>();
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
    const names = await within(MAX_TIME, list(), () => 'store.list');
    failures = orderOf(names, failures);
    let inARow = 0;
    for (const [name, count] of failures) {
      if (isStopping || inARow === MAX_FAILURES) return;
      if (inProgress.has(name)) continue;
      const isDone = await tryAgain(name).catch((error) => {
        log({ outcome: 'failed', key: null, message: `${name} waits: ${messageOf(error)}`, error });
        return false;
      });
      if (!isDone) failures.set(name, count + 1);
      inARow = isDone ? 0 : inARow + 1;
    }
  }

  // So that what a store throws without a promise rejects.
  const list = async () => store.list();

  /** @returns Whether the body is settled, or waits for someone. A late run removes it as well. */
  function tryAgain(name: string): Promise<boolean> {
    inProgress.add(name);
    const running = passOn(name).finally(() => inProgress.delete(name));
    return within(MAX_TIME, running, () => name);
  }

  async function passOn(name: string): Promise<boolean> {
    const body = await store.read(name);
    if (body === null) return true; // another process was first
    const tried = await settle(body);
    if (tried.outcome === 'failed') return false;
    // If someone gave it another name, it is saved again under its own.
    if (tried.outcome === 'retry' && tried.name === name) return false;
    await store.remove(name);
    return tried.outcome !== 'retry';
  }

  async function repeat(): Promise<void> {
    await run();
    if (!isStarted) return;
    timer = setTimeout(repeat, PAUSE);
    Object(timer).unref?.(); // the pause keeps no process running
  }

  return {
    inProgress,
    start() {
      if (isStarted) return;
      isStarted = true;
      repeat();
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
 * Orders a round. New bodies take turns with those that failed before, so that neither kind waits
 * while many of the other one fail. The newest is first, because a new process doesn't know which
 * have failed.
 *
 * @param names - The oldest first.
 */
function orderOf(names: readonly string[], last: Failures): Failures {
  const added = names.filter((name) => !last.has(name)).reverse();
  const known = names.filter((name) => last.has(name));
  const countOf = (name: string) => last.get(name) ?? 0;
  known.sort((one, other) => countOf(one) - countOf(other));
  const turns = names.flatMap((_, turn) => [added[turn], known[turn]]);
  const round = turns.filter((name) => name !== undefined);
  return new Map(round.map((name) => [name, countOf(name)]));
}
