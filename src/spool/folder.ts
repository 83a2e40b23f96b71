import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, type Stats, statSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';

/**
 * From this age on, a draft is what a crash left, in milliseconds. A newer one may still be
 * written.
 */
const MIN_DRAFT_AGE = 5 * 60_000;

/**
 * The names of bodies and drafts. Other files are left alone, because the folder may be a wrong
 * one.
 */
const BODY = /^[0-9a-f]{64}$/;
const DRAFT = /^\.[0-9a-f-]{36}$/;

/** Bodies contain customers' addresses. */
const [FILE_MODE, FOLDER_MODE] = [0o600, 0o700];

/**
 * Creates a folder with its parents, and tries to write to it.
 *
 * @throws Error of the file system if one of these fails.
 */
export function prepareFolder(folder: string): void {
  const changed = createFolder(folder);
  const draft = draftPath(folder);
  closeSync(openSync(draft, 'wx'));
  rmSync(draft);
  // So that new folders survive a power cut, and a disk that can't promise that fails here.
  for (const path of [...changed, folder]) syncFolderNow(path);
}

/**
 * Not `recursive`, with which Node.js 20 never returns from /proc.
 *
 * @returns The folders in which one was created.
 */
function createFolder(folder: string): string[] {
  if (isFolder(folder)) return [];
  const parent = dirname(folder);
  const changed = createFolder(parent);
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (!isFolder(folder)) throw error; // otherwise, another process was first
  }
  return [...changed, parent];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Writes a file so that it is whole under its name, even after a crash. */
export async function writeBody(folder: string, name: string, body: Uint8Array): Promise<void> {
  const draft = draftPath(folder);
  try {
    const file = await open(draft, 'wx', FILE_MODE);
    try {
      await file.writeFile(body);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(folder, name));
  } catch (error) {
    // On a full disk, each delivery would leave one.
    await rm(draft).catch(() => {});
    throw error;
  }
}

function draftPath(folder: string): string {
  return join(folder, `.${randomUUID()}`);
}

/** Lists the paths of bodies, the oldest first, with the drafts that a crash left. */
export async function listBodies(folder: string): Promise<string[]> {
  const files: { path: string; time: number }[] = [];
  for (const name of await readdir(folder)) {
    const isDraft = DRAFT.test(name);
    if (!isDraft && !BODY.test(name)) continue;
    const path = join(folder, name);
    // If this fails, reading the file fails as well, and says why.
    const found = await statFile(path).catch(() => ({ mtimeMs: 0 }));
    if (found === null) continue;
    // A draft that a crash left may be whole. If not, the receiver refuses it.
    if (isDraft && found.mtimeMs > Date.now() - MIN_DRAFT_AGE) continue;
    files.push({ path, time: found.mtimeMs });
  }
  return files.sort((one, other) => one.time - other.time).map(({ path }) => path);
}

/** Returns the size and the times of a file. Null if there is none. */
export async function statFile(path: string): Promise<Stats | null> {
  const found = await stat(path).catch(nullIfMissing);
  return found?.isFile() ? found : null;
}

export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/**
 * Makes the names in a folder survive a power cut. Windows can't sync a folder: there, the journal
 * of NTFS has to do.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Like {@link syncFolder}, at the start. */
function syncFolderNow(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
