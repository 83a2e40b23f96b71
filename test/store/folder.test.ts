import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createStore } from 'payment-notifications/store';
import { describe, expect, test } from 'vitest';
import { DEPOSIT } from '../receiver/setup.js';
import { NAME, openFiles, PLACES, replace, saved, temporaryFolder, watchFiles } from './setup.js';

const { base, folder, pathOf, files, state } = temporaryFolder();
const [progress, retry, review] = PLACES.map((place) => join(folder, place)) as [
  ...[string, string, string],
];

describe('a folder that can’t be used', () => {
  const FULL = "can't be written to: ENOSPC: no space left on device";

  test.each([
    ['', 'an empty string'],
    [undefined, 'nothing'],
    [5, '5'],
  ])('is none: %j', (value, received) => {
    const message = `folder: expected the path of a folder, received ${received}. Pass one for bodies only, such as webhooks`;
    expect(() => createStore(value as string)).toThrow(new TypeError(message));
  });

  test('is an error at the start', async () => {
    const error = (path: string, code: string) => `store: ${path} can't be written to: ${code}`;
    fs.writeFileSync(folder, 'a file');
    for (const path of [folder, retry])
      expect(() => createStore(path)).toThrow(error(path, 'ENOTDIR'));
    fs.rmSync(folder);
    await watchFiles(/^sync .*retry$/);
    expect(() => createStore(folder)).toThrow(FULL);
  });

  test('is an error at the start, if a place is on another disk', () => {
    const disks = ['/dev/shm', '/var/tmp'];
    const disk = disks.find((path) => fs.statSync(path).dev !== fs.statSync(base).dev);
    const other = fs.mkdtempSync(`${disk}/review-`);
    try {
      fs.mkdirSync(folder);
      fs.symlinkSync(other, review);
      expect(() => createStore(folder)).toThrow('EXDEV');
      expect([files('progress'), files('retry'), files('review')]).toStrictEqual([[], [], []]);
    } finally {
      fs.rmSync(other, { recursive: true });
    }
  });

  test.each(['mkdirSync', 'openSync'])('is an error at the start, if %s fails', (name) => {
    // Root may write everywhere, so no mode of a folder shows this.
    replace(fs, name, () => {
      throw Object.assign(new Error(`EACCES: permission denied, ${name}`), { code: 'EACCES' });
    });
    if (name === 'openSync')
      for (const path of [progress, retry, review]) fs.mkdirSync(path, { recursive: true });
    const reason = `store: ${folder} can't be written to: EACCES: permission denied, ${name}`;
    expect(() => createStore(folder)).toThrow(reason);
  });

  test.each(['writeFile', 'sync'])(
    'later, at %s, rejects and leaves nothing open',
    async (name) => {
      const { save } = createStore(folder);
      await watchFiles(new RegExp(`^${name} .*json$`));
      const message = `store: ${folder} ${FULL}`;
      await expect(save(saved('{}'))).rejects.toMatchObject({ message, cause: { code: 'ENOSPC' } });
      expect(openFiles(folder)).toStrictEqual([]);
    },
  );

  test('while bodies move, rejects', async () => {
    const { save } = createStore(folder);
    await save(saved('{}'));
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    replace(promises, 'rename', () => Promise.reject(error));
    await expect(save(saved('{}', { to: 'retry' }))).rejects.toThrow('EACCES');
    expect(state()['progress.json']).toBe('{}');
  });

  test('because it is removed, rejects', async () => {
    const { save, list } = createStore(folder);
    fs.rmSync(folder, { recursive: true });
    await expect(save(saved('{}'))).rejects.toThrow(/ENOENT: no such file or directory, open/);
    await expect(list()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('at the reason, loses no body', async () => {
    const { save, read } = createStore(folder);
    fs.mkdirSync(pathOf('retry.txt'));
    await save(saved('{}', { to: 'retry' }));
    expect(await read(NAME)).toStrictEqual(Buffer.from('{}'));
    fs.rmdirSync(pathOf('retry.txt'));
  });

  /** A disk of 64 KiB of its own, which ends with the process. */
  const mount = 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"';
  const MOUNT = ['-rm', 'sh', '-c', mount];
  // Not in a container that may mount nothing.
  const canMount = spawnSync('unshare', [...MOUNT, '/mnt', 'true']).status === 0;

  test.runIf(canMount)(
    'is a full disk, and then a read-only one: nothing is lost in silence',
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
        async onDepositReceived() { throw new NeedsReview('no'); },
        log: ({ outcome, message }) => told.push(outcome, message),
      });
      const send = async (text) => told.push((await receiver.receive({ body: text, url: '/' })).status);
      try {
        for (;;) fs.appendFileSync(folder + '/filler', Buffer.alloc(4096));
      } catch (error) {
        told.push(error.code);
      }
      await send(body);
      fs.rmSync(folder + '/filler');
      await send(body);
      const [name] = fs.readdirSync(folder + '/review').filter((name) => name.endsWith('.json'));
      fs.renameSync(folder + '/review/' + name, folder + '/retry/' + name);
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      await send('{');
      await receiver.retry();
      console.log(JSON.stringify(told));`;
      const args = [...MOUNT, folder, process.execPath, '--import', 'tsx', '--input-type=module'];
      const run = promisify(execFile)('unshare', [...args, '--eval', script, folder, DEPOSIT]);
      const lost = (reason: string, what: string) =>
        expect.stringMatching(
          `${reason}.* The body was not saved: store: ${folder} can't be written to: ${what}`,
        );
      expect(JSON.parse((await run).stdout)).toStrictEqual([
        ...['ENOSPC', 'failed', expect.stringMatching(/^not saved first: .* ENOSPC/)],
        ...['failed', lost('no', 'ENOSPC'), 500],
        ...['review', 'no', 200],
        ...['failed', lost('incomplete', 'EROFS'), 500],
        // It can't be claimed, so its function isn't called.
        ...['failed', expect.stringMatching(/ waits: .*EROFS/)],
      ]);
    },
  );

  test('is one of Windows, which can’t sync folders: only files are synced', async () => {
    const done = await watchFiles();
    const { platform } = process;
    try {
      Object.defineProperty(process, 'platform', { value: 'win32' });
      await createStore(folder).save(saved('{}'));
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
    expect(done.filter((what) => !what.endsWith('.json'))).toStrictEqual([]);
    expect(done).toHaveLength(2);
  });
});
