// The bodies that a receiver has taken and the ledger has not confirmed yet, on the receiver's own
// disk. Nothing is changed in place: bodies are appended to a file of the latest seconds, and a file
// is deleted as a whole, once the ledger has all that is in it.
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bodyOf, lineOf, readLines } from '../merchant/spool.js';

/** How long bodies go into one file. */
const OPEN_MS = 2_000;
/** The age at which a file is looked at: in peace, its bodies are settled by then. */
const REVIEW_MS = 10_000;
const EXTENSION = '.journal';

/** @param {string} folder This process's own: see lockFolder. */
export async function openJournal(folder) {
  await mkdir(folder, { recursive: true });
  const files = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION));
  /** When each was begun, the oldest first. Nothing is appended to these any more. */
  const closed = files.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
  /** @type {{ begunAt: number, handle: import('node:fs/promises').FileHandle } | null} */
  let current = null;
  /** What the next write takes. @type {string[]} */
  let lines = [];
  /** @type {Promise<void> | null} */
  let nextWrite = null;
  /** The latest use of the current file, for they must not overlap. @type {Promise<unknown>} */
  let latest = Promise.resolve();

  const pathOf = (/** @type {number} */ begunAt) => join(folder, `${begunAt}${EXTENSION}`);
  /** @param {() => Promise<void>} work */
  const exclusively = (work) => {
    const done = latest.then(work);
    latest = done.catch(() => {});
    return done;
  };

  async function begin() {
    const begunAt = Date.now();
    const handle = await open(pathOf(begunAt), 'ax');
    const directory = await open(folder);
    await directory.sync(); // so that the new name, too, survives a crash of the machine
    await directory.close();
    current = { begunAt, handle };
    return current;
  }

  async function end() {
    if (!current) return;
    const { begunAt, handle } = current;
    current = null;
    closed.push(begunAt);
    await handle.close();
  }

  async function endIfOld() {
    if (current && Date.now() - current.begunAt >= OPEN_MS) await end();
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
     * Deletes the files whose bodies are all settled, from the oldest one to the first that has
     * another; whether there is none such. A damaged file is kept under another name.
     *
     * @param {(bodies: Buffer[]) => Promise<boolean>} areSettled
     */
    async review(areSettled) {
      await exclusively(endIfOld);
      for (const begunAt of [...closed]) {
        if (Date.now() - begunAt < REVIEW_MS) break;
        const path = pathOf(begunAt);
        const { whole, torn } = readLines(await readFile(path, 'latin1'));
        if (!(await areSettled([...whole.values()].map(bodyOf)))) return false;
        await (torn.length === 0 ? unlink(path) : rename(path, `${path}.torn`));
        closed.shift();
      }
      return true;
    },
  };
}
