import { randomUUID } from 'node:crypto';
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
import {
  isUnchanged,
  PLACES,
  type Place,
  type SavedBody,
  type Store,
  type WaitingBody,
} from '../receiver/store.js';
import { createTurns } from './turns.js';

// A body is a `.json` file in the folder of its place, and has the time of its first arrival. Next
// to it, a `.txt` file has the reason; in `progress`, it says which try a claim is, and has its
// time.
//
// What a power cut leaves, step by step:
//
// 1. A new body is written to `progress`, and synced with its folder. Until then, its file is
//    missing or half. Its sender has had no answer, and its function was not called.
// 2. A body is removed, or moves to `retry` or `review`, without a sync. It is in its old place or
//    in the new one. If that is `progress`, it is tried again: a settled one is a repeat.
// 3. A round moves it from `retry` to `progress`, without a sync. In both, it is tried again.
// 4. A `.txt` file is written, without a sync. Without it, a claim counts from the body's time.
// 5. A refused body is written to `review`, and synced with its folder, before its sender is
//    answered.

/** The names of bodies. Other files are left alone. */
const BODY = /^[^.].*\.json$/;

/** Bodies contain customers' addresses. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

/** For all stores of a process, because they share its threads. */
const inTurn = /* @__PURE__ */ createTurns();

/** Creates the file if it is missing, and doesn't empty it. */
const WRITE = constants.O_CREAT | constants.O_WRONLY;

/**
 * Opens a store in a folder. Creates a folder for each place in it, with any missing parents, and
 * tries to write to all of them. They must be on the same disk, because bodies move between them.
 *
 * @throws Error if one of these fails.
 */
export function createFolderStore(root: string): Store {
  prepareFolders(root);
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

  const isWhole = async (name: string, body: Uint8Array | null) =>
    body !== null && isUnchanged(name, body);

  /** Returns what `list` says of a body in one place; null if it isn't there. */
  async function find(place: WaitingBody['place'], name: string): Promise<WaitingBody | null> {
    const text = await stat(pathOf(place, name, 'txt')).catch(nullIfMissing);
    const file = text ?? (await stat(pathOf(place, name, 'json')).catch(nullIfMissing));
    if (file === null) return null;
    return { name, place, since: file.mtime, tries: place === 'retry' ? 0 : await triesOf(name) };
  }

  async function triesOf(name: string): Promise<number> {
    const text = await readFile(pathOf('progress', name, 'txt'), 'utf8').catch(nullIfMissing);
    const [count = 1] = /\d+/.exec(text ?? '') ?? [];
    return Number(count);
  }

  /** Claims a delivery. One that waits for a decision stays in `review`, which no round takes. */
  async function claimNew({ name, body }: SavedBody): Promise<void> {
    if ((await readIn('review', name))?.equals(body)) return;
    if ((await readIn('retry', name))?.equals(body)) {
      await writeClaim(name, 1);
      if (await move('retry', 'progress', name)) return;
    }
    const isThere = (await readIn('progress', name)) !== null;
    // Without its body, the text of an earlier claim would make this one look old.
    if (!isThere) await rm(pathOf('progress', name, 'txt'), { force: true });
    await write('progress', name, body);
    if (isThere) await writeClaim(name, await triesOf(name));
  }

  /**
   * Claims what a round has found. Returns false if it is no longer as it was found. Of two
   * processes that do this at the same moment, one gets a body in `retry`, but both a claim that
   * has run out.
   */
  async function claimFound({ place, name, since, tries }: WaitingBody): Promise<boolean> {
    const found = await find(place, name);
    if (found?.since.getTime() !== since.getTime()) return false;
    if (place === 'progress') {
      await writeClaim(name, tries + 1);
      return true;
    }
    if ((await readIn('retry', name)) === null) return false;
    await writeClaim(name, 1);
    if (await move('retry', 'progress', name)) return true;
    // Another process was first. If it has ended its claim as well, this text is left over.
    if ((await readIn('progress', name)) === null)
      await rm(pathOf('progress', name, 'txt'), { force: true });
    return false;
  }

  /** Comes before the move of a body. Otherwise, the claim would count from the body's arrival. */
  async function writeClaim(name: string, tries: number): Promise<void> {
    const text = pathOf('progress', name, 'txt');
    await writeFile(text, `in progress, try ${tries}\n`, { mode: FILE_MODE });
  }

  /** Ends a claim. */
  async function endClaim({ to, name, body, reason }: SavedBody): Promise<void> {
    const isInReview = await isWhole(name, await readIn('review', name));
    const at = to === 'retry' && isInReview ? 'review' : to;
    await put(at, name, body);
    // A whole body in review keeps its own reason, whatever half a file of it says.
    const flag = isInReview && !(await isWhole(name, body)) ? 'wx' : 'w';
    // If this fails, the log still has the reason.
    const text = pathOf(at, name, 'txt');
    await writeFile(text, `${reason}\n`, { mode: FILE_MODE, flag }).catch(() => {});
  }

  /** Moves a body to a place from lower ones, or writes it there. */
  async function put(at: Place, name: string, body: Uint8Array): Promise<void> {
    const lower = PLACES.slice(0, PLACES.indexOf(at));
    const isWholeAt = async (place: Place) => isWhole(name, await readIn(place, name));
    let isMoved = false;
    for (const place of lower) {
      const found = await readIn(place, name);
      // A whole file is moved over an equal one, and not removed, because another process may be
      // moving that one away. Of two files, that in `retry` is older, and moves last.
      const isThere = isMoved || (await isWholeAt(at));
      if ((await isWhole(name, found)) || (!isThere && found?.equals(body))) {
        if (await move(place, at, name)) isMoved = true;
      }
    }
    if (!isMoved) await write(at, name, body);
    const isThere = await isWholeAt(at);
    for (const place of lower) {
      // Half a file goes only if there is a whole one.
      if (isThere && !(await isWholeAt(place))) {
        await rm(pathOf(place, name, 'json'), { force: true });
      }
      await rm(pathOf(place, name, 'txt'), { force: true });
    }
  }

  /** Moves a file. Returns false if it is missing, because another process was first. */
  async function move(from: Place, to: Place, name: string): Promise<boolean> {
    try {
      await rename(pathOf(from, name, 'json'), pathOf(to, name, 'json'));
      return true;
    } catch (error) {
      return nullIfMissing(error as NodeJS.ErrnoException) !== null;
    }
  }

  /**
   * Writes a body unless it is there, and makes it and its name survive a power cut. If its file
   * ends up half, the digest in its name says so. Several processes may write the same body at the
   * same time: each writes the same bytes to the same places, and none empties the file, so that
   * once it is whole, it stays whole.
   */
  async function write(place: Place, name: string, body: Uint8Array): Promise<void> {
    const isThere = await isWhole(name, await readIn(place, name));
    const file = await open(pathOf(place, name, 'json'), WRITE, FILE_MODE);
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
    await syncFolder(join(root, place));
  }

  return {
    save: (saved) =>
      inTurn(async () => {
        if (saved.from) return claimFound(saved.from);
        return saved.to === 'progress' ? claimNew(saved) : endClaim(saved);
      }),
    async list() {
      const waiting: WaitingBody[] = [];
      for (const place of ['progress', 'retry'] as const) {
        // After a long outage, there are many bodies. So others have their turns in between.
        for (const name of await inTurn(() => namesIn(place))) {
          const found = await inTurn(() => find(place, name));
          if (found !== null) waiting.push(found);
        }
      }
      return waiting;
    },
    read: (name) =>
      inTurn(async () => {
        const body = await readIn('retry', name);
        if (await isWhole(name, body)) return body;
        return (await readIn('progress', name)) ?? body;
      }),
    remove: (name) =>
      inTurn(async () => {
        for (const place of PLACES) {
          for (const ending of ['json', 'txt'] as const)
            await rm(pathOf(place, name, ending), { force: true });
        }
      }),
  };
}

/** Creates the folders, tries to move a file through them, and makes them survive a power cut. */
function prepareFolders(root: string): void {
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
