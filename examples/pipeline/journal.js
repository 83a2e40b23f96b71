// The bodies that a receiver has taken and the ledger has not confirmed yet, on the receiver's own
// disk. Nothing is changed in place: bodies are appended to a file of the latest seconds, and a file
// is deleted as a whole, once the ledger has all that is in it.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { lineOf, readLines } from './lines.js';

/** How long bodies go into one file. */
const OPEN_MS = 2_000;
/** The age at which a file is looked at: in peace, its bodies are settled by then. */
const REVIEW_MS = 10_000;
const EXTENSION = '.journal';

/**
 * @typedef {object} File
 * @property {string} path
 * @property {number} begunAt By this process's clock.
 * @property {number} lacked How often the ledger did not have all of it.
 */

/**
 * @param {string} folder This process's own: see lockFolder.
 * @param {() => number} [now] A monotonic clock, in milliseconds. That of the machine may jump: by it, a
 * file might stay young for a year.
 */
export async function openJournal(folder, now = () => performance.now()) {
  await mkdir(folder, { recursive: true });
  const files = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION));
  /** The oldest first. Nothing is appended to these any more. @type {Set<File>} */
  const closed = new Set(
    files
      .map((name) => ({ name, time: Number.parseInt(name, 10) }))
      .sort((one, other) => one.time - other.time)
      .map(({ name, time }) => ({ path: join(folder, name), begunAt: begunAt(time), lacked: 0 })),
  );
  /** @type {(File & { handle: import('node:fs/promises').FileHandle }) | null} */
  let current = null;
  /** What the next write takes. @type {string[]} */
  let lines = [];
  /** @type {Promise<void> | null} */
  let nextWrite = null;
  /** The latest use of the current file, for they must not overlap. @type {Promise<unknown>} */
  let latest = Promise.resolve();

  /** Of a file that another process has left. One from the future is old. @param {number} time */
  function begunAt(time) {
    const age = Date.now() - time;
    return age < 0 ? Number.NEGATIVE_INFINITY : now() - age;
  }

  /** @param {() => Promise<void>} work */
  const exclusively = (work) => {
    const done = latest.then(work);
    latest = done.catch(() => {});
    return done;
  };

  async function begin() {
    const path = join(folder, `${Date.now()}-${randomUUID()}${EXTENSION}`);
    const handle = await open(path, 'ax');
    const directory = await open(folder);
    await directory.sync(); // so that the new name, too, survives a crash of the machine
    await directory.close();
    current = { path, begunAt: now(), lacked: 0, handle };
    return current;
  }

  async function end() {
    if (!current) return;
    const { handle, ...file } = current;
    current = null;
    closed.add(file);
    await handle.close();
  }

  async function endIfOld() {
    if (current && now() - current.begunAt >= OPEN_MS) await end();
  }

  async function write() {
    const text = lines.join('');
    lines = [];
    nextWrite = null;
    await endIfOld();
    const { handle } = current ?? (await begin());
    try {
      await handle.appendFile(text, 'latin1');
      await handle.datasync();
    } catch (error) {
      await end(); // what a failed sync has left on the disk, nobody knows
      throw error;
    }
  }

  return {
    /** Resolves once the body is on the disk. What comes while the disk is busy shares the next sync. @param {Uint8Array} body */
    append(body) {
      lines.push(lineOf(body));
      nextWrite ??= exclusively(write);
      return nextWrite;
    },

    /**
     * Deletes the files whose bodies are all settled; whether none is left that has another. A damaged file
     * is kept under another name.
     *
     * @param {(bodies: Buffer[], lacked: number) => Promise<boolean>} areSettled Gets how often a file was
     * found not to be; if it throws, the other files wait, too.
     */
    async review(areSettled) {
      await exclusively(endIfOld);
      let isDone = true;
      for (const file of closed) {
        if (now() - file.begunAt < REVIEW_MS) continue;
        const { bodies, torn } = readLines(await readFile(file.path, 'latin1'));
        if (await areSettled(bodies, file.lacked)) {
          await (torn.length === 0 ? unlink(file.path) : rename(file.path, `${file.path}.torn`));
          closed.delete(file);
        } else {
          file.lacked += 1;
          isDone = false;
        }
      }
      return isDone;
    },
  };
}
