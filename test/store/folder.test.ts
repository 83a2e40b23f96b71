import fs from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { createStore } from 'payment-notifications/store';
import { describe, expect, test } from 'vitest';
import { NAME, openFiles, replace, saved, temporaryFolder, watchFiles } from './setup.js';

const { base, folder, pathOf, files, state } = temporaryFolder();

describe('a folder that can’t be used', () => {
  const FULL = "can't be written to: ENOSPC: no space left on device";

  test('is none', () => {
    const message =
      "folder: expected the path of a folder, received an empty string. Pass a separate folder, such as 'webhooks'";
    expect(() => createStore('')).toThrow(new TypeError(message));
    expect(() => createStore(5 as never)).toThrow('received 5.');
  });

  test('is an error at the start', async () => {
    fs.writeFileSync(folder, 'a file');
    expect(() => createStore(folder)).toThrow(/^store: .*: ENOTDIR.*\. Create it for the user of/);
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
      fs.symlinkSync(other, join(folder, 'review'));
      expect(() => createStore(folder)).toThrow('EXDEV');
      expect([files('progress'), files('retry'), files('review')]).toStrictEqual([[], [], []]);
    } finally {
      fs.rmSync(other, { recursive: true });
    }
  });

  test('is an error at the start, if no file can be created in it', () => {
    createStore(folder);
    // Root may write everywhere, so no mode of a folder shows this.
    replace(fs, 'openSync', () => {
      throw new Error('EACCES: permission denied');
    });
    expect(() => createStore(folder)).toThrow('EACCES: permission denied');
  });

  test('later, rejects and leaves nothing open', async () => {
    const { save } = createStore(folder);
    await watchFiles(/^sync .*json$/);
    const message = `store: ${folder} ${FULL}`;
    await expect(save(saved('{}'))).rejects.toMatchObject({ message, cause: { code: 'ENOSPC' } });
    expect(openFiles(folder)).toStrictEqual([]);
  });

  test('while bodies move, rejects', async () => {
    const { save } = createStore(folder);
    await save(saved('{}'));
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    replace(promises, 'rename', () => Promise.reject(error));
    await expect(save(saved('{}', { to: 'retry' }))).rejects.toThrow('EACCES');
    expect(state()['progress.json']).toBe('{}');
  });

  test('at the reason, loses no body', async () => {
    const { save, read } = createStore(folder);
    fs.mkdirSync(pathOf('retry.txt'));
    await save(saved('{}', { to: 'retry' }));
    expect(await read(NAME)).toStrictEqual(Buffer.from('{}'));
    fs.rmdirSync(pathOf('retry.txt'));
  });

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
