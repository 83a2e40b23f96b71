import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import promises, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { promisify } from 'node:util';
import { createReceiver } from 'payment-notifications/receiver';
import { createSpool, type SettleBody } from 'payment-notifications/spool';
import { depositReceivedBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytes, held, recording } from '../receiver/options.js';

let base: string;
let folder: string;
beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), 'spool-'));
  folder = join(base, 'unsettled');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  syncBuiltinESMExports();
  fs.rmSync(base, { recursive: true });
});

/** Runs a program on src in a process of its own, with this folder as its argument. */
const run = (script: string, ...command: string[]) => {
  const [program = '', ...args] = [...command, process.execPath, '--import', 'tsx'];
  const evaluate = ['--input-type=module', '--eval', script, folder];
  return promisify(execFile)(program, [...args, ...evaluate], { timeout: 120_000 });
};

const nameOf = (body: string) => createHash('sha256').update(body).digest('hex');
const files = () => fs.readdirSync(folder).sort();

/** Writes a file as it was, some minutes ago. */
function leave(name: string, body: string, minutes: number) {
  fs.writeFileSync(join(folder, name), body);
  const at = Date.now() / 1000 - minutes * 60;
  fs.utimesSync(join(folder, name), at, at);
}

/** Answers each body with a status, and lists them. */
function answering(statusOf: (body: string) => number) {
  const bodies: string[] = [];
  const settle = async (body: Uint8Array) => {
    const text = new TextDecoder().decode(body);
    bodies.push(text);
    return { status: statusOf(text) };
  };
  return { bodies, settle };
}

/** Unlike `expect.poll`, it doesn't give up on a busy machine, and moves no stopped clock. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

/** Runs one round, and stops in the pause after it. Returns what was reported. */
async function round(settle: SettleBody): Promise<unknown[]> {
  const errors: unknown[] = [];
  await new Promise<void>((resolve) => {
    const pause = vi.spyOn(timers, 'setTimeout').mockImplementation(async () => {
      pause.mockRestore();
      syncBuiltinESMExports();
      resolve(stop());
      return undefined as never;
    });
    syncBuiltinESMExports();
    const stop = createSpool(folder).start(settle, { onError: (error) => errors.push(error) });
  });
  return errors;
}

/** Lists what is done to files, in order. Some of it fails. */
async function watchFiles(failing = /^$/) {
  const file = await open(tmpdir());
  await file.close();
  const prototype = Object.getPrototypeOf(file);
  const done: string[] = [];
  const record = (name: string, fd: number) => {
    const path = fs.readlinkSync(`/proc/self/fd/${fd}`);
    const what = `${name} ${path.replace(/[0-9a-f-]{36}$/, 'draft')}`;
    if (failing.test(what))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    // Whether the file already had its name.
    done.push(what.endsWith('draft') ? what : `${what} ${files().map((name) => name.length)}`);
  };
  for (const name of ['writeFile', 'sync'] as const) {
    const original = prototype[name];
    vi.spyOn(prototype, name).mockImplementation(async function (this: typeof file, ...args) {
      record(name, this.fd);
      return original.apply(this, args);
    });
  }
  const { fsyncSync } = fs;
  vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    record('sync', fd);
    fsyncSync(fd);
  });
  syncBuiltinESMExports();
  return done;
}

test('new folders are on the disk before anything is saved', async () => {
  const done = await watchFiles();
  folder = join(base, 'a/unsettled');
  createSpool(folder);
  expect(done).toStrictEqual([`sync ${base} `, `sync ${join(base, 'a')} `, `sync ${folder} `]);
  for (const path of [folder, join(base, 'a')]) expect(fs.statSync(path).mode & 0o777).toBe(0o700);
});

test('a body is on the disk before its name is, and both before save resolves', async () => {
  const { save } = createSpool(folder);
  const done = await watchFiles();
  await save(bytes('{}'));
  const file = [`writeFile ${folder}/.draft`, `sync ${folder}/.draft`];
  expect(done.splice(0)).toStrictEqual([...file, `sync ${folder} 64`]);
  await save(bytes('[]'));
  expect(done).toStrictEqual([...file, `sync ${folder} 64,64`]);
  expect(fs.readFileSync(join(folder, nameOf('{}')), 'utf8')).toBe('{}');
  for (const name of files()) expect(fs.statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('a folder that another process creates at the same time is used', () => {
  const { mkdirSync } = fs;
  vi.spyOn(fs, 'mkdirSync').mockImplementation((path) => {
    mkdirSync(path);
    return `${mkdirSync(path)}`;
  });
  syncBuiltinESMExports();
  createSpool(folder);
  expect(files()).toStrictEqual([]);
});

test('the same body is saved once, with the time of its first arrival, however many save it', async () => {
  const [one, other] = [createSpool(folder), createSpool(folder)];
  leave(nameOf('{}'), '{}', 60);
  const before = fs.statSync(join(folder, nameOf('{}'))).mtimeMs;
  const done = await watchFiles();
  await one.save(bytes('{}'));
  expect(fs.statSync(join(folder, nameOf('{}'))).mtimeMs).toBe(before);
  expect(done).toStrictEqual([`sync ${folder} 64`]); // its name may have been written by another
  await Promise.all([one, other, one, other].map(({ save }) => save(bytes('[]'))));
  expect(files()).toStrictEqual([nameOf('{}'), nameOf('[]')].sort());
});

test.each(['', '{', '{"a":1}'])(
  'a file of its name that holds %j is written anew',
  async (other) => {
    const { save } = createSpool(folder);
    leave(nameOf('{}'), other, 60);
    await save(bytes('{}'));
    expect(files()).toStrictEqual([nameOf('{}')]);
    expect(fs.readFileSync(join(folder, nameOf('{}')), 'utf8')).toBe('{}');
  },
);

test.each([
  ['', 'an empty string'],
  [undefined, 'nothing'],
  [5, '5'],
])('%j is no folder: it would be the working directory, or none', (value, received) => {
  const message = `folder: expected the path of a folder, received ${received}. Pass that of a folder for bodies only`;
  expect(() => createSpool(value as string)).toThrow(new TypeError(message));
});

describe('a folder that can’t be written to', () => {
  test('is an error at the start', () => {
    fs.writeFileSync(folder, 'a file');
    const message = (path: string, code: string) => `spool: ${path} can't be written to: ${code}`;
    expect(() => createSpool(folder)).toThrow(message(folder, 'EEXIST'));
    expect(() => createSpool(join(folder, 'a'))).toThrow(message(join(folder, 'a'), 'ENOTDIR'));
    expect(() => createSpool('/proc')).toThrow(message('/proc', 'ENOENT'));
    expect(() => createSpool('/proc/a/b')).toThrow(message('/proc/a/b', 'ENOENT')); // and returns
  });

  test.each(['writeFile', 'sync'])(
    'as %s says later, rejects and leaves no draft',
    async (name) => {
      const { save } = createSpool(folder);
      await watchFiles(new RegExp(`^${name} .*draft$`));
      const opened = vi.spyOn(promises, 'open');
      syncBuiltinESMExports();
      const message = `spool: ${folder} can't be written to: ENOSPC: no space left on device`;
      await expect(save(bytes('{}'))).rejects.toMatchObject({ message, cause: { code: 'ENOSPC' } });
      expect(opened).toHaveBeenCalledTimes(1); // a second attempt would fail as well
      expect(files()).toStrictEqual([]);
    },
  );

  test('as the first error says, even if the draft can’t be removed either', async () => {
    const { save } = createSpool(folder);
    await watchFiles(/^writeFile .*draft$/);
    vi.spyOn(promises, 'rm').mockRejectedValue(new Error('EROFS: read-only file system'));
    syncBuiltinESMExports();
    await expect(save(bytes('{}'))).rejects.toThrow("can't be written to: ENOSPC");
  });

  test.each([
    ['its parent', /^sync .*spool-\w+$/],
    ['it', /^sync .*unsettled$/],
  ])('because %s can’t be synced, is an error at the start', async (_, failing) => {
    await watchFiles(failing);
    expect(() => createSpool(folder)).toThrow("can't be written to: ENOSPC");
    fs.mkdirSync(folder, { recursive: true });
  });

  test('because it is gone, rejects', async () => {
    const { save } = createSpool(folder);
    fs.rmSync(folder, { recursive: true });
    await expect(save(bytes('{}'))).rejects.toThrow(/ENOENT: no such file or directory, open/);
    const errors: unknown[] = [];
    const stop = createSpool(join(base, 'other')).start; // its folder goes as well
    fs.rmSync(join(base, 'other'), { recursive: true });
    const ended = stop(async () => ({ status: 200 }), { onError: (error) => errors.push(error) });
    await until(() => errors.length > 0);
    expect(errors).toStrictEqual([expect.objectContaining({ code: 'ENOENT' })]);
    await ended();
    fs.mkdirSync(folder);
  });

  test('at one name, for a folder is in its way, stops no other body', async () => {
    const { save } = createSpool(folder);
    fs.mkdirSync(join(folder, nameOf('{}')));
    await expect(save(bytes('{}'))).rejects.toThrow("can't be written to: E");
    await save(bytes('[]'));
    expect(await round(async () => ({ status: 200 }))).toStrictEqual([]);
    expect(files()).toStrictEqual([nameOf('{}')]);
  });
});

/** A disk of 64 KiB of its own, which ends with the process. */
const MOUNT = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"'];

describe('on a disk of its own', () => {
  const [unshare = '', ...args] = MOUNT;
  const { status } = spawnSync(unshare, [...args, '/mnt', 'true']);
  const isMissing = status !== 0; // in a container that may mount nothing

  test.skipIf(isMissing)(
    'that is full, and then read-only, no body is lost in silence',
    async () => {
      fs.mkdirSync(folder);
      const script = `
      import { execFileSync } from 'node:child_process';
      import fs from 'node:fs';
      import { createSpool } from './src/spool/index.ts';
      const folder = process.argv[1];
      const told = [];
      const tell = async (act) => told.push(await act().catch((error) => error.message));
      const { save, start } = createSpool(folder);
      const saveText = (text) => tell(async () => (await save(Buffer.from(text)), 'saved'));
      await saveText('small');
      try {
        for (;;) fs.appendFileSync(folder + '/filler', Buffer.alloc(4096));
      } catch (error) {
        told.push(error.code);
      }
      await saveText('x'.repeat(10_000));
      told.push(fs.readdirSync(folder).length);
      fs.rmSync(folder + '/filler');
      await saveText('x'.repeat(10_000));
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      await saveText('another');
      await tell(async () => createSpool(folder));
      const lengths = [];
      const errors = [];
      const settle = async (body) => (lengths.push(body.length), { status: 200 });
      const stop = start(settle, { onError: ({ message }) => errors.push(message) });
      while (errors.length < 2) await new Promise(setImmediate);
      await stop();
      told.push(...errors);
      console.log(JSON.stringify([...told, lengths]));`;
      const { stdout } = await run(script, ...MOUNT, folder);
      const cannot = (what: string) =>
        expect.stringMatching(`^spool: ${folder} can't be written to: ${what}`);
      expect(JSON.parse(stdout)).toStrictEqual([
        ...['saved', 'ENOSPC', cannot('ENOSPC'), 2, 'saved', cannot('EROFS'), cannot('EROFS')],
        ...Array(2).fill(expect.stringMatching(`^spool: ${folder}/.* waits: EROFS`)),
        [10_000, 5],
      ]);
    },
  );
});

test('Windows can’t sync a folder, so there it isn’t tried', async () => {
  const done = await watchFiles();
  const { platform } = process;
  try {
    Object.defineProperty(process, 'platform', { value: 'win32' });
    const { save } = createSpool(folder);
    await save(bytes('{}'));
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
  expect(done.filter((what) => !what.endsWith('draft'))).toStrictEqual([]);
});

test('bodies stay while they are answered with 500', async () => {
  await createSpool(folder).save(bytes('new'));
  const statuses: Record<string, number> = { a: 200, b: 500, c: 400, d: 499, e: 503, new: 200 };
  for (const [index, body] of [...'caebd'].entries()) leave(nameOf(body), body, 60 - index);
  const { bodies, settle } = answering((body) => statuses[body] ?? 0);
  expect(await round(settle)).toStrictEqual([]);
  expect(bodies).toStrictEqual(['new', ...'dbeac']);
  expect(files()).toStrictEqual([nameOf('b'), nameOf('e')].sort());
});

test('a draft that a crash left is settled after five minutes; a newer one may still be written', async () => {
  fs.mkdirSync(folder);
  const [left, recent] = [`.${randomUUID()}`, `.${randomUUID()}`];
  leave(left, 'left', 6);
  leave(recent, 'recent', 4);
  const { bodies, settle } = answering(() => 200);
  expect(await round(settle)).toStrictEqual([]);
  expect([bodies, files()]).toStrictEqual([['left'], [recent]]);
});

test('a draft that seems old while it is written, for clocks differ, loses no body', async () => {
  const { save } = createSpool(folder);
  const { bodies, settle } = answering(() => 400);
  const { rename } = promises;
  vi.spyOn(promises, 'rename').mockImplementationOnce(async (draft, path) => {
    fs.utimesSync(draft, 0, 0);
    await round(settle);
    await rename(draft, path);
  });
  syncBuiltinESMExports();
  await save(bytes('{}'));
  expect([bodies, files()]).toStrictEqual([['{}'], [nameOf('{}')]]);
});

test('files that are not its own are left alone: the folder may be a wrong one', async () => {
  fs.mkdirSync(folder);
  const [own, draft] = [nameOf('{}'), `.${randomUUID()}`];
  const names = ['package.json', '.env', `${own}.txt`, `a${own}`, `a${draft}`, `${draft}.txt`];
  for (const name of names) leave(name, '{}', 60);
  const { bodies, settle } = answering(() => 200);
  expect(await round(settle)).toStrictEqual([]);
  expect([bodies, files()]).toStrictEqual([[], names.sort()]);
});

test('what rejects or answers without a status stops no other body, and is reported', async () => {
  fs.mkdirSync(folder);
  for (const [index, body] of [...'abcd'].entries()) leave(nameOf(body), body, 9 - index);
  const bodies: string[] = [];
  const answers = [{ status: 200 }, undefined, new Error('no'), { status: 'ok' }];
  const errors = await round(async (body) => {
    const answer = answers[bodies.push(`${body}`) - 1];
    if (answer instanceof Error) throw answer;
    return answer as { status: number };
  });
  const waits = (body: string) => `spool: ${join(folder, nameOf(body))} waits: `;
  expect(bodies).toStrictEqual([...'dcba']);
  expect(errors).toStrictEqual([
    expect.objectContaining({
      message: expect.stringContaining(waits('c')),
      cause: expect.any(TypeError),
    }),
    new Error(`${waits('b')}no`, { cause: new Error('no') }),
  ]);
  expect(files()).toStrictEqual([...'abc'].map(nameOf).sort());
  const [text] = await round(() => Promise.reject('text'));
  expect(text).toMatchObject({ message: expect.stringMatching(/: text$/) });
});

test('those that another process settles meanwhile are no failures', async () => {
  fs.mkdirSync(folder);
  for (const [index, body] of [...'abcdefg'].entries()) leave(nameOf(body), body, 9 - index);
  const { bodies, settle } = answering(() => 200);
  const errors = await round(async (body) => {
    for (const other of 'fedcb') fs.rmSync(join(folder, nameOf(other)), { force: true });
    return settle(body);
  });
  expect(errors).toStrictEqual([]);
  expect(bodies).toStrictEqual(['g', 'a']);
});

test('a cut file that is replaced while it is settled stays', async () => {
  const { save } = createSpool(folder);
  leave(nameOf('{}'), '{', 60);
  const errors = await round(async () => {
    await save(bytes('{}'));
    return { status: 400 };
  });
  expect(errors).toStrictEqual([]);
  expect(fs.readFileSync(join(folder, nameOf('{}')), 'utf8')).toBe('{}');
});

test('a file that can’t be read stops no other body, changes no order, and is reported', async () => {
  fs.mkdirSync(folder);
  fs.symlinkSync(nameOf('a'), join(folder, nameOf('a'))); // to itself
  leave(nameOf('b'), 'b', 2);
  leave(nameOf('c'), 'c', 1);
  vi.spyOn(promises, 'readdir').mockResolvedValue([...'cab'].map(nameOf) as never);
  syncBuiltinESMExports();
  const { bodies, settle } = answering(() => 200);
  const message = expect.stringContaining(`spool: ${join(folder, nameOf('a'))} waits: ELOOP`);
  expect(await round(settle)).toStrictEqual([expect.objectContaining({ message })]);
  expect(bodies).toStrictEqual(['c', 'b']);
});

test('no file stays open', async () => {
  const { save } = createSpool(folder);
  await save(bytes('{}'));
  await watchFiles(/^sync .*draft$/);
  await expect(save(bytes('[]'))).rejects.toThrow('ENOSPC');
  const open = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    return fs.existsSync(path) ? fs.readlinkSync(path) : [];
  });
  expect(open.filter((path) => path.startsWith(folder))).toStrictEqual([]);
});

describe('start', () => {
  test('does not keep the process running while it waits', async () => {
    const spool = createSpool(folder);
    await spool.save(bytes('{}'));
    await run(`import { createSpool } from './src/spool/index.ts';
      createSpool(process.argv[1]).start(async () => ({ status: 200 }), { everyMs: ${2 ** 31 - 1} });`);
    expect(files()).toStrictEqual([]);
  });

  test('settles now and after each pause, until it is stopped', async () => {
    const { save, start } = createSpool(folder);
    leave(nameOf('a'), 'a', 1);
    const { bodies, settle } = answering(() => (bodies.length < 3 ? 500 : 200));
    const stop = start(settle, { everyMs: 1 });
    await until(() => files().length === 0);
    expect(bodies).toStrictEqual(['a', 'a', 'a']);
    await stop();
    await save(bytes('b'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(files()).toStrictEqual([nameOf('b')]);
  });

  describe('while bodies fail', () => {
    /** The bodies that are passed on until there were so many pauses, which end at once. */
    async function rounds(
      bodies: string,
      pauses: number,
      statusOf: (body: string) => number,
      meanwhile = async () => {},
    ) {
      const { start } = createSpool(folder);
      for (const [index, body] of [...bodies].entries()) leave(nameOf(body), body, 60 - index);
      const seen: string[] = [''];
      const pause = vi.spyOn(timers, 'setTimeout').mockImplementation(async () => {
        seen.push('');
        await meanwhile();
        await new Promise(setImmediate);
        return undefined as never;
      });
      syncBuiltinESMExports();
      const settle = async (body: Uint8Array) => {
        seen[seen.length - 1] += `${body}`;
        return { status: statusOf(`${body}`) };
      };
      const stop = start(settle, { onError() {} });
      await until(() => seen.length > pauses);
      await stop();
      const options = expect.objectContaining({ ref: false }); // keeps no process running
      expect(pause).toHaveBeenCalledWith(60_000, null, options);
      return seen.slice(0, pauses);
    }

    test.each([
      ['answers 500', () => 500],
      [
        'throws',
        () => {
          throw new Error('no');
        },
      ],
    ])(
      'because the database is down, each round tries the five that failed least, the oldest first: it %s',
      async (_, fail) => {
        const seen = await rounds('abcdefgh', 4, fail);
        expect(seen).toStrictEqual(['hgfed', 'abcde', 'abcfg', 'habcd']);
      },
    );

    test('because the database goes down, the round ends at the fifth of them', async () => {
      const seen = await rounds('abcdefgh', 2, (body) => (body === 'h' ? 200 : 503));
      expect(seen).toStrictEqual(['hgfedc', 'abcde']);
    });

    test('for reasons of their own, the others are settled in the same round', async () => {
      const seen = await rounds('abcdefghi', 2, (body) => ('abcdfgh'.includes(body) ? 500 : 200));
      expect(seen).toStrictEqual(['ihgfedcba', 'abcdf']);
    });

    test('for reasons of their own, and more than five do, the next round settles the others', async () => {
      const seen = await rounds('abcdefgh', 3, (body) => ('ab'.includes(body) ? 200 : 500));
      expect(seen).toStrictEqual(['hgfed', 'abcdefg', 'chdef']);
      expect(files()).toStrictEqual([...'cdefgh'].map(nameOf).sort());
    });

    describe('always, and a thousand do,', () => {
      const statusOf = (body: string) => (body === 'good' ? 200 : 500);
      const fill = () => {
        for (let index = 0; index < 1000; index += 1) leave(nameOf(`${index}`), `${index}`, 60);
      };

      test('one that is saved after them is settled in the next round', async () => {
        const { save } = createSpool(folder);
        fill();
        let saved: Promise<void> | undefined;
        const seen = await rounds('', 2, statusOf, () => (saved ??= save(bytes('good'))));
        expect(seen[1]).toMatch(/^good/);
        expect(files()).toHaveLength(1000);
      });

      test('one that was saved after them is settled in the first round of a new process', async () => {
        await createSpool(folder).save(bytes('good'));
        fill();
        const { bodies, settle } = answering(statusOf);
        expect(await round(settle)).toStrictEqual([]);
        expect(bodies[0]).toBe('good');
        expect([bodies.length, files().length]).toStrictEqual([6, 1000]);
      });
    });

    test('and five new ones come in each round, those that failed before are tried as well', async () => {
      const { save } = createSpool(folder);
      let added = 0;
      let isDown = true;
      const seen = await rounds(
        'ab',
        3,
        (body) => ('ab'.includes(body) && !isDown ? 200 : 500),
        async () => {
          isDown = false;
          for (let count = 0; count < 5; count += 1) await save(bytes(`new ${added++}`));
        },
      );
      expect(seen[0]).toBe('ba');
      expect(seen[1]).toMatch(/^new \danew \db/);
    });

    test('a database that is down costs five lines a round', async () => {
      createSpool(folder);
      for (const body of 'abcdefgh') leave(nameOf(body), body, 1);
      expect(await round(() => Promise.reject(new Error('no database')))).toHaveLength(5);
    });
  });

  test('does not stop at a body that is never answered, nor does its stop', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { start } = createSpool(folder);
    for (const [index, body] of [...'cba'].entries()) leave(nameOf(body), body, 9 - index);
    const calls: string[] = [];
    const errors: unknown[] = [];
    const stop = start(
      (body) => {
        calls.push(`${body}`);
        return `${body}` === 'b' ? Promise.resolve({ status: 200 }) : new Promise(() => {});
      },
      {
        everyMs: 1,
        onError(error) {
          errors.push(error);
          return new Promise(() => {}); // a logger that never comes back
        },
      },
    );
    await until(() => calls.length === 1);
    vi.advanceTimersByTime(60_000);
    await until(() => calls.length === 3);
    const stopped = stop();
    vi.advanceTimersByTime(60_000);
    await stopped;
    const late = (body: string) =>
      `spool: ${join(folder, nameOf(body))} waits: settle: expected a result within 60000 milliseconds, received none. Set a time limit for what it waits for`;
    expect(calls).toStrictEqual(['a', 'b', 'c']);
    expect(errors.map(String)).toStrictEqual([`Error: ${late('a')}`, `Error: ${late('c')}`]);
    expect(files()).toStrictEqual([nameOf('a'), nameOf('c')].sort());
    expect(vi.getTimerCount()).toBe(0); // or the process would wait for it
  });

  test.each([
    ['fails', async () => Promise.reject(new Error('no')), ['a', 'b', 'c', 'a']],
    ['answers 500', async () => ({ status: 500 }), ['a', 'b', 'c', 'a']],
    ['settles it', async () => ({ status: 200 }), ['a', 'b', 'c']],
  ])(
    'passes a body on again only after its first run has ended: it %s',
    async (_, end, expected) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { save, start } = createSpool(folder);
      leave(nameOf('a'), 'a', 9);
      const calls: string[] = [];
      const errors: unknown[] = [];
      const first = held();
      const answer = async (body: Uint8Array) => {
        if (calls.push(`${body}`) > 1) return { status: 200 };
        await first.run();
        return end();
      };
      const stop = start(answer, { everyMs: 1, onError: (error) => errors.push(error) });
      await until(() => calls.length === 1);
      vi.advanceTimersByTime(60_000);
      await until(() => errors.length === 1);
      for (const body of 'bc') {
        await save(bytes(body)); // is settled in a later round, in which `a` would come as well
        await until(() => files().length === 1);
      }
      expect(calls).toStrictEqual(['a', 'b', 'c']);
      first.resolve();
      await until(() => files().length === 0);
      await stop();
      expect(calls).toStrictEqual(expected);
      expect(errors.length).toBe(1);
    },
  );

  test('finishes the body in progress when it is stopped, and starts no other', async () => {
    const { start } = createSpool(folder);
    for (const [index, body] of [...'ba'].entries()) leave(nameOf(body), body, 9 - index);
    let stopped: Promise<void> | undefined;
    const { bodies, settle } = answering(() => 200);
    await new Promise<void>((resolve) => {
      const stop = start(async (body) => {
        stopped = stop();
        resolve();
        await new Promise((later) => setTimeout(later, 20));
        return settle(body);
      });
    });
    await stopped;
    expect([bodies, files()]).toStrictEqual([['a'], [nameOf('b')]]);
  });

  test('reports what fails, and goes on, even if the report fails', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { start } = createSpool(folder);
    leave(nameOf('a'), 'a', 1);
    const errors: unknown[] = [];
    const stop = start(() => Promise.reject(new Error('no')), {
      everyMs: 1,
      onError(error) {
        errors.push(error);
        throw new Error('no logger');
      },
    });
    await until(() => errors.length > 1);
    await stop();
    const message = `spool: ${join(folder, nameOf('a'))} waits: no`;
    expect(errors[0]).toStrictEqual(new Error(message, { cause: new Error('no') }));
    expect(print.mock.calls[0]).toStrictEqual([errors[0], new Error('no logger')]);
    print.mockClear();
    await createSpool(folder).start(() => Promise.reject(new Error('no')), { everyMs: 1e9 })();
    const byDefault = start(() => Promise.reject(new Error('no')));
    await until(() => print.mock.calls.length > 0);
    expect(print.mock.calls).toStrictEqual([[new Error(message)]]);
    await byDefault();
  });

  test.each([
    ['every', 'everyMs'],
    ['onErr', 'onError'],
    ['timeout', 'everyMs'],
  ])('throws if there is an option %s, which it would ignore', (name, nearest) => {
    const { start } = createSpool(folder);
    const begin = () => start(async () => ({ status: 200 }), { [name]: 1000 });
    expect(begin).toThrow(
      new TypeError(`options: expected known names, received ${name}. Did you mean ${nearest}?`),
    );
  });

  test.each([1, 2 ** 31 - 1])('takes a pause of %j', async (everyMs) => {
    await createSpool(folder).start(async () => ({ status: 200 }), { everyMs })();
  });

  test.each([0, -1, Number.NaN, 2 ** 31, '5', null])('refuses a pause of %j', (everyMs) => {
    const { start } = createSpool(folder);
    const begin = () => start(async () => ({ status: 200 }), { everyMs: everyMs as number });
    const received = everyMs === '5' ? '"5"' : everyMs;
    expect(begin).toThrow(`everyMs: expected 1 to 2147483647 milliseconds, received ${received}`);
  });
});

test('a receiver saves what it can’t settle, and settles it later, without a URL', async () => {
  const spool = createSpool(folder);
  let isDown = true;
  const { calls, options } = recording({
    secret: 'a-secret-of-the-test',
    async onDepositReceived(_, { key }) {
      if (isDown) throw new Error('the database is down');
      calls.push(['settled', key]);
    },
    onError: async (_, { body }) => (body ? spool.save(body) : undefined),
  });
  const receiver = createReceiver(options);
  const body = depositReceivedBody();
  expect((await receiver.receive(body, '/a-secret-of-the-test')).status).toBe(500);
  expect(files()).toStrictEqual([nameOf(body)]);
  expect(await round(receiver.settle)).toStrictEqual([]);
  expect(files()).toStrictEqual([nameOf(body)]);
  isDown = false;
  expect(await round(receiver.settle)).toStrictEqual([]);
  expect(files()).toStrictEqual([]);
  expect(calls).toStrictEqual([['settled', expect.stringContaining('deposit.received:')]]);
});
