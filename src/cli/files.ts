import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { escapeUnprintable } from '../parser/messages.js';
import { PLACES } from '../receiver/store.js';
import { redactUrlsIn } from '../shared/redact.js';

/** What a store has written about a body. */
export interface Saved {
  /** `progress`, `retry` or `review`, or the folder of a copy. */
  readonly folder: string;
  /** Null for a copy, such as a download, whose file has another time. */
  readonly since: Date | null;
  readonly reason: string | null;
}

export const STDIN = '-';
/** The names of a body in a store, and of the reason next to it. */
const [SAVED, REASON] = [/\.[\da-f]{16}\.json$/, /\.[\da-f]{16}\.txt$/];
/** Maximum length of a reason, in characters. A longer one is truncated. */
const MAX_REASON = 1000;

/** Returns a file name for messages. Hides secrets, because it may be a URL by mistake. */
export function displayName(file: string): string {
  return file === STDIN ? 'standard input' : escapeUnprintable(redactUrlsIn(file));
}

/**
 * Lists a file, or the bodies in a folder. The files of a folder are sorted by name.
 *
 * @param skip - Called if the file or folder is missing, or a folder can't be listed.
 */
export function filesAt(path: string, skip: (path: string, error: unknown) => void): string[] {
  try {
    if (path === STDIN || !statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { withFileTypes: true });
    const files = entries.filter((entry) => isBodyIn(path, entry)).map(({ name }) => name);
    // The only subfolders that are read are those of a store.
    const has = (name: string): boolean =>
      entries.some((entry) => entry.name === name && entry.isDirectory());
    const places = has('retry') && has('review') ? PLACES.filter(has) : [];
    const inside = places.map((name) => filesAt(join(path, name), skip));
    return [...files.sort().map((name) => join(path, name)), ...inside.flat()];
  } catch (error) {
    skip(path, error);
    return [];
  }
}

function isBodyIn(folder: string, entry: Dirent): boolean {
  const { name } = entry;
  if (name.startsWith('.') || REASON.test(name)) return false;
  if (!entry.isSymbolicLink()) return entry.isFile();
  // A link to a folder isn't followed, because it may lead back to this folder.
  try {
    return statSync(join(folder, name)).isFile();
  } catch {
    return true; // reading it will say what is wrong with it
  }
}

/** Returns what a store has written about a body; null for another file. */
export function savedAt(path: string): Saved | null {
  if (!SAVED.test(path)) return null;
  const folder = basename(dirname(resolve(path)));
  const reason = readReason(path.replace(/json$/, 'txt'));
  const isInStore = PLACES.some((place) => place === folder);
  if (reason === null && !isInStore) return null;
  // The time of a file says when its body was saved, because only a damaged file is written again.
  return { folder, since: isInStore ? statSync(path).mtime : null, reason };
}

function readReason(path: string): string | null {
  try {
    // To open a pipe would wait for its writer, and a device may have no end.
    return statSync(path).isFile() ? readFileSync(path, 'utf8').slice(0, MAX_REASON).trim() : null;
  } catch {
    return null;
  }
}
