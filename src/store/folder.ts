import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Place, SavedBody, Store, WaitingBody } from '../receiver/store.js';
import { createTurns } from './turns.js';

// A body is a `.json` file in the folder of its place. Beside it, a `.txt` file has the reason; in
// `progress`, it says which try a claim is. What a power cut leaves, step by step:
//
// 1. A body is written to `progress`, and synced with its folder. Before that, its file is missing or
//    half. Its sender has had no answer, and its function was not called.
// 2. It is removed, or renamed to `retry` or `review`, without a sync. It is in its old place or in
//    the new one. In `progress`, it is tried once more, and moves again: a settled one is a repeat.
// 3. A round renames it from `retry` to `progress`. Either place is tried again.
// 4. A `.txt` file is written, without a sync. Without one, a claim counts from the time of its body.
// 5. A refused body is written to `review`, and synced with its folder before its sender is answered.
//
// So 1 and 5 are the only syncs. The time of a `.json` file is that of the first arrival: it is
// renamed, but never written again. A claim has the time of its `.txt`.

const PLACES = ['progress', 'retry', 'review'] as const;

/** The names of bodies. Other files are left alone. */
const BODY = /^[^.].*\.json$/;
const WITH_DIGEST = /\.([\da-f]{16})$/;

/** Bodies contain customers' addresses. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

/** Creates the file if it is missing, and doesn't empty it. */
const WRITE = constants.O_CREAT | constants.O_WRONLY;

/**
 * Opens a store in a folder. Creates a folder for each place in it, with any missing parents, and
 * tries to write to all of them. They must be on the same disk, because bodies move between them.
 *
 * @throws Error if one of these fails.
 */
export function openFolder(root: string): Store {
  prepare(root);
  const pathOf = (place: Place, name: string, ending: 'json' | 'txt') =>
    join(root, place, `${name}.${ending}`);
  const readIn = (place: Place, name: string) =>
    readFile(pathOf(place, name, 'json')).catch(nullIfMissing);

  async function namesIn(place: Place): Promise<string[]> {
    const files = await readdir(join(root, place), { withFileTypes: true });
    return files
      .filter((file) => BODY.test(file.name) && file.isFile())
      .map((file) => file.name.slice(0, -'.json'.length));
  }

  /** Returns what `list` says of a body in one place; null if it isn't there. */
  async function find(place: WaitingBody['place'], name: string): Promise<WaitingBody | null> {
    const text = await stat(pathOf(place, name, 'txt')).catch(nullIfMissing);
    if (place === 'retry' && text !== null) return { name, place, since: text.mtime, tries: 0 };
    const body = await stat(pathOf(place, name, 'json')).catch(nullIfMissing);
    if (body === null) return null;
    if (place === 'retry') return { name, place, since: body.mtime, tries: 0 };
    // A text that is older than the body is left of an earlier claim.
    const isClaimed = text !== null && text.mtimeMs > body.mtimeMs;
    if (!isClaimed) return { name, place, since: body.mtime, tries: 1 };
    return { name, place, since: text.mtime, tries: await triesOf(name) };
  }

  async function triesOf(name: string): Promise<number> {
    const text = await readFile(pathOf('progress', name, 'txt'), 'utf8').catch(nullIfMissing);
    const [count = 1] = /\d+/.exec(text ?? '') ?? [];
    return Number(count);
  }

  const claim = (name: string, tries: number) =>
    writeFile(pathOf('progress', name, 'txt'), `in progress, try ${tries}\n`, { mode: FILE_MODE });

  /** Claims what a round has found. Returns false if it is no longer as it was found. */
  async function take({ place, name, since, tries }: WaitingBody): Promise<boolean> {
    const found = await find(place, name);
    if (found?.since.getTime() !== since.getTime()) return false;
    // The text comes first. Without it, the claim would count from the body's arrival.
    await claim(name, tries + 1);
    return place === 'progress' || move(pathOf('retry', name, 'json'), 'progress', name);
  }

  /** Moves a file to a place. Returns false if it is missing. */
  async function move(from: string, to: Place, name: string): Promise<boolean> {
    try {
      await rename(from, pathOf(to, name, 'json'));
      return true;
    } catch (error) {
      return nullIfMissing(error as NodeJS.ErrnoException) !== null;
    }
  }

  /** Writes a body, and makes it and its name survive a power cut. */
  async function write(place: Place, name: string, body: Uint8Array): Promise<void> {
    const path = pathOf(place, name, 'json');
    const isThere = (await readIn(place, name))?.equals(body) ?? false;
    await writeBody(path, body, isThere);
    await syncFolder(join(root, place));
    if (isThere && place === 'progress') await claim(name, await triesOf(name));
  }

  /** Whether a whole body is in a place, as far as the digest in its name says. */
  async function isWhole(place: Place, name: string): Promise<boolean> {
    const [, digest] = WITH_DIGEST.exec(name) ?? [];
    const body = await readIn(place, name);
    return body !== null && (digest === undefined || digest === digestOf(body));
  }

  /** Moves a body to `retry` or `review`, whichever place it is in, or writes it there. */
  async function put(to: 'retry' | 'review', name: string, body: Uint8Array): Promise<void> {
    if (await isWhole(to, name)) return;
    for (const place of ['retry', 'progress'] as const) {
      // Of two files, that in `retry` has the time of the first arrival.
      if (place === to || !(await readIn(place, name))?.equals(body)) continue;
      if (await move(pathOf(place, name, 'json'), to, name)) return;
    }
    await write(to, name, body);
  }

  async function removeFrom(place: Place, name: string): Promise<void> {
    await rm(pathOf(place, name, 'json'), { force: true });
    await rm(pathOf(place, name, 'txt'), { force: true });
  }

  async function save({ to, name, body, reason, from }: SavedBody): Promise<unknown> {
    if (to === 'progress') return from ? take(from) : write(to, name, body);
    // Someone decides about it, and has not yet.
    const at = to === 'retry' && (await isWhole('review', name)) ? 'review' : to;
    await put(at, name, body);
    for (const place of PLACES.slice(0, PLACES.indexOf(at))) await removeFrom(place, name);
    // If this fails, or the process ends before it, the log still has the reason.
    const text = pathOf(at, name, 'txt');
    await writeFile(text, `${reason}\n`, { mode: FILE_MODE }).catch(() => {});
    return;
  }

  // One file after another, so that a disk that hangs holds one thread for each call.
  async function list(): Promise<WaitingBody[]> {
    const waiting: WaitingBody[] = [];
    for (const place of ['progress', 'retry'] as const) {
      for (const name of await namesIn(place)) {
        const found = await find(place, name);
        if (found !== null) waiting.push(found);
      }
    }
    return waiting;
  }

  const inTurn = createTurns();
  return {
    save: (saved) => inTurn(() => save(saved)),
    list: () => inTurn(list, 30_000), // there are many bodies after a long outage
    read: (name) => inTurn(async () => (await readIn('retry', name)) ?? readIn('progress', name)),
    remove: (name) =>
      inTurn(async () => {
        for (const place of PLACES) await removeFrom(place, name);
      }),
  };
}

/** Creates the folders, tries to move a file through them, and makes them survive a power cut. */
function prepare(root: string): void {
  const created = PLACES.map((place) =>
    mkdirSync(join(root, place), { recursive: true, mode: FOLDER_MODE }),
  );
  let tried = join(root, 'progress', `.${randomUUID()}`);
  closeSync(openSync(tried, 'wx'));
  try {
    for (const place of PLACES) {
      const moved = join(root, place, `.${randomUUID()}`);
      renameSync(tried, moved);
      tried = moved;
    }
  } finally {
    rmSync(tried, { force: true });
  }
  ignoreInGit(root);
  // A disk that can't sync a folder throws here.
  for (const place of PLACES) syncFolderNow(join(root, place));
  syncFolderNow(root);
  // Each parent that was created is a name in the folder above it.
  const [first] = created;
  for (let path = root; first && path.length >= first.length; path = dirname(path)) {
    syncFolderNow(dirname(path));
  }
}

/** Keeps bodies out of a project's repository, because they are personal data. */
function ignoreInGit(root: string): void {
  try {
    const ours = ['.gitignore', 'progress/', 'retry/', 'review/'].map((name) => `/${name}\n`);
    writeFileSync(join(root, '.gitignore'), ours.join(''), { flag: 'wx', mode: FILE_MODE });
  } catch {
    // The file exists already, or can't be written. The store works without it.
  }
}

/**
 * Writes a file under its own name: if it ends up half, its digest says so. Several processes may
 * write the same body at the same time. Each writes the same bytes to the same places, and none
 * empties the file, so once it is whole, it stays whole.
 */
async function writeBody(path: string, body: Uint8Array, isThere: boolean): Promise<void> {
  const file = await open(path, WRITE, FILE_MODE);
  try {
    // It may have been removed meanwhile.
    if (!isThere || (await file.stat()).size === 0) {
      await file.writeFile(body);
      await file.truncate(body.length);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The part of a body's SHA-256 with which its name ends. */
function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16);
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
