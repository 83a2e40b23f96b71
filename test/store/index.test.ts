import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import promises, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createStore, type SavedBody } from 'payment-notifications/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytes, DEPOSIT } from '../receiver/setup.js';

let base: string;
let folder: string;
let retry: string;
let review: string;
beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), 'store-'));
  folder = join(base, 'webhooks');
  [retry, review] = [join(folder, 'retry'), join(folder, 'review')];
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  fs.rmSync(base, { recursive: true });
});

/** A name with the digest of `{}`. */
const NAME = 'a.44136fa355b3678a';

const saved = (body: string, more: Partial<SavedBody> = {}): SavedBody => ({
  ...{ to: 'retry', name: 'a', key: null, reason: 'no', body: bytes(body) },
  ...more,
});
const files = (path = retry) => fs.readdirSync(path).sort();
const textOf = (path: string) => fs.readFileSync(path, 'utf8');

/** What of the store is still open. */
function openFiles() {
  const paths = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    return fs.existsSync(path) ? fs.readlinkSync(path) : []; // one was open only to list them
  });
  return paths.filter((path) => path.startsWith(folder));
}

/** Writes a file of `retry` as it was, some minutes ago. */
function leave(name: string, body: string, minutes: number) {
  fs.mkdirSync(retry, { recursive: true });
  fs.writeFileSync(join(retry, name), body);
  const at = Date.now() / 1000 - minutes * 60;
  fs.utimesSync(join(retry, name), at, at);
}

const isBody = (name: string) => name.endsWith('.json');

/** Lists what is done to files, in order, with the bodies of a folder. Some of it fails. */
async function watchFiles(failing = /^$/) {
  const file = await open(tmpdir());
  await file.close();
  const prototype = Object.getPrototypeOf(file);
  const done: string[] = [];
  const record = (name: string, fd: number) => {
    const path = fs.readlinkSync(`/proc/self/fd/${fd}`);
    const what = `${name} ${path.replace(/[0-9a-f-]{36}$/, 'draft')}`;
    if (what.endsWith('.txt')) return; // only informs
    if (failing.test(what))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    done.push(what.endsWith('draft') ? what : `${what} ${files(path).filter(isBody)}`);
  };
  for (const name of ['writeFile', 'sync'] as const) {
    const original = prototype[name];
    vi.spyOn(prototype, name).mockImplementation(async function (this: typeof file, ...args) {
      record(name, this.fd);
      return original.apply(this, args);
    });
  }
  const { fsyncSync } = fs;
  replace(fs, 'fsyncSync', (fd: number) => {
    record('sync', fd);
    fsyncSync(fd);
  });
  return done;
}

/** Replaces a function of the file system until the test ends. */
function replace(module: object, name: string, run: (...args: never[]) => unknown) {
  vi.spyOn(module as Record<string, () => unknown>, name).mockImplementation(run as never);
  syncBuiltinESMExports();
}

test('new folders are on the disk before anything is saved, and Git ignores them', async () => {
  const done = await watchFiles();
  createStore(folder);
  expect(done).toStrictEqual([base, folder, retry, review].map((path) => `sync ${path} `));
  for (const path of [folder, retry, review]) expect(fs.statSync(path).mode & 0o777).toBe(0o700);
  expect(textOf(join(folder, '.gitignore'))).toBe('/.gitignore\n/retry/\n/review/\n');
  fs.writeFileSync(join(folder, '.gitignore'), 'own');
  createStore(folder);
  expect(textOf(join(folder, '.gitignore'))).toBe('own');
});

test.each(['retry', 'review'] as const)(
  'a body is on the disk before its name is, and both before save resolves: %s',
  async (to) => {
    const { save } = createStore(folder);
    const done = await watchFiles();
    await save(saved('{}', { to, reason: 'the order is unknown' }));
    const path = join(folder, to);
    // Drafts are in `retry`, where they are found after a crash.
    const file = [`writeFile ${retry}/.draft`, `sync ${retry}/.draft`];
    expect(done).toStrictEqual([...file, `sync ${path} a.json`]);
    expect(files(path)).toStrictEqual(['a.json', 'a.txt']);
    expect(textOf(join(path, 'a.json'))).toBe('{}');
    expect(textOf(join(path, 'a.txt'))).toBe('the order is unknown\n');
    for (const name of files(path)) expect(fs.statSync(join(path, name)).mode & 0o777).toBe(0o600);
  },
);

test('a folder that another process creates at the same time is used', () => {
  const { mkdirSync } = fs;
  replace(fs, 'mkdirSync', (path: string) => {
    mkdirSync(path);
    mkdirSync(path);
  });
  createStore(folder);
  expect(files()).toStrictEqual([]);
});

test('the same body is saved once, with the time of its first arrival and its last reason', async () => {
  const [one, other] = [createStore(folder), createStore(folder)];
  const [path, reason] = [join(retry, `${NAME}.json`), join(retry, `${NAME}.txt`)];
  leave(`${NAME}.json`, '{}', 60);
  const before = fs.statSync(path).mtimeMs;
  const done = await watchFiles();
  await one.save(saved('{}', { name: NAME, reason: 'another' }));
  expect(fs.statSync(path).mtimeMs).toBe(before);
  expect(textOf(reason)).toBe('another\n');
  expect(done).toStrictEqual([`sync ${retry} ${NAME}.json`]); // another may have written its name
  await Promise.all([one, other, one, other].map(({ save }) => save(saved('[]', { name: 'b' }))));
  expect(files()).toStrictEqual([`${NAME}.json`, `${NAME}.txt`, 'b.json', 'b.txt']);
});

test('what is saved leaves no file or folder open', async () => {
  await createStore(folder).save(saved('{}'));
  expect(openFiles()).toStrictEqual([]);
});

test('a file that can’t be read is written anew', async () => {
  const { save } = createStore(folder);
  leave(`${NAME}.json`, '', 60);
  replace(promises, 'readFile', () => Promise.reject(new Error('EACCES: permission denied')));
  await save(saved('{}', { name: NAME }));
  expect(textOf(join(retry, `${NAME}.json`))).toBe('{}');
});

test.each([
  ['{', '{}', '{}'],
  ['\0\0', '{}', '{}'],
  ['{}}', '{}', '{}'],
  ['{}', '{', '{}'],
  ['{"a', '{"', '{"a'],
  ['{"a', '{"b', '{"a'],
  ['{"', '{"a', '{"a'],
])('of the file %j and the body %j of its name, the whole or longer one stays', async (...row) => {
  const [found, body, left] = row;
  leave(`${NAME}.json`, found, 60);
  await createStore(folder).save(saved(body, { name: NAME }));
  expect(files()).toStrictEqual([`${NAME}.json`, `${NAME}.txt`]);
  expect(textOf(join(retry, `${NAME}.json`))).toBe(left);
});

test.each([
  ['', 'an empty string'],
  [undefined, 'nothing'],
  [5, '5'],
])('%j is not a folder: it would be the working directory, or none', (value, received) => {
  const message = `folder: expected the path of a folder, received ${received}. Pass one for bodies only, such as webhooks`;
  expect(() => createStore(value as string)).toThrow(new TypeError(message));
});

describe('a folder that can’t be written to', () => {
  const FULL = "can't be written to: ENOSPC: no space left on device";

  test('is an error at the start', async () => {
    const error = (path: string, code: string) => `store: ${path} can't be written to: ${code}`;
    expect(() => createStore('/proc')).toThrow(error('/proc', 'ENOENT'));
    expect(() => createStore('/proc/a/b')).toThrow(error('/proc/a/b', 'ENOENT')); // and returns
    fs.writeFileSync(folder, 'a file');
    for (const path of [folder, retry, join(retry, 'a')])
      expect(() => createStore(path)).toThrow(error(path, `${folder} is a file`));
    fs.rmSync(folder);
    await watchFiles(/^sync .*retry$/);
    expect(() => createStore(folder)).toThrow(FULL);
  });

  test('is an error at the start, if `review` is on another disk', () => {
    const disks = ['/dev/shm', '/var/tmp'];
    const disk = disks.find((path) => fs.statSync(path).dev !== fs.statSync(base).dev);
    const other = fs.mkdtempSync(`${disk}/review-`);
    try {
      fs.mkdirSync(folder);
      fs.symlinkSync(other, review);
      expect(() => createStore(folder)).toThrow('EXDEV');
      expect(files()).toStrictEqual([]);
    } finally {
      fs.rmSync(other, { recursive: true });
    }
  });

  test.each(['mkdirSync', 'openSync'] as const)(
    'is an error at the start, if %s fails',
    async (name) => {
      if (name === 'openSync') createStore(folder);
      const original: (...args: never[]) => unknown = fs[name];
      replace(fs, name, (...args) => {
        if (args[1] === 'r') return original(...args); // to sync a folder
        throw Object.assign(new Error(`EACCES: permission denied, ${name}`), { code: 'EACCES' });
      });
      const reason = `store: ${folder} can't be written to: EACCES: permission denied, ${name}`;
      expect(() => createStore(folder)).toThrow(reason);
    },
  );

  test.each(['writeFile', 'sync'])('later, at %s, rejects and leaves no draft', async (name) => {
    const { save } = createStore(folder);
    await watchFiles(new RegExp(`^${name} .*draft$`));
    const opened = vi.spyOn(promises, 'open');
    syncBuiltinESMExports();
    const message = `store: ${folder} ${FULL}`;
    await expect(save(saved('{}'))).rejects.toMatchObject({ message, cause: { code: 'ENOSPC' } });
    expect(opened).toHaveBeenCalledTimes(1); // a second attempt would fail as well
    expect(files()).toStrictEqual([]);
    expect(openFiles()).toStrictEqual([]);
  });

  test('keeps the reason of a body that was saved before', async () => {
    const { save } = createStore(folder);
    leave(`${NAME}.json`, '{', 60); // cut by a restored backup
    await watchFiles(/^sync .*draft$/);
    await expect(save(saved('{}', { name: NAME, reason: 'later' }))).rejects.toThrow('ENOSPC');
    expect(files()).toStrictEqual([`${NAME}.json`, `${NAME}.txt`]);
  });

  test('as the first error says, even if the draft can’t be removed either', async () => {
    const { save } = createStore(folder);
    await watchFiles(/^writeFile .*draft$/);
    replace(promises, 'rm', () => Promise.reject(new Error('EROFS: read-only file system')));
    await expect(save(saved('{}'))).rejects.toThrow(FULL);
  });

  test('because it is gone, rejects', async () => {
    const { save, list } = createStore(folder);
    fs.rmSync(folder, { recursive: true });
    await expect(save(saved('{}'))).rejects.toThrow(/ENOENT: no such file or directory, open/);
    await expect(list()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('at the reason, loses no body', async () => {
    const { save, read } = createStore(folder);
    fs.mkdirSync(join(retry, 'a.txt'));
    await save(saved('{}'));
    expect(await read('a')).not.toBeNull();
  });
});

/** A disk of 64 KiB of its own, which ends with the process. */
const MOUNT = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"'];

const [unshare = '', ...unshareArgs] = MOUNT;
// Not in a container that may mount nothing.
const canMount = spawnSync(unshare, [...unshareArgs, '/mnt', 'true']).status === 0;

test.runIf(canMount)(
  'on a disk that is full, and then read-only, no body is lost in silence',
  async () => {
    fs.mkdirSync(folder);
    const script = `
      import { execFileSync } from 'node:child_process';
      import fs from 'node:fs';
      import { createReceiver, NeedsReview } from './src/receiver/index.ts';
      import { createStore } from './src/store/index.ts';
      const [folder, body] = process.argv.slice(1);
      const told = [];
      const receiver = createReceiver({
        secret: null,
        store: createStore(folder),
        async onDepositReceived() { if (told.length < 12) throw new NeedsReview('no'); },
        log: ({ outcome, message }) => told.push(outcome, message),
      });
      const send = async (text) => told.push((await receiver.receive({ body: text, url: '/' })).status);
      try {
        for (;;) fs.appendFileSync(folder + '/filler', Buffer.alloc(4096));
      } catch (error) {
        told.push(error.code);
      }
      await send(body);
      told.push(fs.readdirSync(folder + '/retry').length, fs.readdirSync(folder + '/review').length);
      fs.rmSync(folder + '/filler');
      await send(body);
      const [name] = fs.readdirSync(folder + '/review');
      fs.renameSync(folder + '/review/' + name, folder + '/retry/' + name);
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      await send('{');
      await receiver.retry();
      console.log(JSON.stringify(told));`;
    const [program = '', ...args] = [...MOUNT, folder, process.execPath, '--import', 'tsx'];
    const evaluate = ['--input-type=module', '--eval', script, folder, DEPOSIT];
    const { stdout } = await promisify(execFile)(program, [...args, ...evaluate]);
    const lost = (reason: string, what: string) =>
      expect.stringMatching(
        `${reason}.* The body was not saved: store: ${folder} can't be written to: ${what}`,
      );
    expect(JSON.parse(stdout)).toStrictEqual([
      ...['ENOSPC', 'failed', lost('no', 'ENOSPC'), 500, 0, 0],
      ...['review', 'no', 200],
      ...['failed', lost('incomplete', 'EROFS'), 500],
      // It is settled, and then it can't be removed.
      ...['settled', 'settled', 'failed', expect.stringMatching(/ waits: EROFS/)],
    ]);
  },
);

test('Windows can’t sync a folder, so there it isn’t tried', async () => {
  const done = await watchFiles();
  const { platform } = process;
  try {
    Object.defineProperty(process, 'platform', { value: 'win32' });
    await createStore(folder).save(saved('{}'));
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
  expect(done.filter((what) => !what.endsWith('draft'))).toStrictEqual([]);
});

test('lists what waits, the oldest first, and no other files: the folder may be a wrong one', async () => {
  const { list } = createStore(folder);
  const names = Array.from({ length: 300 }, (_, index) => `${(index * 7) % 300}`);
  for (const [index, name] of names.entries()) leave(`${name}.json`, '{}', 400 - index);
  const [left, right] = [`a.${randomUUID()}`, `.${randomUUID()}.swp`]; // almost drafts
  for (const name of ['a.txt', '.env', 'notes', '.a.json', 'a.json.gz', left, right])
    leave(name, '{}', 500);
  fs.mkdirSync(join(retry, 'folder.json'));
  expect(await list()).toStrictEqual(names);
});

test('a draft that a crash left waits after five minutes; a newer one may still be written', async () => {
  const { list, read, remove } = createStore(folder);
  const [left, recent] = [`.${randomUUID()}`, `.${randomUUID()}`];
  leave(left, 'left', 6);
  leave(recent, 'recent', 4);
  expect(await list()).toStrictEqual([left]);
  expect(Buffer.from((await read(left)) ?? '').toString()).toBe('left');
  await remove(left);
  expect(files()).toStrictEqual([recent]);
});

test('a draft that seems old while it is written, for clocks differ, loses no body', async () => {
  const { save, list, remove, read } = createStore(folder);
  const { rename } = promises;
  vi.spyOn(promises, 'rename').mockImplementationOnce(async (draft, path) => {
    fs.utimesSync(draft, 0, 0);
    for (const name of await list()) await remove(name);
    await rename(draft, path);
  });
  syncBuiltinESMExports();
  await save(saved('{}'));
  expect(await read('a')).not.toBeNull();
});

test('what is removed takes its reason along, also if only the body was moved', async () => {
  const { save, remove, read } = createStore(folder);
  await save(saved('{}', { to: 'review' }));
  await save(saved('[]', { to: 'review', name: 'b' }));
  await save(saved('[]', { name: 'b' }));
  fs.rmSync(join(retry, 'b.txt'));
  fs.renameSync(join(review, 'a.json'), join(retry, 'a.json'));
  await save(saved('[]', { name: 'c' }));
  fs.writeFileSync(join(review, 'c.txt'), ''); // another delivery is just saving it
  for (const name of 'abc') await remove(name);
  await remove('a'); // another process was first
  expect(await read('a')).toBeNull();
  expect([files(), files(review)]).toStrictEqual([[], ['b.json', 'b.txt', 'c.txt']]);
});

test('a file that can’t be read is listed, and says why', async () => {
  const { list, read } = createStore(folder);
  leave('a.json', '{}', 2);
  fs.symlinkSync('b.json', join(retry, 'b.json')); // to itself
  leave('c.json', '{}', 1);
  expect(await list()).toStrictEqual(['b', 'a', 'c']);
  await expect(read('b')).rejects.toMatchObject({ code: 'ELOOP' });
});
