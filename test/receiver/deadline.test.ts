import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
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
const unsaved = (why: unknown) => [
  ['failed', `${why}. The body was not saved: store.save: no result within 5 s`, KEY],
];
const SHORT = ['retry', 'onDepositReceived: no result within 100 ms', KEY];
const UNSAVED_IN_TIME = ['retry', 'saveFirst: no result within 100 ms', KEY];

beforeEach(stopClock);

const HANGS: [hanging: string[], own: OwnOptions, afterMs: number[], calls: unknown[]][] = [
  [['onDepositReceived'], {}, [25_000], [LATE]],
  [['onDepositReceived'], { timeoutMs: 100 }, [100], [SHORT]],
  [['verify'], {}, [25_000], [UNVERIFIED]],
  [['save'], { onDepositReceived: no }, [5000], unsaved('no')],
  [['onDepositReceived', 'save'], {}, [25_000, 5000], unsaved(LATE[1])],
  [['save'], { saveFirst: true }, [5000], [UNSAVED_FIRST, PASSED_ON]],
];

test.each(HANGS)('if %j hang with %j, the answer comes after %j ms', async (...row) => {
  const [hanging, own, afterMs, expected] = row;
  const hang = vi.fn(never);
  const hangs = Object.fromEntries(hanging.map((name) => [name, hang]));
  const { save, ...functions } = hangs;
  const { receiver, ask, calls, saved } = open({
    ...{ ...own, ...functions },
    ...(save && { store: { save } }),
  });
  const ended: string[] = [];
  const answered = ask(DEPOSIT).finally(() => ended.push('answered'));
  const stopped = receiver.stop().finally(() => ended.push('stopped'));
  for (const [index, ms] of afterMs.entries()) {
    await until(() => hang.mock.calls.length > index);
    vi.advanceTimersByTime(ms - 1);
    await settleDown();
    expect([ended, calls]).toStrictEqual([[], []]);
    vi.advanceTimersByTime(1);
  }
  expect(await answered).toStrictEqual(expected.includes(PASSED_ON) ? OK : FAILED);
  await stopped;
  expect(calls).toStrictEqual(expected);
  expect(saved()).toHaveLength(save || hangs.verify ? 0 : 1);
  expect(vi.getTimerCount()).toBe(0);
});

test('if a store never removes, the answer comes after five seconds', async () => {
  const remove = vi.fn(never);
  const { ask, calls } = open({ saveFirst: true, store: { remove } });
  const answered = ask(DEPOSIT);
  await until(() => remove.mock.calls.length > 0);
  vi.advanceTimersByTime(5000);
  expect(await answered).toStrictEqual(OK);
  const waits = `${nameOf(KEY, DEPOSIT)} waits: store.remove: no result within 5 s`;
  expect(calls).toStrictEqual([PASSED_ON, ['failed', waits, null]]);
});

describe('if the name of a body takes long, because a disk that hangs has all threads of Node.js,', () => {
  function spyOnDigest() {
    const digest = vi.spyOn(crypto.subtle, 'digest');
    onTestFinished(() => digest.mockRestore());
    return digest;
  }

  test('the body is answered', async () => {
    const digest = spyOnDigest().mockImplementation(never);
    const { ask, calls } = open({ onDepositReceived: no });
    const answered = ask(DEPOSIT);
    await until(() => digest.mock.calls.length > 0);
    vi.advanceTimersByTime(5000);
    expect(await answered).toStrictEqual(FAILED);
    expect(calls).toStrictEqual(unsaved('no'));
  });

  test('and the deadline is over, a round still tries it', async () => {
    const slow = held();
    spyOnDigest().mockImplementationOnce(async () => {
      await slow.run();
      return new ArrayBuffer(32);
    });
    const { receiver, ask, calls, saved } = open({ saveFirst: true, timeoutMs: 100 });
    const answered = ask(DEPOSIT);
    await slow.called;
    vi.advanceTimersByTime(100);
    expect(await answered).toStrictEqual(FAILED);
    slow.resolve();
    await settleDown();
    expect(saved()).toHaveLength(1);
    await receiver.retry();
    expect(calls).toStrictEqual([UNSAVED_IN_TIME, PASSED_ON]);
    expect(saved()).toStrictEqual([]);
  });
});

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each([
    ['returns', 'resolve', []],
    ['throws', 'reject', [LATER]],
  ] as const)('a function that %s after its deadline changes nothing', async (__, end, later) => {
    const slow = held();
    const { receiver, calls, saved } = open({ onDepositReceived: slow.run });
    const answered = ask(receiver, DEPOSIT);
    await slow.called;
    vi.advanceTimersByTime(25_000);
    expect(await answered).toStrictEqual(FAILED);
    slow[end]();
    await settleDown();
    expect(calls).toStrictEqual([LATE, ...later]);
    expect(saved()).toStrictEqual([['retry', LATE[1], KEY, DEPOSIT]]);
  });
});

test.each<[what: string, ownOf: (ended: () => Promise<unknown>) => OwnOptions, late: string]>([
  ['a check that passes', (ended) => ({ verify: () => ended().then(() => true) }), 'verify'],
  ['a check that refuses', (ended) => ({ verify: () => ended().then(() => false) }), 'verify'],
  ['a store', (save) => ({ store: { save } }), 'saveFirst'],
])('%s, but ends after the deadline, passes nothing on, nor saves it', async (...row) => {
  const [, ownOf, late] = row;
  const slow = held();
  const { ask, calls, saved } = open({ ...ownOf(slow.run), saveFirst: true, timeoutMs: 100 });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(100);
  slow.resolve();
  expect(await answered).toStrictEqual(FAILED);
  await settleDown();
  const messages = calls.map(([, message]) => message);
  expect([messages, saved()]).toStrictEqual([[`${late}: no result within 100 ms`], []]);
});

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
  const onDepositReceived = vi.fn(async () => runs.shift()?.());
  const { ask, calls } = open({ onDepositReceived });
  const answers = [ask(DEPOSIT), ask(DEPOSIT)];
  await settleDown();
  vi.advanceTimersByTime(25_000);
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

test('an event that is late before its function is called does not keep repeats from it', async () => {
  const save = vi.fn(async () => {}).mockImplementationOnce(never);
  const { ask, calls } = open({ store: { save }, saveFirst: true, timeoutMs: 100 });
  const answered = ask(DEPOSIT);
  await until(() => save.mock.calls.length > 0);
  vi.advanceTimersByTime(100);
  expect(await answered).toStrictEqual(FAILED);
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(calls).toStrictEqual([UNSAVED_IN_TIME, PASSED_ON]);
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
    vi.advanceTimersByTime(25_000);
    expect((await answered).status).toBe(500);
    later[end]();
    await settleDown();
    expect([calls, print.mock.calls]).toStrictEqual([[STALLED], []]);
    expect(verify).not.toHaveBeenCalled();
  });

  test('shares its deadline with the function that gets it', async () => {
    const slow = held();
    const { later, answered, calls } = sendHalf({ onDepositReceived: slow.run });
    await later.called;
    vi.advanceTimersByTime(20_000);
    later.resolve();
    await slow.called;
    vi.advanceTimersByTime(5000);
    expect((await answered).status).toBe(500);
    expect(calls).toStrictEqual([LATE]);
  });
});

test('bodies whose saving hangs, or whose function does, do not stay in memory', async () => {
  vi.useRealTimers();
  const program = `
    import { createReceiver } from './src/receiver/index.ts';
    globalThis.setTimeout = setImmediate; // every deadline is over
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
      createReceiver({ ...own, onDepositReceived: () => Promise.resolve(), saveFirst: true }),
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
