import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../parser/quote.js';
import { checkTime, within } from '../shared/deadline.js';
import { checkNames } from '../shared/options.js';
import { reportOrPrint } from '../shared/reports.js';
import {
  listBodies,
  nullIfMissing,
  prepareFolder,
  statFile,
  syncFolder,
  writeBody,
} from './folder.js';

/** How long a body may take to settle, in milliseconds. A receiver answers much earlier. */
const MAX_SETTLING = 60_000;
/**
 * A round ends after so many failures in a row, so that a database that is down causes only a few
 * lines of a log in each round.
 */
const MAX_FAILURES = 5;

/**
 * Settles a body: the `settle` of a receiver, or a function of yours. Any status below 500 removes
 * the body, also 404 and 429.
 *
 * After a minute, it counts as failed. The body isn't passed on again before it has ended.
 */
export type SettleBody = (body: Uint8Array) => Promise<{ readonly status: number }>;

/** The options of {@link Spool.start}. */
export interface SpoolSchedule {
  /** The pause between rounds, in milliseconds. Default: a minute. */
  readonly everyMs?: number | undefined;
  /** Reports what `settle` throws. Default: `console.error`. */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** A folder of bodies that wait. Its functions don't use `this`. */
export interface Spool {
  /**
   * Saves a body, once. When this resolves, the body survives a power cut (on Windows, a crash).
   *
   * @throws Error if the body can't be written, such as on a full disk.
   */
  readonly save: (body: Uint8Array) => Promise<void>;
  /**
   * Passes each body on now, and again after each pause, and removes those that are answered below
   * 500. The pause doesn't keep the process running.
   *
   * In a round, two kinds of bodies take turns: those that were not there in the last round, the
   * newest first; and the others, those that failed least first, then the oldest. A round ends
   * after five failures in a row, such as while your database is down.
   *
   * @returns A function that stops this. It resolves when the body in progress is answered, after a
   * minute at most.
   * @throws TypeError if there is an unknown option.
   * @throws RangeError if `setTimeout` can't wait for `everyMs`.
   */
  readonly start: (settle: SettleBody, schedule?: SpoolSchedule) => () => Promise<void>;
}

/**
 * Keeps bodies in a folder while they can't be settled, such as while the database is down. For
 * Node.js, Bun and Deno.
 *
 * Several processes may share the folder. Two of them may then settle the same body, as if it were
 * delivered twice, and so may two spools of one process.
 *
 * @param folder - A folder for bodies only, on a persistent disk. It is created if it is missing.
 * @throws TypeError if `folder` is empty or not a string.
 * @throws Error if the folder can't be created or written to.
 *
 * @example
 * ```ts
 * const spool = createSpool('unsettled');
 * // in the receiver's onError:
 * if (body) await spool.save(body);
 * // once:
 * spool.start(receiver.settle);
 * ```
 */
export function createSpool(folder: string): Spool {
  // An empty path would be the working directory.
  if (typeof folder !== 'string' || folder === '') {
    throw new TypeError(
      `folder: expected the path of a folder, received ${quote(folder)}. Pass that of a folder for bodies only`,
    );
  }
  const root = resolve(folder);
  try {
    prepareFolder(root);
  } catch (error) {
    throw cannotWrite(root, error);
  }
  return {
    save: (body) => save(root, body),
    start: (settle, schedule) => start(root, settle, schedule),
  };
}

async function save(root: string, body: Uint8Array): Promise<void> {
  try {
    const name = createHash('sha256').update(body).digest('hex');
    // A whole file keeps the time of its first arrival. A restored backup may have left an empty or
    // a cut one.
    const found = await statFile(join(root, name));
    if (found?.size !== body.length) {
      const write = () => writeBody(root, name, body);
      await write().catch((error) => {
        if (error.code !== 'ENOENT') throw error;
        // Another process took the draft for a crash's, because the disk took minutes or clocks
        // differ. It may have settled the body, which is then settled again, like a repeat.
        return write();
      });
    }
    await syncFolder(root);
  } catch (error) {
    throw cannotWrite(root, error);
  }
}

function start(
  root: string,
  settle: SettleBody,
  schedule: SpoolSchedule = {},
): () => Promise<void> {
  checkNames(Object.keys(schedule), ['everyMs', 'onError']);
  const { everyMs = 60_000, onError = console.error } = schedule;
  checkTime('everyMs', everyMs);
  const report = (error: unknown) => {
    reportOrPrint(() => onError(error), error); // not awaited: a logger may never come back
  };
  const controller = new AbortController();
  const { signal } = controller;
  const inProgress = new Set<string>();
  const repeat = async () => {
    let failures: Failures = new Map();
    while (!signal.aborted) {
      try {
        failures = await listRound(root, failures);
        await settleRound({ settle, failures, inProgress, report, signal });
      } catch (error) {
        report(error); // the folder can't be listed
      }
      await sleep(everyMs, null, { ref: false, signal }).catch(() => {}); // stopped
    }
  };
  const ended = repeat();
  return () => {
    controller.abort();
    return ended;
  };
}

/** How often bodies have failed, by their paths, in the order of a round. */
type Failures = Map<string, number>;

/**
 * Lists the bodies of a round. New ones take turns with the others, so that neither kind waits
 * while many of the other one fail. The newest is first, because a new process doesn't know which
 * have failed.
 */
async function listRound(root: string, last: Failures): Promise<Failures> {
  const paths = await listBodies(root); // the oldest first
  const added = paths.filter((path) => !last.has(path)).reverse();
  const known = paths.filter((path) => last.has(path));
  const countOf = (path: string) => last.get(path) ?? 0;
  known.sort((one, other) => countOf(one) - countOf(other));
  const turns = paths.flatMap((_, turn) => [added[turn], known[turn]]);
  const round = turns.filter((path) => path !== undefined);
  return new Map(round.map((path) => [path, countOf(path)]));
}

interface Round {
  readonly settle: SettleBody;
  readonly failures: Failures;
  /**
   * The paths of bodies whose run hasn't ended. If they were passed on in each round, they would
   * soon take all connections to the database.
   */
  readonly inProgress: Set<string>;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Passes bodies on, and ends after {@link MAX_FAILURES} in a row. */
async function settleRound(round: Round): Promise<void> {
  const { failures, inProgress, report, signal } = round;
  let inARow = 0;
  for (const [path, count] of failures) {
    if (signal.aborted || inARow === MAX_FAILURES) return;
    if (inProgress.has(path)) continue;
    const isSettled = await settleFile(round, path).catch((cause) => {
      report(new Error(`spool: ${path} waits: ${messageOf(cause)}`, { cause }));
      return false;
    });
    if (!isSettled) failures.set(path, count + 1);
    inARow = isSettled ? 0 : inARow + 1;
  }
}

/** @returns Whether the body was settled. A late answer removes its file as well. */
function settleFile({ settle, inProgress }: Round, path: string): Promise<boolean> {
  inProgress.add(path);
  const run = passOn(path, settle).finally(() => inProgress.delete(path));
  return within(MAX_SETTLING, run, () => 'settle');
}

async function passOn(path: string, settle: SettleBody): Promise<boolean> {
  const body = await readFile(path).catch(nullIfMissing); // another process was first
  if (!body) return true;
  if (!((await settle(body)).status < 500)) return false;
  // Meanwhile, `save` may have replaced a file that had been cut.
  const found = await statFile(path);
  if (found && found.size !== body.length) return false;
  // If a power cut brings the file back, the body is settled once more, like one that was delivered
  // twice.
  await rm(path, { force: true });
  return true;
}

function cannotWrite(root: string, cause: unknown): Error {
  return new Error(`spool: ${root} can't be written to: ${messageOf(cause)}`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
