import { createHash } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

// The bodies that could not be settled, one a line: digest, time, and the body in base64. The remains
// of a write that was cut off (by a kill, a full disk) don't match their digest; and since a line also
// begins with a newline, they can't spoil the next one.

/** @typedef {Awaited<ReturnType<typeof openSpool>>} Spool */

/** @param {string} folder This process's own: see lockFolder. @param {number} [maxBytes] */
export async function openSpool(folder, maxBytes = 64 * 2 ** 20) {
  const [path, tornPath] = [join(folder, 'spool'), join(folder, 'spool.torn')];
  const directory = await open(folder);
  let file = await open(path, 'a+');
  const text = await file.readFile('latin1');
  const { whole: lines, torn } = readLines(text);
  let size = text.length;
  /** Whether the file has more than what waits, and whether its name survives a crash of the machine. */
  let [isStale, isNamed] = [true, true];
  await tidy();
  /** The latest write, for they must not overlap. @type {Promise<unknown>} */
  let latest = Promise.resolve();
  /** @param {() => Promise<void>} work */
  const exclusively = (work) => {
    const done = latest.then(work);
    latest = done.catch(() => {});
    return done;
  };

  /** Rewrites the file, or leaves it if the disk is full: a body that is settled twice is only repeated. */
  async function tidy() {
    try {
      await rewrite();
    } catch (error) {
      console.error(`The spool is rewritten later: ${error}`);
      await rm(`${path}.new`, { force: true }).catch(() => {}); // its room is needed
    }
  }

  async function rewrite() {
    if (torn.length > 0) await appendTo(tornPath, torn.map((line) => `${line}\n`).join(''));
    torn.length = 0;
    const content = [...lines.values()].join('');
    // It stays open: a second opening, after it has the name, could fail, and bodies would go to a file
    // without a name.
    const next = await open(`${path}.new`, 'a');
    try {
      await next.truncate();
      await next.appendFile(content, 'latin1');
      await next.sync();
      await rename(`${path}.new`, path);
    } catch (error) {
      await next.close();
      throw error;
    }
    const before = file;
    [file, size, isStale, isNamed] = [next, content.length, false, false];
    await before.close();
    await syncName();
  }

  async function syncName() {
    await directory.sync();
    isNamed = true;
  }

  return {
    /** Resolves once the body is on the disk. @param {Uint8Array} body */
    append: (body) =>
      exclusively(async () => {
        const digest = digestOf(body);
        if (lines.has(digest)) return; // delivered again
        const line = lineOf(body);
        if (size + line.length > maxBytes) throw new Error(`the spool is full: ${size} bytes`);
        size += line.length;
        await file.appendFile(line);
        await file.datasync();
        if (!isNamed) await syncName();
        lines.set(digest, line);
      }),

    /**
     * Settles the bodies and removes them; those that failed come last the next time. Killed in between, it
     * settles them again.
     *
     * @param {(body: Buffer) => Promise<unknown>} settle
     * @param {number} [maxErrors] Then it's the database, rather than these bodies.
     */
    async drain(settle, maxErrors = 3) {
      /** @type {Map<string, unknown>} */
      const errors = new Map();
      /** @type {string[]} */
      const settled = [];
      for (const [digest, line] of [...lines]) {
        if (errors.size === maxErrors) break;
        await settle(bodyOf(line)).then(
          () => settled.push(digest),
          (error) => errors.set(digest, error),
        );
      }
      await exclusively(async () => {
        for (const digest of settled) lines.delete(digest);
        for (const digest of errors.keys()) {
          const line = lines.get(digest) ?? '';
          lines.delete(digest);
          lines.set(digest, line);
        }
        isStale ||= settled.length > 0;
        if (isStale) await tidy();
      });
      for (const error of errors.values()) throw error;
    },

    close: () =>
      exclusively(async () => {
        await file.close();
        await directory.close();
      }),

    async status() {
      const [oldest = null] = [...lines.values()].map((line) => line.split(' ')[1]).sort();
      const { size: tornBytes } = await stat(tornPath).catch(() => ({ size: 0 }));
      return { bodies: lines.size, bytes: size, oldest, tornBytes };
    },
  };
}

/** @param {Uint8Array} body */
export function lineOf(body) {
  const time = new Date().toISOString();
  return `\n${digestOf(body)} ${time} ${Buffer.from(body).toString('base64')}\n`;
}

/** @param {string} line */
export function bodyOf(line) {
  return Buffer.from(line.split(' ')[2] ?? '', 'base64');
}

/** The whole lines by their digests, the oldest first, and the torn ones. @param {string} text */
export function readLines(text) {
  /** @type {Map<string, string>} */
  const whole = new Map();
  /** @type {string[]} */
  const torn = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const digest = digestOf(bodyOf(line));
    if (line.startsWith(digest)) whole.set(digest, `\n${line}\n`);
    else torn.push(line);
  }
  return { whole, torn };
}

/** @param {Uint8Array} body */
function digestOf(body) {
  return createHash('sha256').update(body).digest('hex');
}

/** @param {string} path @param {string} text */
async function appendTo(path, text) {
  const file = await open(path, 'a');
  try {
    await file.appendFile(text, 'latin1');
    await file.sync();
  } finally {
    await file.close();
  }
}
