import type { SavedBody, Store } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { LAST_TURNS } from '../../src/shared/deadline.js';
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
} from './setup.js';

const LATE = ['retry', 'onDepositReceived: took longer than 25 s', KEY];
const LATER = ['warning', 'onDepositReceived failed after its deadline: the database says no', KEY];
const STALLED = ['failed', 'body: took longer than 25 s', null];
const UNVERIFIED = ['failed', 'verify: took longer than 25 s', null];
const SAVE_HANGS = 'store.save: took longer than 5 s';
const REMOVE_HANGS = `${nameOf(KEY, DEPOSIT)} is settled, but not removed: store.remove: took longer than 5 s`;
const UNSAVED_FIRST = [
  'failed',
  `the webhook was not saved before its function was called: ${SAVE_HANGS}`,
  KEY,
];
const UNSAVED = ['failed', `no. The webhook was not saved: ${SAVE_HANGS}`, KEY];
const SHORT = ['retry', 'onDepositReceived: took longer than 100 ms', KEY];

beforeEach(stopClock);

/** Moves the clock to the moment at which something is late. */
const pass = (ms: number) => vi.advanceTimersByTime(ms + LAST_TURNS);

test.each<[name: string, own: OwnOptions, ms: number, call: unknown]>([
  ['onDepositReceived', { timeoutMs: 100 }, 100, SHORT],
  ['verify', {}, 25_000, UNVERIFIED],
])('if %s hangs with %j, the answer comes after %d ms', async (name, own, ms, call) => {
  const hang = vi.fn(never);
  const { receiver, ask, calls } = open({ ...own, [name]: hang });
  const ended: string[] = [];
  const answered = ask(DEPOSIT).finally(() => ended.push('answered'));
  const stopped = receiver.stop().finally(() => ended.push('stopped'));
  await until(() => hang.mock.calls.length > 0);
  pass(ms - 1);
  await settleDown();
  expect([ended, calls]).toStrictEqual([[], []]);
  vi.advanceTimersByTime(1);
  expect(await answered).toStrictEqual(FAILED);
  await stopped;
  expect([calls, vi.getTimerCount()]).toStrictEqual([[call], 0]);
});

describe('a store that', () => {
  test('never saves delays the function by five seconds, and its error by five more', async () => {
    const save = vi.fn(never);
    const { ask, calls } = open({ onDepositReceived: no, store: { save } });
    const answered = ask(DEPOSIT);
    for (const count of [1, 2]) {
      await until(() => save.mock.calls.length === count);
      pass(5000);
    }
    expect(await answered).toStrictEqual(FAILED);
    expect(calls).toStrictEqual([UNSAVED_FIRST, UNSAVED]);
  });

  test.each([
    ['save', [UNSAVED_FIRST, PASSED_ON]],
    ['remove', [PASSED_ON, ['failed', REMOVE_HANGS, null]]],
  ] as const)('lost the answer of %s is not given up', async (name, expected) => {
    const { ask, options, calls } = open();
    const spy = vi.spyOn(options.store as Store, name).mockImplementationOnce(never);
    const answered = ask(DEPOSIT);
    await until(() => spy.mock.calls.length > 0);
    pass(5000);
    expect(await answered).toStrictEqual(OK);
    expect(calls.splice(0)).toStrictEqual(expected);
    expect(await ask(DEPOSIT)).toStrictEqual(OK);
    expect(calls).toStrictEqual([PASSED_ON]);
  });

  test('still saves a body at the deadline gets it for a later try', async () => {
    const slow = held();
    const saves: string[] = [];
    const save = async ({ to }: SavedBody) => {
      saves.push(to);
      if (to === 'progress') await slow.run();
    };
    const { ask, calls } = open({ store: { save }, timeoutMs: 100 });
    const answered = ask(DEPOSIT);
    await slow.called;
    pass(100);
    expect(await answered).toStrictEqual(FAILED);
    slow.resolve();
    await settleDown();
    expect(saves).toStrictEqual(['progress', 'retry']);
    expect(calls).toStrictEqual([['retry', 'store.save: took longer than 100 ms', KEY]]);
  });
});

test.each([
  ['returns', 'resolve', [LATE]],
  ['throws', 'reject', [LATE, LATER]],
] as const)('a function that %s after its deadline changes nothing', async (_, end, expected) => {
  const slow = held();
  const { ask, calls, saved } = open({ onDepositReceived: slow.run });
  const answered = ask(DEPOSIT);
  await slow.called;
  pass(25_000);
  expect(await answered).toStrictEqual(FAILED);
  slow[end]();
  await settleDown();
  expect([calls, saved().length]).toStrictEqual([expected, 1]);
});

test('an event whose function is late waits for each of its calls, and others do not', async () => {
  const [one, other] = [held(), held()];
  const runs = [one.run, other.run];
  const onDepositReceived = vi.fn(async () => void (await runs.shift()?.()));
  const { ask, calls } = open({ onDepositReceived });
  const answers = [ask(DEPOSIT), ask(DEPOSIT)];
  await until(() => runs.length === 0);
  pass(25_000);
  expect(await Promise.all(answers)).toStrictEqual([FAILED, FAILED]);
  const running = ['retry', 'onDepositReceived: an earlier call for this event still runs', KEY];
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
  /** Sends a request whose rest the test holds back. */
  function sendHalf(own?: OwnOptions) {
    const later = held();
    const { receiver, calls } = open(own);
    const body = (async function* () {
      yield bytes(DEPOSIT.slice(0, 10));
      await later.run();
      yield bytes(DEPOSIT.slice(10));
    })();
    const answered = receiver.fetch({ url: '', headers: new Headers(), body } as never);
    return { later, answered, calls };
  }

  test('is answered with 500, even if it comes to its end later', async () => {
    const verify = vi.fn();
    const { later, answered, calls } = sendHalf({ verify });
    await later.called;
    pass(25_000);
    expect((await answered).status).toBe(500);
    later.resolve();
    await settleDown();
    expect([calls, verify.mock.calls]).toStrictEqual([[STALLED], []]);
  });

  test('is saved if its end arrives while the event loop is blocked, and shares its deadline with its function', async () => {
    const slow = held();
    const { later, answered, calls } = sendHalf({ onDepositReceived: slow.run });
    await later.called;
    vi.advanceTimersByTime(25_000); // the loop runs timers before it reads what has arrived
    later.resolve();
    await Promise.race([slow.called, answered]);
    vi.advanceTimersByTime(LAST_TURNS);
    expect((await answered).status).toBe(500);
    expect(calls).toStrictEqual([LATE]);
  });
});
