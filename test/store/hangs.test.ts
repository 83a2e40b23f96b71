import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { createStore } from 'payment-notifications/store';
import { expect, test, vi } from 'vitest';
import { LAST_TURNS } from '../../src/shared/deadline.js';
import { createTurns } from '../../src/store/turns.js';
import { settleDown, until } from '../receiver/setup.js';
import { hold, NAME, replace, saved, temporaryFolder } from './setup.js';

const { folder, pathOf } = temporaryFolder();
const HANGS = 'an earlier call still hangs';

const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
async function pass(milliseconds: number) {
  await settleDown();
  vi.advanceTimersByTime(milliseconds);
  await settleDown();
}

/** How calls have ended, in order. */
function watch(calls: readonly Promise<unknown>[]): string[] {
  const ends: string[] = [];
  for (const call of calls)
    call.then(
      () => ends.push('resolved'),
      ({ message }) => ends.push(message),
    );
  return ends;
}

test('a folder that hangs holds two threads in all stores, and is given up until they are free', async () => {
  stopClock();
  const { save, read, list } = createStore(folder);
  // To read a pipe hangs until someone writes to it.
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) execFileSync('mkfifo', [pathOf('retry.json', name)]);
  const other = createStore(folder);
  const [first, second, ...later] = names.map((name, at) =>
    (at === 1 ? other : { read }).read(name),
  );
  const ends = watch(later);
  // Without a free thread, this would hang.
  await promises.readFile(process.execPath).then(() => promises.stat(folder));
  await pass(5000 + LAST_TURNS - 1);
  expect(ends).toStrictEqual([]);
  await pass(1);
  expect(ends).toStrictEqual([HANGS, HANGS, HANGS]);
  const message = `store: ${folder} can't be written to: ${HANGS}`;
  const cause = { code: 'ETIMEDOUT' };
  await expect(save(saved('{}'))).rejects.toMatchObject({ message, cause });
  fs.writeFileSync(pathOf('retry.json', 'a'), 'late');
  expect(await first).toStrictEqual(Buffer.from('late'));
  await settleDown();
  await expect(list()).rejects.toThrow(HANGS); // one still hangs
  fs.writeFileSync(pathOf('retry.json', 'b'), 'late');
  await second;
  await settleDown();
  // None of those that waited was begun: nobody reads their pipes.
  const write = fs.constants.O_WRONLY | fs.constants.O_NONBLOCK;
  for (const name of names)
    expect(() => fs.openSync(pathOf('retry.json', name), write)).toThrow('ENXIO');
  await save(saved('{}'));
});

test.each([
  ['open', 'save'],
  ['rm', 'remove'],
  ['readdir', 'list'],
] as const)('if %s hangs in %s, it is given up after five seconds', async (name, call) => {
  const store = createStore(folder);
  await store.save(saved('{}'));
  stopClock();
  const { reached, end } = hold(name, 1);
  const called = call === 'save' ? store.save(saved('{}')) : store[call](NAME);
  await reached();
  await pass(5000 + LAST_TURNS - 1);
  await store.save(saved('{}', { name: 'other' })); // nothing waits for it
  await pass(1);
  await expect(createStore(folder).save(saved('{}'))).rejects.toThrow(HANGS); // the same threads
  end();
  await called;
  await settleDown();
  await store.save(saved('{}', { name: 'other' }));
});

test('a long list lets others have their turns', async () => {
  const { list, save } = createStore(folder);
  for (const name of ['a', 'b', 'c'])
    for (const file of ['retry.json', 'retry.txt']) fs.writeFileSync(pathOf(file, name), '{}');
  const { reached, end } = hold('stat');
  const ends = watch([list(), list()]);
  await reached(2);
  const saving = save(saved('{}'));
  end();
  await saving;
  expect(ends).toStrictEqual([]);
  while (ends.length < 2) {
    end();
    await new Promise(setImmediate);
  }
});

test('a slow call that ends in time, or fails, blocks no other', async () => {
  stopClock();
  const { read } = createStore(folder);
  const { reached, end } = hold('readFile');
  const ends = watch([read('a'), read('b'), read('c'), read('d')]);
  // Each has its own five seconds, from when its turn begins. The body is missing in two places.
  for (const count of [2, 2, 2, 2, 2, 2, 2, 1]) {
    await reached(count);
    await pass(1000);
    end();
  }
  await until(() => ends.length === 4);
  expect(ends).toStrictEqual(Array(4).fill('resolved'));
  replace(promises, 'readFile', () => Promise.reject(new Error('EIO')));
  for (let count = 0; count < 5; count += 1) await expect(read('a')).rejects.toThrow('EIO');
});

test('whenever a call comes after another, no more than two run', async () => {
  for (let ticks = 0; ticks < 20; ticks += 1) {
    const inTurn = createTurns();
    let [running, most] = [0, 0];
    const call = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
    };
    const caller = async () => {
      await inTurn(call);
      for (let tick = 0; tick < ticks; tick += 1) await null;
      await inTurn(call);
    };
    await Promise.all(Array.from({ length: 6 }, caller));
    expect([ticks, most]).toStrictEqual([ticks, 2]);
  }
});
