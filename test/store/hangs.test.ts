import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import promises, { open } from 'node:fs/promises';
import { createStore } from 'payment-notifications/store';
import { expect, test, vi } from 'vitest';
import { createTurns } from '../../src/store/turns.js';
import { hold, NAME, replace, saved, settleDown, temporaryFolder } from './setup.js';

const { base, folder, pathOf } = temporaryFolder();
const HANGS = 'an earlier call still hangs';
/** A blocked loop gets this much more time. */
const LAST_TURNS = 50;

const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
async function pass(milliseconds: number) {
  await settleDown();
  vi.advanceTimersByTime(milliseconds);
  await settleDown();
}

/** Whether a call has ended, and how. */
function watch(called: Promise<unknown>) {
  const watched = { end: '' };
  called.then(
    () => {
      watched.end = 'resolved';
    },
    (error) => {
      watched.end = error.message;
    },
  );
  return watched;
}

test('a folder that hangs holds two threads, and is given up until they are free', async () => {
  stopClock();
  const { save, read, list } = createStore(folder);
  // To read a pipe hangs until someone writes to it.
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) execFileSync('mkfifo', [pathOf('retry.json', name)]);
  const [first, second, ...later] = names.map(read);
  const waiting = later.map(watch);
  // Without a free thread, this would hang.
  await promises.readFile(process.execPath).then(() => promises.stat(folder));
  await pass(5000 + LAST_TURNS - 1);
  expect(waiting.map(({ end }) => end)).toStrictEqual(['', '', '']);
  await pass(1);
  expect(waiting.map(({ end }) => end)).toStrictEqual([HANGS, HANGS, HANGS]);
  const message = `store: ${folder} can't be written to: ${HANGS}`;
  await expect(save(saved('{}'))).rejects.toThrow(new Error(message));
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
  expect(await list()).toMatchObject([{ name: NAME, place: 'progress' }]);
});

test.each([
  ['open', 'save', { to: 'progress' }],
  ['rename', 'save', { to: 'retry' }],
  ['stat', 'save', { from: { name: NAME, place: 'progress', since: new Date(), tries: 1 } }],
  ['readFile', 'read', {}],
  ['rm', 'remove', {}],
  ['readdir', 'list', {}],
  ['stat', 'list', {}],
] as const)('if %s hangs in %s, it is given up after five seconds', async (name, call, more) => {
  const store = createStore(folder);
  await store.save(saved('{}'));
  stopClock();
  const { held, end } = hold(name, 1);
  const called = watch(call === 'save' ? store.save(saved('{}', more)) : store[call](NAME));
  while (held.length === 0) await new Promise(setImmediate);
  await pass(5000 + LAST_TURNS - 1);
  await store.save(saved('{}', { name: 'other' })); // nothing waits for it
  await pass(1);
  await expect(store.save(saved('{}', { name: 'other' }))).rejects.toThrow(HANGS);
  end();
  while (called.end === '') await settleDown();
  expect(called.end).toBe('resolved');
  await settleDown();
  await store.save(saved('{}', { name: 'other' }));
});

test('a long list lets others have their turns', async () => {
  const { list, save } = createStore(folder);
  for (const name of ['a', 'b', 'c'])
    for (const file of ['retry.json', 'retry.txt']) fs.writeFileSync(pathOf(file, name), '{}');
  const { held, end } = hold('stat');
  const lists = [list(), list()].map(watch);
  while (held.length < 2) await new Promise(setImmediate);
  const saving = watch(save(saved('{}')));
  end();
  while (saving.end === '') await new Promise(setImmediate);
  expect(lists.map((list) => list.end)).toStrictEqual(['', '']);
  while (lists.some((list) => list.end === '')) {
    end();
    await new Promise(setImmediate);
  }
  expect([saving, ...lists].map((call) => call.end)).toStrictEqual(Array(3).fill('resolved'));
});

test('a slow call that ends in time, or fails, blocks no other', async () => {
  stopClock();
  const { read } = createStore(folder);
  const { held, end } = hold('readFile');
  const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => watch(read(name)));
  const running = () => Math.min(2, calls.filter((call) => call.end === '').length);
  // Each has its own five seconds, from when its turn begins, and reads twice.
  while (running() > 0) {
    while (held.length < running()) await new Promise(setImmediate);
    expect(held.length).toBeLessThanOrEqual(2);
    await pass(1000);
    end();
    await settleDown();
  }
  expect(calls.map((call) => call.end)).toStrictEqual(calls.map(() => 'resolved'));
  await settleDown();
  replace(promises, 'readFile', () => Promise.reject(new Error('EIO')));
  for (let count = 0; count < 5; count += 1) await expect(read('a')).rejects.toThrow('EIO');
  await pass(60_000);
  await expect(read('a')).rejects.toThrow('EIO');
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

test('500 bodies that arrive at once are saved, two at a time', async () => {
  const { save, list } = createStore(folder);
  let [running, most] = [0, 0];
  const file = await open(base);
  await file.close();
  const counted = [
    [promises, ['open', 'readFile', 'stat', 'writeFile', 'rename', 'rm']],
    [Object.getPrototypeOf(file), ['writeFile', 'sync', 'truncate', 'stat']],
  ] as const;
  for (const [module, names] of counted) {
    for (const name of names) {
      const original = module[name];
      replace(module, name, async function (this: unknown, ...args) {
        running += 1;
        most = Math.max(most, running);
        try {
          return await original.apply(this, args);
        } finally {
          running -= 1;
        }
      });
    }
  }
  const names = Array.from({ length: 500 }, (_, index) => `a${index}`);
  await Promise.all(names.map((name) => save(saved('{}', { name }))));
  expect(most).toBe(2);
  expect((await list()).map(({ name }) => name).sort()).toStrictEqual(names.sort());
});
