import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// The bodies that could not be settled, one a file, which is named by the body's SHA-256. A file that doesn't
// match its name was cut off, so that no sender was told that it is kept, or damaged. It stays for a person to
// look at, until the body is delivered again.

/** @typedef {Awaited<ReturnType<typeof openSpool>>} Spool */

/** @param {string} folder This process's own: see lockFolder. @param {number} [maxBytes] */
export async function openSpool(folder, maxBytes = 64 * 2 ** 20) {
  const spool = join(folder, 'spool');
  /** When each body came, and its size; by its digest. @type {Map<string, { at: string, size: number }>} */
  const waiting = new Map();
  let bytes = 0;
  /** Names of files. @type {Set<string>} */
  const torn = new Set();
  /** @param {string} digest @param {Uint8Array} body @param {Date} at */
  const add = (digest, body, at) => {
    waiting.set(digest, { at: at.toISOString(), size: body.length });
    bytes += body.length;
  };

  await mkdir(spool, { recursive: true });
  await syncFolder(folder);
  const found = [];
  for (const name of await readdir(spool)) {
    const file = await open(join(spool, name));
    const body = await file.readFile();
    await file.sync(); // a process that was killed may not have done so
    if (digestOf(body) === name) found.push({ name, body, at: (await file.stat()).mtime });
    else torn.add(name);
    await file.close();
  }
  await syncFolder(spool); // likewise
  // Of two bodies that contradict each other, the first one is settled.
  found.sort((one, other) => Number(one.at) - Number(other.at));
  for (const { name, body, at } of found) add(name, body, at);

  /** Whether a body is on the disk as it was written. @param {string} digest */
  async function isIntact(digest) {
    try {
      return digestOf(await readFile(join(spool, digest))) === digest;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error; // it may be there all the same
    }
  }

  /** @param {string} digest @param {Uint8Array} body */
  async function write(digest, body) {
    const path = join(spool, digest);
    try {
      await writeFile(path, body, { flush: true });
      await syncFolder(spool); // or a crash of the machine takes its name
    } catch (error) {
      await rm(path, { force: true }).catch(() => {}); // on a full disk, its room is needed
      throw error;
    }
  }
  /** The latest write: two copies of a body must not be written at once. @type {Promise<unknown>} */
  let latest = Promise.resolve();

  return {
    /** Resolves once the body is on the disk. @param {Uint8Array} body */
    append(body) {
      const digest = digestOf(body);
      const written = latest.then(async () => {
        const isKnown = waiting.has(digest);
        if (isKnown && (await isIntact(digest))) return; // delivered again
        if (!isKnown && bytes + body.length > maxBytes)
          throw new Error(`the spool is full: ${bytes} bytes`);
        await write(digest, body);
        if (!waiting.has(digest)) add(digest, body, new Date());
        torn.delete(digest);
      });
      latest = written.catch(() => {});
      return written;
    },

    /**
     * Settles the bodies and removes them; those that failed come last the next time. Killed in between, it
     * settles them again, which changes nothing.
     *
     * @param {(body: Buffer) => Promise<unknown>} settle
     * @param {number} [maxErrors] Then it's the database, rather than these bodies.
     */
    async drain(settle, maxErrors = 3) {
      /** @type {unknown[]} */
      const errors = [];
      for (const [digest, entry] of [...waiting]) {
        if (errors.length === maxErrors) break;
        try {
          const body = await readFile(join(spool, digest));
          if (digestOf(body) !== digest) throw new Error(`damaged on the disk: ${digest}`);
          await settle(body);
          await rm(join(spool, digest), { force: true });
          waiting.delete(digest);
          bytes -= entry.size;
        } catch (error) {
          errors.push(error);
          waiting.delete(digest);
          waiting.set(digest, entry);
        }
      }
      for (const error of errors) throw error;
    },

    status() {
      const [oldest = null] = [...waiting.values()].map(({ at }) => at).sort();
      return { bodies: waiting.size, bytes, oldest, torn: torn.size };
    },
  };
}

/** @param {Uint8Array} body */
function digestOf(body) {
  return createHash('sha256').update(body).digest('hex');
}

/** Syncs the names in a folder. @param {string} path */
async function syncFolder(path) {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}
