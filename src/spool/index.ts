import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../internal/quote.js';
import { reportOrPrint } from '../receiver/report-or-print.js';
import {
  listBodies,
  nullIfMissing,
  prepareFolder,
  statFile,
  syncFolder,
  writeBody,
} from './folder.js';

/** How long a body may take to settle, in milliseconds. */
const MAX_SETTLING = 60_000;
/** The longest time that `setTimeout` can wait, in milliseconds. */
const MAX_PAUSE = 2 ** 31 - 1;
/**
 * A round ends after so many failures in a row. So a few bodies that always fail delay no other,
 * and a database that is down costs a few lines of a log in each round.
 */
const MAX_FAILURES = 5;

/**
 * Settles a body: the `settle` of a receiver, or a function of yours. Any status below 500 removes
 * the body, 404 and 429 too.
 */
export type SettleBody = (body: Uint8Array) => Promise<{ readonly status: number }>;

/** The options of {@link Spool.start}. */
export interface SpoolSchedule {
  /** The pause between rounds, in milliseconds. Default: a minute. */
  readonly every?: number | undefined;
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
   * Passes each body on, the oldest first, and removes those that are answered below 500. A body
   * that is being settled already isn't passed on again, and counts as one that waits.
   *
   * @returns How many still wait.
   * @throws AggregateError after the last body, if one could not be read, passed on or removed, or
   * was not answered within a minute.
   */
  readonly settle: (settle: SettleBody) => Promise<number>;
  /**
   * Settles bodies now, and again after each pause. The pause doesn't keep the process running.
   *
   * A round ends after five failures in a row, such as while your database is down. The next round
   * begins after the last of these bodies.
   *
   * @returns A function that stops this. It resolves when the body in progress is answered, after a
   * minute at most.
   */
  readonly start: (settle: SettleBody, schedule?: SpoolSchedule) => () => Promise<void>;
}

/**
 * Keeps bodies in a folder while they can't be settled, such as while the database is down. For
 * Node.js, Bun and Deno.
 *
 * A spool doesn't pass a body on again before its last run has ended, even if that takes longer
 * than a minute. Several processes may share the folder. Two of them may then settle the same body,
 * as if it were delivered twice, and so may two spools of one process.
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
  const inProgress = new Set<string>();
  return {
    save: (body) => save(root, body),
    settle: (settle) => settleAll({ root, inProgress, settle }),
    start: (settle, schedule) => start({ root, inProgress, settle }, schedule),
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

/** How the bodies of a folder are settled. */
interface Settling {
  readonly root: string;
  /**
   * The paths of bodies whose run hasn't ended. Without them, each round would pass a body that
   * hangs on again, until all connections to the database are in use.
   */
  readonly inProgress: Set<string>;
  readonly settle: SettleBody;
}

async function settleAll(settling: Settling): Promise<number> {
  const { root, inProgress } = settling;
  const paths = await listBodies(root);
  const errors: unknown[] = [];
  let waiting = paths.length;
  for (const path of paths) {
    if (inProgress.has(path)) continue;
    const isSettled = await settleFile(settling, path).catch((error) => void errors.push(error));
    if (isSettled) waiting -= 1;
  }
  if (errors.length === 0) return waiting;
  const message = `spool: ${waiting} bodies wait in ${root}: ${messageOf(errors[0])}`;
  throw new AggregateError(errors, message);
}

function start(
  settling: Settling,
  { every = 60_000, onError = console.error }: SpoolSchedule = {},
): () => Promise<void> {
  if (!(typeof every === 'number' && every >= 1 && every <= MAX_PAUSE)) {
    throw new RangeError(
      `every: expected 1 to ${MAX_PAUSE} milliseconds, received ${quote(every)}`,
    );
  }
  const report = (error: unknown) => {
    reportOrPrint(() => onError(error), error); // not awaited: a logger may never come back
  };
  const controller = new AbortController();
  const { signal } = controller;
  const repeat = async () => {
    let last = '';
    while (!signal.aborted) {
      last = await settleRound({ ...settling, report, signal }, last).catch((error) => {
        report(error); // the folder can't be listed
        return '';
      });
      await sleep(every, null, { ref: false, signal }).catch(() => {}); // stopped
    }
  };
  const ended = repeat();
  return () => {
    controller.abort();
    return ended;
  };
}

interface Round extends Settling {
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Passes on the bodies after the one that ended the last round, and then those before it. Ends
 * after {@link MAX_FAILURES} in a row. Bodies that always fail stop no other, because the next
 * round begins after them.
 *
 * @returns The path of the body that ended it. Empty after the last body.
 */
async function settleRound(round: Round, last: string): Promise<string> {
  const { root, inProgress, report, signal } = round;
  const paths = await listBodies(root);
  const first = paths.indexOf(last) + 1;
  let failures = 0;
  for (const path of [...paths.slice(first), ...paths.slice(0, first)]) {
    if (signal.aborted) break;
    if (inProgress.has(path)) continue;
    const isSettled = await settleFile(round, path).catch((error) => {
      report(error);
      return false;
    });
    failures = isSettled ? 0 : failures + 1;
    if (failures === MAX_FAILURES) return path;
  }
  return '';
}

/** @returns Whether the body was settled. Its file is then removed. */
async function settleFile({ inProgress, settle }: Settling, path: string): Promise<boolean> {
  inProgress.add(path);
  const run = passOn(path, settle).finally(() => inProgress.delete(path));
  try {
    return await answerWithin(MAX_SETTLING, run);
  } catch (cause) {
    throw new Error(`spool: ${path} waits: ${messageOf(cause)}`, { cause });
  }
}

/** Ends when `settle` does, however long that takes. A late answer removes the file as well. */
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

/** Rejects if there is no answer in time: otherwise, one lost connection would stop everything. */
async function answerWithin<T>(time: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`expected an answer within ${time} milliseconds, received none`);
    timer = setTimeout(reject, time, error);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function cannotWrite(root: string, cause: unknown): Error {
  return new Error(`spool: ${root} can't be written to: ${messageOf(cause)}`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
