import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SavedBody } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LAST_TURN } from '../../src/shared/deadline.js';
import {
  bytes,
  DEPOSIT,
  FAILED,
  held,
  KEY,
  nameOf,
  never,
  no,
  OK,
  type OwnOptions,
  open,
  PASSED_ON,
  settleDown,
  stopClock,
  until,
  WAYS,
} from './setup.js';

const LATE = ['retry', 'onDepositReceived: no result within 25 s', KEY];
const LATER = ['warning', 'onDepositReceived failed after its deadline: the database says no', KEY];
const STALLED = ['failed', 'body: no result within 25 s', null];
const UNVERIFIED = ['failed', 'verify: no result within 25 s', null];
const UNSAVED_FIRST = ['failed', 'not saved first: store.save: no result within 5 s', KEY];
const STILL = 'store.save: an earlier call still hangs';
const SHORT = ['retry', 'onDepositReceived: no result within 100 ms', KEY];

beforeEach(stopClock);

const HANGS: [hanging: string[], own: OwnOptions, ms: number, calls: unknown[], saved: number][] = [
  [['onDepositReceived'], {}, 25_000, [LATE], 1],
  [['onDepositReceived'], { timeoutMs: 100 }, 100, [SHORT], 1],
  [['verify'], {}, 25_000, [UNVERIFIED], 0],
  [['save'], {}, 5000, [UNSAVED_FIRST, PASSED_ON], 0],
  [
    ['save'],
    { onDepositReceived: no },
    5000,
    [UNSAVED_FIRST, ['failed', `no. The body was not saved: ${STILL}`, KEY]],
    0,
  ],
];

test.each(HANGS)('if %j hang with %j, the answer comes after %j ms', async (...row) => {
  const [hanging, own, ms, expected, count] = row;
  const hang = vi.fn(never);
  const { save, ...functions } = Object.fromEntries(hanging.map((name) => [name, hang]));
  const { receiver, ask, calls, saved } = open({
    ...{ ...own, ...functions },
    ...(save && { store: { save } }),
  });
  const ended: string[] = [];
  const answered = ask(DEPOSIT).finally(() => ended.push('answered'));
  const stopped = receiver.stop().finally(() => ended.push('stopped'));
  await until(() => hang.mock.calls.length > 0);
  vi.advanceTimersByTime(ms + LAST_TURN - 1);
  await settleDown();
  expect([ended, calls]).toStrictEqual([[], []]);
  vi.advanceTimersByTime(1);
  expect(await answered).toStrictEqual(expected.includes(PASSED_ON) ? OK : FAILED);
  await stopped;
  expect(calls).toStrictEqual(expected);
  expect(saved()).toHaveLength(count);
  expect(vi.getTimerCount()).toBe(0);
});

test('if a store never removes, the answer comes after five seconds', async () => {
  const remove = vi.fn(never);
  const { ask, calls } = open({ store: { remove } });
  const answered = ask(DEPOSIT);
  await until(() => remove.mock.calls.length > 0);
  vi.advanceTimersByTime(5000 + LAST_TURN);
  expect(await answered).toStrictEqual(OK);
  const message = `${nameOf(KEY, DEPOSIT)} is settled, but not removed: store.remove: no result within 5 s`;
  expect(calls).toStrictEqual([PASSED_ON, ['failed', message, null]]);
});

test('a body that is still being saved at the deadline is tried later', async () => {
  const slow = held();
  const saves: string[] = [];
  const save = async ({ to }: SavedBody) => {
    saves.push(to);
    if (to === 'progress') await slow.run();
  };
  const { ask, calls } = open({ store: { save }, timeoutMs: 100 });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(100 + LAST_TURN);
  expect(await answered).toStrictEqual(FAILED);
  expect(saves).toStrictEqual(['progress', 'retry']);
  expect(calls).toStrictEqual([['retry', 'store.save: no result within 100 ms', KEY]]);
  slow.resolve();
  await settleDown();
  expect(calls).toHaveLength(1);
});

test('what arrives while the event loop is blocked beyond the deadline is saved', async () => {
  vi.useRealTimers();
  const { receiver, saved } = open({ timeoutMs: 20, onDepositReceived: never });
  const body = (async function* () {
    yield bytes(DEPOSIT.slice(0, 10));
    await new Promise((resolve) => setTimeout(resolve, 30)); // both timers are due
    yield bytes(DEPOSIT.slice(10));
  })();
  const answered = receiver.fetch({ url: '', headers: new Headers(), body } as never);
  const end = performance.now() + 100;
  await new Promise((resolve) => setTimeout(resolve, 1));
  while (performance.now() < end);
  expect((await answered).status).toBe(500);
  expect(saved()).toMatchObject([['retry', expect.any(String), KEY, DEPOSIT]]);
});

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each([
    ['returns', 'resolve', []],
    ['throws', 'reject', [LATER]],
  ] as const)('a function that %s after its deadline changes nothing', async (__, end, later) => {
    const slow = held();
    const { receiver, calls, saved } = open({ onDepositReceived: slow.run as never });
    const answered = ask(receiver, DEPOSIT);
    await slow.called;
    vi.advanceTimersByTime(25_000 + LAST_TURN);
    expect(await answered).toStrictEqual(FAILED);
    slow[end]();
    await settleDown();
    expect(calls).toStrictEqual([LATE, ...later]);
    expect(saved()).toStrictEqual([['retry', LATE[1], KEY, DEPOSIT]]);
  });
});

test.each([true, false])(
  'a check that ends after the deadline passes nothing on: %j',
  async (is) => {
    const slow = held();
    const verify = () => slow.run().then(() => is);
    const { ask, calls, saved } = open({ verify, timeoutMs: 100 });
    const answered = ask(DEPOSIT);
    await slow.called;
    vi.advanceTimersByTime(100 + LAST_TURN);
    slow.resolve();
    expect(await answered).toStrictEqual(FAILED);
    await settleDown();
    expect([calls, saved()]).toStrictEqual([
      [['failed', 'verify: no result within 100 ms', null]],
      [],
    ]);
  },
);

test.each([
  ['returns', async () => {}, OK],
  ['throws', no, FAILED],
])('a function that %s in time leaves no timer, for which a process would wait', async (...row) => {
  const [, run, answer] = row;
  expect(await open({ onDepositReceived: run }).ask(DEPOSIT)).toStrictEqual(answer);
  expect(vi.getTimerCount()).toBe(0);
});

test('an event whose function is late waits for each of its calls, and others do not', async () => {
  const [one, other] = [held(), held()];
  const runs = [one.run, other.run];
  const onDepositReceived = vi.fn(async () => void (await runs.shift()?.()));
  const { ask, calls } = open({ onDepositReceived });
  const answers = [ask(DEPOSIT), ask(DEPOSIT)];
  await until(() => runs.length === 0);
  vi.advanceTimersByTime(25_000 + LAST_TURN);
  expect(await Promise.all(answers)).toStrictEqual([FAILED, FAILED]);
  const running = ['retry', 'onDepositReceived: an earlier call still runs', KEY];
  expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
  expect(await ask(depositReceivedBody({}, { seed: 2 }))).toStrictEqual(OK);
  one.resolve();
  await settleDown();
  expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([LATE, LATE, running, running]);
  expect(onDepositReceived).toHaveBeenCalledTimes(3);
  other.reject();
  await settleDown();
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
});

describe('a body that stalls', () => {
  const [start, rest] = [DEPOSIT.slice(0, 10), DEPOSIT.slice(10)];

  /** Sends a request whose rest the test holds back. */
  function sendHalf(own?: OwnOptions) {
    const later = held();
    const { receiver, calls } = open(own);
    const body = (async function* () {
      yield bytes(start);
      await later.run();
      yield bytes(rest);
    })();
    const answered = receiver.fetch({ url: '', headers: new Headers(), body } as never);
    return { later, answered, calls };
  }

  test.each(['resolve', 'reject'] as const)('is answered with 500 by fetch: %s', async (end) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const verify = vi.fn();
    const { later, answered, calls } = sendHalf({ verify });
    await later.called;
    vi.advanceTimersByTime(25_000 + LAST_TURN);
    expect((await answered).status).toBe(500);
    later[end]();
    await settleDown();
    expect([calls, print.mock.calls]).toStrictEqual([[STALLED], []]);
    expect(verify).not.toHaveBeenCalled();
  });

  test('shares its deadline with the function that gets it', async () => {
    const slow = held();
    const { later, answered, calls } = sendHalf({ onDepositReceived: slow.run as never });
    await later.called;
    vi.advanceTimersByTime(20_000);
    later.resolve();
    await slow.called;
    vi.advanceTimersByTime(5000 + LAST_TURN);
    expect((await answered).status).toBe(500);
    expect(calls).toStrictEqual([LATE]);
  });
});

test('bodies whose saving hangs, or whose function does, do not stay in memory', async () => {
  vi.useRealTimers();
  const program = `
    import { createReceiver } from './src/receiver/index.ts';
    globalThis.setTimeout = (run, _, ...rest) => setImmediate(run, ...rest); // every deadline is over
    const large = () => new Uint8Array(Buffer.from(process.argv[1].padEnd(65_000)));
    const kept = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate, gc());
      return process.memoryUsage().arrayBuffers;
    };
    const never = () => new Promise(() => {});
    const store = { save: never, list: never, read: never, remove: never };
    const own = { secret: null, store, log() {} };
    const before = await kept();
    for (const { settle } of [
      createReceiver({ ...own, onDepositReceived: () => Promise.reject(new Error('no')) }),
      createReceiver({ ...own, onDepositReceived: () => Promise.resolve() }),
      createReceiver({ ...own, onDepositReceived: never }),
    ]) await Promise.all(Array.from({ length: 100 }, () => settle(large())));
    console.log((await kept()) - before < 10 * 65_000);`;
  const args = [
    '--expose-gc',
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    program,
    DEPOSIT,
  ];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('true\n');
});
