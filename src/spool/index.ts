import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../internal/quote.js';
import { reportOrPrint } from '../internal/report-or-print.js';
import {
  listBodies,
  nullIfMissing,
  prepareFolder,
  syncFolder,
  timeOf,
  writeBody,
} from './folder.js';

/** How long a body may take to settle, in milliseconds. */
const MAX_SETTLING = 60_000;
/** The longest time that `setTimeout` can wait, in milliseconds. */
const MAX_PAUSE = 2 ** 31 - 1;

/** Settles a body: the `settle` of a receiver, or a function of yours. */
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
   * Passes each body on, the oldest first, and removes those that are answered below 500.
   *
   * @returns How many still wait.
   * @throws AggregateError after the last body, if one could not be read, passed on or removed, or
   * was not answered within a minute.
   */
  readonly settle: (settle: SettleBody) => Promise<number>;
  /**
   * Settles bodies now, and again after each pause. The pause doesn't keep the process running.
   *
   * While your database is down, each round passes only one body on. The next round begins after
   * it.
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
 * Several processes may share the folder. Two of them may then settle the same body, as if it were
 * delivered twice.
 *
 * @param folder - A folder for bodies only, on a persistent disk. It is created if it is missing.
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
  const root = resolve(folder);
  try {
    prepareFolder(root);
  } catch (error) {
    throw cannotWrite(root, error);
  }
  return {
    save: (body) => save(root, body),
    settle: (settle) => settleAll(root, settle),
    start: (settle, schedule) => start(root, settle, schedule),
  };
}

async function save(root: string, body: Uint8Array): Promise<void> {
  try {
    const name = createHash('sha256').update(body).digest('hex');
    // A file that is there keeps the time of its first arrival.
    if ((await timeOf(join(root, name))) === null) await writeBody(root, name, body);
    await syncFolder(root);
  } catch (error) {
    throw cannotWrite(root, error);
  }
}

async function settleAll(root: string, settle: SettleBody): Promise<number> {
  const paths = await listBodies(root);
  const errors: unknown[] = [];
  let waiting = paths.length;
  for (const path of paths) {
    const isSettled = await settleFile(path, settle).catch((error) => void errors.push(error));
    if (isSettled) waiting -= 1;
  }
  if (errors.length === 0) return waiting;
  const message = `spool: ${waiting} bodies wait in ${root}: ${messageOf(errors[0])}`;
  throw new AggregateError(errors, message);
}

function start(
  root: string,
  settle: SettleBody,
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
      last = await settleRound({ root, settle, report, signal }, last).catch((error) => {
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

interface Round {
  readonly root: string;
  readonly settle: SettleBody;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Passes on the bodies after the one that ended the last round, and then those before it. Ends at a
 * body that isn't settled unless the one before it was: if the database is down, the others would
 * only fill a log. A body that fails for another reason stops no other, because the next round
 * begins after it.
 *
 * @returns The path of the body that ended it. Empty after the last body.
 */
async function settleRound({ root, settle, report, signal }: Round, last: string): Promise<string> {
  const paths = await listBodies(root);
  const first = paths.indexOf(last) + 1;
  let wasSettled = false;
  for (const path of [...paths.slice(first), ...paths.slice(0, first)]) {
    if (signal.aborted) break;
    const isSettled = await settleFile(path, settle).catch((error) => {
      report(error);
      return false;
    });
    if (!isSettled && !wasSettled) return path;
    wasSettled = isSettled;
  }
  return '';
}

/** @returns Whether the body was settled. Its file is then removed. */
async function settleFile(path: string, settle: SettleBody): Promise<boolean> {
  try {
    const body = await readFile(path).catch(nullIfMissing); // another process was first
    if (body && !((await answerWithin(MAX_SETTLING, settle(body))).status < 500)) return false;
    // If a power cut brings the file back, the body is settled once more, like one that was
    // delivered twice.
    await rm(path, { force: true });
    return true;
  } catch (cause) {
    throw new Error(`spool: ${path} waits: ${messageOf(cause)}`, { cause });
  }
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
