import fs from 'node:fs';
import promises, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedBody } from 'payment-notifications/store';
import { afterAll, afterEach, vi } from 'vitest';
import { bytes, until } from '../receiver/setup.js';

export const PLACES = ['progress', 'retry', 'review'] as const;

/** A name with the digest of `{}`. */
export const NAME = 'a.44136fa355b3678a';

export const saved = (body: string, more: Partial<SavedBody> = {}): SavedBody => ({
  ...{ to: 'progress', name: NAME, key: null, reason: 'no', body: bytes(body) },
  ...more,
});

export const textOf = (path: string): string => fs.readFileSync(path, 'utf8');

/** Replaces a function of the file system until the test ends. */
export function replace(module: object, name: string, run: (...args: never[]) => unknown): void {
  vi.spyOn(module as Record<string, () => unknown>, name).mockImplementation(run as never);
  syncBuiltinESMExports();
}

/** What of the store is still open. */
export function openFiles(folder: string): string[] {
  const paths = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    return fs.existsSync(path) ? fs.readlinkSync(path) : []; // one was open only to list them
  });
  return paths.filter((path) => path.startsWith(folder));
}

/** Has the methods of all open files. */
async function openedFile() {
  const file = await open(tmpdir());
  await file.close();
  return Object.getPrototypeOf(file);
}

/** Lists what has been written and synced, in order. Some of it fails. */
export async function watchFiles(failing: RegExp = /^$/): Promise<string[]> {
  const prototype = await openedFile();
  const done: string[] = [];
  const check = (name: string, fd: number) => {
    const what = `${name} ${fs.readlinkSync(`/proc/self/fd/${fd}`)}`;
    if (!failing.test(what)) return what;
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  for (const name of ['writeFile', 'sync'] as const) {
    const original = prototype[name];
    replace(prototype, name, async function (this: { fd: number }, ...args) {
      const what = check(name, this.fd);
      await original.apply(this, args);
      done.push(what);
    });
  }
  const { fsyncSync } = fs;
  replace(fs, 'fsyncSync', (fd: number) => {
    done.push(check('sync', fd));
    fsyncSync(fd);
  });
  return done;
}

/** Lets the next calls of a function of the file system wait, until `end` ends one. */
export function hold(
  name: 'readdir' | 'rename' | 'rm' | 'stat' | 'readFile' | 'open',
  count: number = Number.POSITIVE_INFINITY,
) {
  let left = count;
  const original = promises[name] as (...args: unknown[]) => Promise<unknown>;
  const held: (() => void)[] = [];
  replace(promises, name, async (...args) => {
    left -= 1;
    if (left >= 0) await new Promise<void>((resolve) => held.push(resolve));
    return original(...args);
  });
  const reached = (waiting = 1) => until(() => held.length === waiting);
  return { reached, end: () => held.shift()?.() };
}

/** Gives each test a path at which nothing is yet, and undoes what the test has replaced. */
export function temporaryFolder() {
  const base = fs.mkdtempSync(join(tmpdir(), 'store-'));
  const folder = join(base, 'webhooks');
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    syncBuiltinESMExports();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  afterAll(() => fs.rmSync(base, { recursive: true }));
  /** `progress.json` is the body of {@link NAME} in `progress`. */
  const pathOf = (file: string, name = NAME) => {
    const [place = '', ending] = file.split('.');
    return join(folder, place, `${name}.${ending}`);
  };
  return {
    ...{ base, folder, pathOf },
    files: (place: string) => fs.readdirSync(join(folder, place)).sort(),
    /** All files of a name, each with its text. */
    state(name = NAME): Record<string, string> {
      const files = PLACES.flatMap((place) => [`${place}.json`, `${place}.txt`]);
      const there = files.filter((file) => fs.existsSync(pathOf(file, name)));
      return Object.fromEntries(there.map((file) => [file, textOf(pathOf(file, name))]));
    },
    /** Writes a file as it was, some minutes ago. */
    leave(path: string, text: string, minutes: number): Date {
      fs.writeFileSync(path, text);
      const time = new Date(Math.round(Date.now() / 1000 - minutes * 60) * 1000);
      fs.utimesSync(path, time, time);
      return time;
    },
  };
}
