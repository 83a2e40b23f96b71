import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
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
let progress: string;
let retry: string;
let review: string;
beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), 'store-'));
  folder = join(base, 'webhooks');
  [progress, retry, review] = ['progress', 'retry', 'review'].map((place) =>
    join(folder, place),
  ) as [string, string, string];
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  fs.rmSync(base, { recursive: true });
});

/** A name with the digest of `{}`. */
const NAME = 'a.44136fa355b3678a';

const saved = (body: string, more: Partial<SavedBody> = {}): SavedBody => ({
  ...{ to: 'progress', name: NAME, key: null, reason: 'no', body: bytes(body) },
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

/** Writes a file as it was, some minutes ago. */
function leave(name: string, body: string, minutes: number, place = retry) {
  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(join(place, name), body);
  const at = Date.now() / 1000 - minutes * 60;
  fs.utimesSync(join(place, name), at, at);
}

/** Where the body is, with what is in its file. */
const places = (name = NAME) =>
  [progress, retry, review].flatMap((place) => {
    const path = join(place, `${name}.json`);
    return fs.existsSync(path) ? [[place.slice(folder.length + 1), textOf(path)]] : [];
  });

const isBody = (name: string) => name.endsWith('.json');

/** Lists what is done to files, in order, with the bodies of a folder. Some of it fails. */
async function watchFiles(failing = /^$/) {
  const file = await open(tmpdir());
  await file.close();
  const prototype = Object.getPrototypeOf(file);
  const done: string[] = [];
  const record = (name: string, fd: number) => {
    const path = fs.readlinkSync(`/proc/self/fd/${fd}`);
    const what = `${name} ${path}`;
    if (what.endsWith('.txt')) return; // only informs
    if (failing.test(what))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    done.push(isBody(what) ? what : `${what} ${files(path).filter(isBody)}`);
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
  expect(done).toStrictEqual(
    [base, folder, progress, retry, review].map((path) => `sync ${path} `),
  );
  for (const path of [folder, progress, retry, review])
    expect(fs.statSync(path).mode & 0o777).toBe(0o700);
  expect(textOf(join(folder, '.gitignore'))).toBe('/.gitignore\n/progress/\n/retry/\n/review/\n');
  fs.writeFileSync(join(folder, '.gitignore'), 'own');
  createStore(folder);
  expect(textOf(join(folder, '.gitignore'))).toBe('own');
});

test.each([
  ['progress', [`${NAME}.json`]],
  ['retry', [`${NAME}.json`, `${NAME}.txt`]],
  ['review', [`${NAME}.json`, `${NAME}.txt`]],
] as const)(
  'a new body and its name are on the disk before save resolves: %s',
  async (to, names) => {
    const { save } = createStore(folder);
    const done = await watchFiles();
    await save(saved('{}', { to, reason: 'the order is unknown' }));
    const path = join(folder, to);
    const file = join(path, `${NAME}.json`);
    expect(done).toStrictEqual([`writeFile ${file}`, `sync ${file}`, `sync ${path} ${NAME}.json`]);
    expect(files(path)).toStrictEqual(names);
    expect(places()).toStrictEqual([[to, '{}']]);
    const reason = names[1] && textOf(join(path, names[1]));
    expect(reason).toBe(to === 'progress' ? undefined : 'the order is unknown\n');
    for (const name of names) expect(fs.statSync(join(path, name)).mode & 0o777).toBe(0o600);
  },
);

test('a body is in one place, and moves without a sync, because both places are tried', async () => {
  const { save } = createStore(folder);
  await save(saved('{}'));
  const done = await watchFiles();
  for (const to of [
    'retry',
    'progress',
    'review',
    'progress',
    'retry',
    'review',
    'retry',
  ] as const) {
    await save(saved('{}', { to }));
    expect(places()).toStrictEqual([[to, '{}']]);
    const reasons = [...files(retry), ...files(review)].filter((name) => !isBody(name));
    if (to !== 'progress') expect(reasons).toStrictEqual([`${NAME}.txt`]);
  }
  expect(done).toStrictEqual([]);
});

test('a folder that another process creates at the same time is used', () => {
  const { mkdirSync } = fs;
  replace(fs, 'mkdirSync', (path: string) => {
    mkdirSync(path);
    mkdirSync(path);
  });
  createStore(folder);
  expect(files()).toStrictEqual([]);
});

test('the same body may be saved by several processes at the same time', async () => {
  const [one, other] = [createStore(folder), createStore(folder)];
  await Promise.all([one, other, one, other].map(({ save }) => save(saved('{}'))));
  expect(places()).toStrictEqual([['progress', '{}']]);
  await Promise.all([
    one.save(saved('{}', { to: 'retry' })),
    other.save(saved('{}', { to: 'review' })),
    one.save(saved('{}')),
  ]);
  for (const [, text] of places()) expect(text).toBe('{}');
  expect(places()).not.toHaveLength(0);
});

test('what is saved leaves no file or folder open', async () => {
  await createStore(folder).save(saved('{}'));
  expect(openFiles()).toStrictEqual([]);
});

test.each([
  ['{', '{}', '{}'],
  ['\0\0', '{}', '{}'],
  ['{}}', '{}', '{}'],
  ['{}', '{', '{}'],
])('of the file %j and the body %j of its name, the whole one stays', async (found, body, left) => {
  const { save } = createStore(folder);
  for (const place of ['progress', 'retry', 'review'] as const) {
    for (const to of ['progress', 'retry', 'review'] as const) {
      leave(`${NAME}.json`, found, 2, join(folder, place));
      await save(saved(body, { to }));
      expect([place, to, places()]).toStrictEqual([place, to, [[to, left]]]);
      fs.rmSync(join(folder, to, `${NAME}.json`));
    }
  }
});

test('a half body doesn’t replace a whole one in another place', async () => {
  const { save } = createStore(folder);
  leave(`${NAME}.json`, '{}', 2, review);
  leave(`${NAME}.json`, '{', 2, progress);
  await save(saved('{', { to: 'review' }));
  expect(places()).toStrictEqual([['review', '{}']]);
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

  test.each(['writeFile', 'sync'])(
    'later, at %s, rejects and leaves no half file',
    async (name) => {
      const { save } = createStore(folder);
      await watchFiles(new RegExp(`^${name} .*json$`));
      const message = `store: ${folder} ${FULL}`;
      await expect(save(saved('{}'))).rejects.toMatchObject({ message, cause: { code: 'ENOSPC' } });
      expect(files(progress)).toStrictEqual([]);
      expect(openFiles()).toStrictEqual([]);
    },
  );

  test('as the first error says, even if the file can’t be removed either, or was there', async () => {
    const { save } = createStore(folder);
    await watchFiles(/^writeFile .*json$/);
    replace(promises, 'rm', () => Promise.reject(new Error('EROFS: read-only file system')));
    for (let count = 0; count < 2; count += 1)
      await expect(save(saved('{}'))).rejects.toThrow(FULL);
    expect(files(progress)).toStrictEqual([`${NAME}.json`]);
  });

  test('while bodies move, rejects', async () => {
    const { save } = createStore(folder);
    await save(saved('{}'));
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    replace(promises, 'rename', () => Promise.reject(error));
    await expect(save(saved('{}', { to: 'retry' }))).rejects.toThrow('EACCES');
    expect(places()).toStrictEqual([['progress', '{}']]);
  });

  test('because it is gone, rejects', async () => {
    const { save, list } = createStore(folder);
    fs.rmSync(folder, { recursive: true });
    await expect(save(saved('{}'))).rejects.toThrow(/ENOENT: no such file or directory, open/);
    await expect(list()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('at the reason, loses no body', async () => {
    const { save, read } = createStore(folder);
    fs.mkdirSync(join(retry, `${NAME}.txt`));
    await save(saved('{}', { to: 'retry' }));
    expect(await read(NAME)).not.toBeNull();
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
        verify: () => true,
        store: createStore(folder),
        async onDepositReceived() { if (told.length < 14) throw new NeedsReview('no'); },
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
      ...['ENOSPC', 'failed', expect.stringMatching(/^not saved first: .* ENOSPC/)],
      ...['failed', lost('no', 'ENOSPC'), 500, 0, 0],
      ...['review', 'no', 200],
      ...['failed', lost('incomplete', 'EROFS'), 500],
      // It can't be moved, so it isn't called.
      ...['failed', expect.stringMatching(/ waits: .*EROFS/)],
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
  expect(done.filter((what) => !isBody(what))).toStrictEqual([]);
});

test('lists what waits, and no other files: the folder may be a wrong one', async () => {
  const { list } = createStore(folder);
  for (const name of ['a.json', 'a.txt', '.env', 'notes', '.a.json', 'a.json.gz'])
    leave(name, '{}', 500);
  fs.mkdirSync(join(retry, 'folder.json'));
  expect(await list()).toStrictEqual([{ name: 'a', place: 'retry' }]);
});

test.each([
  ['for 61 seconds', 61 / 60, 1],
  ['for 59 seconds', 59 / 60, 0],
  ['since an hour from now, by a wrong clock', -60, 1],
])('what has been in progress %s waits: %d', async (_, minutes, count) => {
  const { list, read, save } = createStore(folder);
  leave(`${NAME}.json`, '{}', minutes, progress);
  expect(await list()).toStrictEqual(Array(count).fill({ name: NAME, place: 'progress' }));
  expect(await read(NAME)).toStrictEqual(count ? Buffer.from('{}') : null);
  await save(saved('{}')); // this process takes it
  expect([await list(), await read(NAME)]).toStrictEqual([[], null]);
});

test('what moves from retry to progress doesn’t wait, however old it is', async () => {
  const { list, read, save } = createStore(folder);
  leave(`${NAME}.json`, '{}', 500);
  await save(saved('{}'));
  expect([await list(), await read(NAME)]).toStrictEqual([[], null]);
});

test('what is removed takes its reason along, but what waits for review stays', async () => {
  const { save, remove } = createStore(folder);
  for (const to of ['review', 'retry', 'progress'] as const) await save(saved('{}', { to }));
  await remove(NAME);
  await remove(NAME); // another process was first
  expect([progress, retry, review].map(files)).toStrictEqual([[], [], []]);
  await save(saved('{}', { to: 'review' }));
  await remove(NAME);
  expect(files(review)).toStrictEqual([`${NAME}.json`, `${NAME}.txt`]);
});

test('a file that can’t be read is listed, and says why', async () => {
  const { list, read } = createStore(folder);
  fs.symlinkSync('b.json', join(retry, 'b.json')); // to itself
  expect(await list()).toStrictEqual([{ name: 'b', place: 'retry' }]);
  await expect(read('b')).rejects.toMatchObject({ code: 'ELOOP' });
});

test('a disk that hangs holds two threads, and not all four', async () => {
  const { list } = createStore(folder);
  const { readdir } = promises;
  let open = 0;
  let most = 0;
  replace(promises, 'readdir', async (...args) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise(setImmediate);
    open -= 1;
    return (readdir as (...all: never[]) => unknown)(...args);
  });
  await Promise.all(Array.from({ length: 9 }, () => list()));
  expect(most).toBe(2);
});

describe('killed at random moments', () => {
  const run = (script: string, ...args: string[]) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script, ...args]);

  test('a store has each body that it has saved whole, in one place', async () => {
    const script = `
      import { createHash } from 'node:crypto';
      import { createStore } from './src/store/index.ts';
      const store = createStore(process.argv[1]);
      const PLACES = ['retry', 'review', 'progress', 'removed'];
      for (let index = 0; ; index += 1) {
        const body = Buffer.from(process.pid + '-' + index + '-'.padEnd(3000));
        const name = 'a.' + createHash('sha256').update(body).digest('hex').slice(0, 16);
        await store.save({ to: 'progress', name, body, key: null, reason: '' });
        process.stdout.write('saved ' + name + '\\n');
        const to = PLACES[index % 4];
        if (to === 'removed') process.stdout.write('removed ' + name + '\\n');
        await (to === 'removed' ? store.remove(name) : store.save({ to, name, body, key: null, reason: '' }));
      }`;
    for (let life = 0; life < 5; life += 1) {
      const child = run(script, folder);
      let printed = '';
      child.stdout.on('data', (chunk) => {
        if (printed === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 100);
        printed += chunk;
      });
      await once(child, 'close');
      const named = (word: string) =>
        [...printed.matchAll(RegExp(`^${word} (.+)$`, 'gm'))].map(([, name]) => name);
      const removed = new Set(named('removed'));
      const kept = named('saved').filter((name) => !removed.has(name));
      expect(kept.length).toBeGreaterThan(0);
      for (const name of kept) {
        const found = places(name);
        const digest = createHash('sha256').update(`${found[0]?.[1]}`).digest('hex').slice(0, 16);
        expect([found.length, `a.${digest}`]).toStrictEqual([1, name]);
      }
    }
  });

  test('a receiver settles each event that has reached its function, once it is started again', async () => {
    const script = `
      import fs from 'node:fs';
      import { createReceiver } from './src/receiver/index.ts';
      import { createStore } from './src/store/index.ts';
      import { depositReceivedBody } from './src/testing/index.ts';
      const [folder, first] = process.argv.slice(1);
      const receiver = createReceiver({
        secret: null, log() {}, store: createStore(folder),
        async onDepositReceived(_, { key }) {
          fs.appendFileSync(folder + '/called', key + '\\n');
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
          if (first !== 'last' && Math.random() < 0.2) throw new Error('down');
          fs.appendFileSync(folder + '/settled', key + '\\n');
        },
      });
      console.log('started');
      await receiver.retry();
      for (let seed = Number(first); first !== 'last'; seed += 1)
        await receiver.settle(depositReceivedBody({}, { seed }));`;
    for (const first of ['1', '1001', '2001', '3001', '4001', 'last']) {
      const child = run(script, folder, first);
      await once(child.stdout, 'data');
      if (first !== 'last') setTimeout(() => child.kill('SIGKILL'), Math.random() * 300);
      await once(child, 'close');
      // A minute passes.
      for (const name of files(progress)) fs.utimesSync(join(progress, name), 0, 0);
    }
    const keys = (name: string) => [...new Set(textOf(join(folder, name)).split('\n'))].sort();
    expect(keys('settled')).toStrictEqual(keys('called'));
    expect([...files(progress), ...files(retry)].filter(isBody)).toStrictEqual([]);
    // A body that was only half written has not reached its function, and its sender got no answer.
    for (const file of files(review).filter(isBody)) {
      const [name, text] = [file.slice(0, -'.json'.length), textOf(join(review, file))];
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
      expect(name).not.toMatch(digest);
    }
  });
});
