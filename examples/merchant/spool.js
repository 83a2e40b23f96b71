import { createHash } from 'node:crypto';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

// The bodies that could not be settled, one a line: digest, time, and the body in base64. The remains
// of a write that was cut off (by a kill, a full disk) don't match their digest; and since a line also
// begins with a newline, they can't spoil the next one.

/** @typedef {Awaited<ReturnType<typeof openSpool>>} Spool */

/** Then it's the database, rather than the body. */
const MAX_ERRORS = 3;

/** @param {string} folder This process's own: see lockFolder. @param {number} [maxBytes] */
export async function openSpool(folder, maxBytes = 64 * 2 ** 20) {
  const [path, tornPath] = [join(folder, 'spool'), join(folder, 'spool.torn')];
  const { whole: lines, torn } = readLines(await read(path));
  for (const line of torn) await write(tornPath, 'a', `${line}\n`);
  let file = await open(path, 'a');
  let size = await rewrite();
  /** The latest write, for they must not overlap. @type {Promise<unknown>} */
  let latest = Promise.resolve();
  /** @param {() => Promise<void>} work */
  const exclusively = (work) => {
    const done = latest.then(work);
    latest = done.catch(() => {});
    return done;
  };

  async function rewrite() {
    const content = [...lines.values()].join('');
    await write(`${path}.new`, 'w', content);
    await rename(`${path}.new`, path);
    const [before, directory] = [file, await open(folder)];
    await directory.sync(); // so that the new name, too, survives a crash of the machine
    await directory.close();
    file = await open(path, 'a');
    await before.close();
    return content.length;
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
        lines.set(digest, line);
      }),

    /**
     * Settles the bodies, the oldest first, and removes them. Killed in between, it settles them again.
     *
     * @param {(body: Buffer) => Promise<unknown>} settle
     */
    async drain(settle) {
      /** @type {unknown[]} */
      const errors = [];
      /** @type {string[]} */
      const settled = [];
      for (const [digest, line] of [...lines]) {
        if (errors.length === MAX_ERRORS) break;
        await settle(bodyOf(line)).then(
          () => settled.push(digest),
          (error) => errors.push(error),
        );
      }
      await exclusively(async () => {
        for (const digest of settled) lines.delete(digest);
        if (settled.length > 0) size = await rewrite();
      });
      if (errors.length > 0) throw errors[0];
    },

    close: () => exclusively(() => file.close()),

    async status() {
      const [oldest = ''] = lines.values();
      const { size: tornBytes } = await stat(tornPath).catch(() => ({ size: 0 }));
      return { bodies: lines.size, bytes: size, oldest: oldest.split(' ')[1] ?? null, tornBytes };
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

/** @param {string} path */
async function read(path) {
  const file = await open(path, 'a+'); // made if it isn't there
  const text = await file.readFile('latin1');
  await file.close();
  return text;
}

/** @param {string} path @param {'a' | 'w'} flag @param {string} text */
async function write(path, flag, text) {
  const file = await open(path, flag);
  await file.writeFile(text, 'latin1');
  await file.sync();
  await file.close();
}
