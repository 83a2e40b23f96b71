import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportOrPrint } from '../internal/report-or-print.js';

/** From this age on, a draft is what a crash left, in milliseconds. Before, it may still be written. */
const DRAFT_AGE = 5 * 60_000;
/** A longer wait would be none. */
const MAX_WAIT = 2 ** 31 - 1;

/** The names of bodies and drafts. Other files are left alone: the folder may be a wrong one. */
const BODY = /^[0-9a-f]{64}$/;
const DRAFT = /^\.[0-9a-f-]{36}$/;

/** Bodies contain customers' addresses. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

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
  /** Saves a body, once. When this resolves, the body survives a power cut. */
  readonly save: (body: Uint8Array) => Promise<void>;
  /**
   * Passes each body on, the oldest first, and removes those that are answered below 500.
   *
   * @returns How many still wait.
   * @throws AggregateError after the last body, if one could not be read, passed on or removed.
   */
  readonly settle: (settle: SettleBody) => Promise<number>;
  /**
   * Calls `settle` now, and again after each pause. The pause doesn't keep the process running.
   *
   * @returns A function that stops this. It resolves when the body in progress is done.
   */
  readonly start: (settle: SettleBody, schedule?: SpoolSchedule) => () => Promise<void>;
}

/**
 * Keeps bodies in a folder while they can't be settled, such as while the database is down. For Node.js, Bun and Deno.
 *
 * Several processes may share the folder. Two of them may then settle the same body, as if it were delivered twice.
 *
 * @param folder - A folder of its own, on a persistent disk. It is created if it is missing.
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
  const draftPath = () => join(root, `.${randomUUID()}`);
  const failure = (cause: unknown) =>
    new Error(`spool: ${root} can't be written to: ${messageOf(cause)}`, { cause });

  const parents: string[] = [];
  try {
    const created = mkdirSync(root, { recursive: true, mode: FOLDER_MODE });
    for (let path = root; created && path.length >= created.length; path = dirname(path)) {
      parents.push(dirname(path));
    }
    const draft = draftPath();
    writeFileSync(draft, '', { mode: FILE_MODE });
    rmSync(draft);
  } catch (error) {
    throw failure(error);
  }
  // The names of new folders have to survive a power cut as well.
  const named = Promise.all(parents.map(syncFolder));
  named.catch(() => {}); // each save says it

  const write = async (path: string, body: Uint8Array): Promise<void> => {
    const draft = draftPath();
    try {
      const file = await open(draft, 'wx', FILE_MODE);
      try {
        await file.writeFile(body);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }); // on a full disk, each delivery would leave one
      throw error;
    }
  };

  const list = async (): Promise<string[]> => {
    const files: { path: string; time: number }[] = [];
    for (const name of await readdir(root)) {
      const isDraft = DRAFT.test(name);
      if (!isDraft && !BODY.test(name)) continue;
      const path = join(root, name);
      const time = await timeOf(path).catch(() => 0); // to read it fails as well, and says why
      // A draft that a crash left may be whole. If not, the receiver refuses it.
      if (time !== null && !(isDraft && time > Date.now() - DRAFT_AGE)) files.push({ path, time });
    }
    return files.sort((one, other) => one.time - other.time).map(({ path }) => path);
  };

  const settle = async (settleBody: SettleBody, signal?: AbortSignal): Promise<number> => {
    const paths = await list();
    const errors: unknown[] = [];
    let waiting = paths.length;
    for (const path of paths) {
      if (signal?.aborted) break;
      try {
        const body = await readFile(path).catch(nullIfMissing); // another process was first
        if (body && !((await settleBody(body)).status < 500)) continue;
        await rm(path, { force: true });
        waiting -= 1;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 0) return waiting;
    const first = messageOf(errors[0]);
    throw new AggregateError(errors, `spool: ${waiting} bodies wait in ${root}: ${first}`);
  };

  return {
    async save(body) {
      try {
        const path = join(root, createHash('sha256').update(body).digest('hex'));
        // A file that is there keeps the time of the first arrival.
        if ((await timeOf(path)) === null) await write(path, body);
        await Promise.all([syncFolder(root), named]);
      } catch (error) {
        throw failure(error);
      }
    },
    settle: (settleBody) => settle(settleBody),
    start(settleBody, { every = 60_000, onError = console.error } = {}) {
      if (!(every >= 1 && every <= MAX_WAIT)) {
        throw new RangeError(`every: expected 1 to ${MAX_WAIT} milliseconds, received ${every}`);
      }
      const controller = new AbortController();
      const { signal } = controller;
      const run = async () => {
        while (!signal.aborted) {
          await settle(settleBody, signal).catch((error) =>
            reportOrPrint(() => onError(error), error),
          );
          await sleep(every, null, { ref: false, signal }).catch(() => {}); // stopped
        }
      };
      const ended = run();
      return () => {
        controller.abort();
        return ended;
      };
    },
  };
}

/** Makes the names in a folder survive a power cut. Windows can't: there, NTFS's journal has to do. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** When a file was written. Null if there is none. */
async function timeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(nullIfMissing);
  return found?.isFile() ? found.mtimeMs : null;
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
