// The bodies that a receiver has taken and the ledger has not confirmed yet, on the receiver's own
// disk. Nothing is changed in place: bodies are appended to a file of the latest seconds, and a file
// is deleted as a whole, once the ledger has all that is in it.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** How long bodies go into one file. */
const OPEN_MS = 2_000;
/** How long a file is left alone before each look at it: in peace, its bodies are settled by then. */
const REVIEW_MS = 10_000;
const EXTENSION = '.journal';

/**
 * @typedef {object} File
 * @property {string} path
 * @property {number} since When it was begun, found or last looked at. By the monotonic clock: by that of the
 * machine, which may jump, a file could stay young for a year.
 * @property {number} lacked How often the ledger did not have all of it.
 */

/** @param {string} folder This process's own: see lockFolder. */
export async function openJournal(folder) {
  await mkdir(folder, { recursive: true });
  /** @param {string} name @returns {File} */
  const fileOf = (name) => ({ path: join(folder, name), since: performance.now(), lacked: 0 });
  const names = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION));
  /** Nothing is appended to these any more. */
  const closed = new Set(names.map(fileOf));
  /** @type {(File & { handle: import('node:fs/promises').FileHandle }) | null} */
  let current = null;
  /** What the next write takes. @type {string[]} */
  let lines = [];
  /** @type {Promise<void> | null} */
  let nextWrite = null;
  /** The latest use of the current file, for they must not overlap. @type {Promise<unknown>} */
  let latest = Promise.resolve();

  /** @param {() => Promise<void>} work */
  const exclusively = (work) => {
    const done = latest.then(work);
    latest = done.catch(() => {});
    return done;
  };

  async function begin() {
    const file = fileOf(`${randomUUID()}${EXTENSION}`);
    const handle = await open(file.path, 'ax');
    const directory = await open(folder);
    await directory.sync(); // so that the new name, too, survives a crash of the machine
    await directory.close();
    current = { ...file, handle };
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
    if (current && performance.now() - current.since >= OPEN_MS) await end();
  }

  async function write() {
    const text = lines.join('');
    lines = [];
    nextWrite = null;
    await endIfOld();
    const { handle } = current ?? (await begin());
    try {
      await handle.appendFile(text);
      await handle.datasync();
    } catch (error) {
      await end(); // what a failed sync has left on the disk is unknown
      throw error;
    }
  }

  return {
    /** Resolves once the body is on the disk. What comes while the disk is busy shares the next sync. @param {Uint8Array} body */
    append(body) {
      lines.push(`${digestOf(body)} ${Buffer.from(body).toString('base64')}\n`);
      nextWrite ??= exclusively(write);
      return nextWrite;
    },

    /**
     * Deletes the files whose bodies are all settled. A damaged file is kept under another name.
     *
     * @param {(bodies: Buffer[], lacked: number) => Promise<boolean>} areSettled Gets how often a file was
     * found not to be; if it throws, the other files wait, too.
     */
    async review(areSettled) {
      await exclusively(endIfOld);
      for (const file of closed) {
        if (performance.now() - file.since < REVIEW_MS) continue;
        const { bodies, isTorn } = readLines(await readFile(file.path, 'utf8'));
        if (await areSettled(bodies, file.lacked)) {
          if (isTorn) console.error(`Kept aside: a line was cut off in ${file.path}`);
          await (isTorn ? rename(file.path, `${file.path}.torn`) : unlink(file.path));
          closed.delete(file);
        } else {
          file.lacked += 1;
          file.since = performance.now();
        }
      }
    },
  };
}

/** Each body once; and whether a line doesn't match its digest, as after a write that was cut off. @param {string} text */
function readLines(text) {
  /** @type {Map<string, Buffer>} */
  const bodies = new Map();
  let isTorn = false;
  for (const line of text.split('\n').filter(Boolean)) {
    const [digest = '', base64 = ''] = line.split(' ');
    const body = Buffer.from(base64, 'base64');
    if (digestOf(body) === digest) bodies.set(digest, body);
    else isTorn = true;
  }
  return { bodies: [...bodies.values()], isTorn };
}

/** @param {Uint8Array} body */
function digestOf(body) {
  return createHash('sha256').update(body).digest('hex');
}
