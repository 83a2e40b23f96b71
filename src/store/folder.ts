import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { nameOf, type Store } from '../receiver/store.js';

/**
 * The age in milliseconds at which a draft counts as left by a crash. A younger one may belong to a
 * process that is still writing it.
 */
const MIN_DRAFT_AGE = 5 * 60_000;

/** The names of bodies and drafts. Other files are left alone. */
const BODY = /^[^.].*\.json$/;
const DRAFT = /^\.[0-9a-f-]{36}$/;

/** Maximum number of calls of `stat` in progress. A network disk takes milliseconds for each. */
const STATS_AT_ONCE = 256;

/** Bodies contain customers' addresses. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

/**
 * Opens a store in a folder. Creates `retry` and `review` in it, with any missing parents, and
 * tries to write to both. They must be on the same disk, because a draft in `retry` is moved to
 * `review`.
 *
 * @throws Error if one of these fails, or if one of the folders is a file.
 */
export function openFolder(root: string): Store {
  const [retry, review] = [join(root, 'retry'), join(root, 'review')];
  const changed = [...createFolder(retry), ...createFolder(review)];
  for (const folder of [retry, review]) {
    const [draft, moved] = [draftIn(retry), draftIn(folder)];
    closeSync(openSync(draft, 'wx'));
    try {
      renameSync(draft, moved);
    } finally {
      for (const path of [draft, moved]) rmSync(path, { force: true });
    }
  }
  ignoreInGit(root);
  // New folders must survive a power cut. A disk that can't sync a folder throws here.
  for (const path of new Set([...changed, retry, review])) syncFolderNow(path);

  const pathOf = (name: string) => join(retry, DRAFT.test(name) ? name : `${name}.json`);
  return {
    save: ({ to, name, body, reason }) =>
      saveFiles(to === 'retry' ? retry : review, retry, name, body, reason),
    list: () => listBodies(retry),
    read: (name) => readFile(pathOf(name)).catch(nullIfMissing),
    async remove(name) {
      // If a power cut brings the file back, the body is settled once more, like a body that is
      // delivered twice.
      await rm(pathOf(name), { force: true });
      const missing = await rm(join(retry, `${name}.txt`)).catch(nullIfMissing);
      // Without one, someone may have moved the body from `review` to `retry`, and left its reason.
      const isMoved = missing === null && !(await statFile(join(review, `${name}.json`)));
      if (isMoved) await rm(join(review, `${name}.txt`), { force: true });
    },
  };
}

/**
 * @param drafts - The folder `retry`, even for a body for review: a draft that a crash leaves there
 * is tried again.
 */
async function saveFiles(
  folder: string,
  drafts: string,
  name: string,
  body: Uint8Array,
  reason: string,
): Promise<void> {
  const [path, text] = [join(folder, `${name}.json`), join(folder, `${name}.txt`)];
  // The reason is written before the body, so that no body is without a reason. If that fails, the
  // log still has it.
  await writeFile(text, `${reason}\n`, { mode: FILE_MODE }).catch(() => {});
  // A file is whole if its name has the digest of its bytes. A whole file isn't written again, so
  // that it keeps the time when the body first arrived. A damaged file, such as one from a backup,
  // is replaced by a whole body, or by a longer damaged one.
  const isWhole = async (bytes: Uint8Array) => name.endsWith(await nameOf('', bytes));
  const found = await readFile(path).catch(() => null);
  const isNeeded =
    found === null ||
    (!(await isWhole(found)) && (found.length < body.length || (await isWhole(body))));
  if (isNeeded) {
    const write = () => writeBody(draftIn(drafts), path, body);
    await write()
      .catch((error) => {
        if (error.code !== 'ENOENT') throw error;
        // Another process mistook the draft for one that a crash left, because the disk took
        // minutes or clocks differ. That process may have settled the body, which is then settled
        // again, like a repeat.
        return write();
      })
      .catch(async (error) => {
        if (!found) await rm(text).catch(() => {});
        throw error;
      });
  }
  await syncFolder(folder);
}

/**
 * Creates a folder and its missing parents. It doesn't use the option `recursive` of `mkdirSync`,
 * because Node.js 20 then hangs on a folder in /proc.
 *
 * @returns The parent of each folder that it created.
 */
function createFolder(folder: string): string[] {
  const missing: string[] = [];
  let found = folder;
  // The root of a path is its own parent. On Windows, it may be missing.
  while (!existsSync(found) && dirname(found) !== found) {
    missing.unshift(found);
    found = dirname(found);
  }
  // Without this check, the error depends on the system and on the version of Node.js.
  if (!statSync(found).isDirectory()) throw new Error(`${found} is a file`);
  for (const path of missing) {
    try {
      mkdirSync(path, { mode: FOLDER_MODE });
    } catch (error) {
      if (!existsSync(path)) throw error; // otherwise, another process was first
    }
  }
  return missing.map((path) => dirname(path));
}

/** Keeps bodies out of a project's repository, because they are personal data. */
function ignoreInGit(root: string): void {
  try {
    const ours = '/.gitignore\n/retry/\n/review/\n';
    writeFileSync(join(root, '.gitignore'), ours, { flag: 'wx', mode: FILE_MODE });
  } catch {
    // The file exists already, or can't be written. The store works without it.
  }
}

/** Writes a file so that it is whole under its name, even after a crash. */
async function writeBody(draft: string, path: string, body: Uint8Array): Promise<void> {
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
    // On a full disk, each delivery would leave a draft.
    await rm(draft).catch(() => {});
    throw error;
  }
}

function draftIn(folder: string): string {
  return join(folder, `.${randomUUID()}`);
}

/** Lists the names of bodies, the oldest first, with the drafts that a crash left. */
async function listBodies(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => DRAFT.test(file) || BODY.test(file));
  const found: { name: string; time: number }[] = [];
  for (let start = 0; start < files.length; start += STATS_AT_ONCE) {
    const some = files.slice(start, start + STATS_AT_ONCE);
    for (const one of await Promise.all(some.map((file) => findBody(folder, file))))
      if (one !== null) found.push(one);
  }
  return found.sort((one, other) => one.time - other.time).map(({ name }) => name);
}

async function findBody(
  folder: string,
  file: string,
): Promise<{ name: string; time: number } | null> {
  // If this fails, reading the file fails as well, and says why.
  const found = await statFile(join(folder, file)).catch(() => ({ mtimeMs: 0 }));
  if (found === null) return null;
  const isDraft = DRAFT.test(file);
  // An old draft may be whole. If not, the receiver refuses it.
  if (isDraft && found.mtimeMs > Date.now() - MIN_DRAFT_AGE) return null;
  return { name: isDraft ? file : file.slice(0, -'.json'.length), time: found.mtimeMs };
}

/** Returns the size and the times of a file. Null if there is none. */
async function statFile(path: string): Promise<Stats | null> {
  const found = await stat(path).catch(nullIfMissing);
  return found?.isFile() ? found : null;
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/**
 * Makes the names in a folder survive a power cut. Windows can't sync a folder, so there, only the
 * journal of NTFS protects the names.
 */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Like {@link syncFolder}, but blocks. */
function syncFolderNow(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
