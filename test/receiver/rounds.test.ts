import { createReceiver, type Store } from 'payment-notifications/receiver';
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
  open,
  settleDown,
  stopClock,
  throws,
  until,
  WITHDRAWAL,
  WITHDRAWAL_KEY,
} from './setup.js';

beforeEach(stopClock);

const LAST_TURN = 50;

/** A body of this order. */
const bodyOf = (order: string) =>
  depositReceivedBody({ clientPaymentId: order }, { seed: 1 + Number.parseInt(order, 36) });

/** A receiver whose store has bodies of these orders. */
function openWith(
  orders: readonly string[],
  run: (order: string) => unknown,
  store?: Partial<Store>,
) {
  const seen: string[] = [];
  const opened = open({
    store,
    async onDepositReceived({ clientPaymentId: order }) {
      seen.push(order);
      await run(order);
    },
  });
  for (const order of orders) opened.leave(order, bodyOf(order));
  /** Returns the orders that were seen since the last time. */
  const take = () => seen.splice(0).sort().join('');
  const round = () => opened.receiver.retry().then(take);
  return { ...opened, seen, take, round };
}

test.each(['', '{"actual'])(
  'a file that is only a part of a body is for review, under its name: %j',
  async (body) => {
    const { receiver, leave, review, retry, progress, calls } = openWith([], () => {});
    const names = ['deposit.received.7.0123456789abcdef', 'deposit.received.8.0123456789abcdef'];
    leave(`${names[0]}`, body);
    leave(`${names[1]}`, body, 'progress');
    await receiver.retry();
    expect([...review.keys()].sort()).toStrictEqual(names);
    expect([retry.size, progress.size]).toStrictEqual([0, 0]);
    for (const { reason } of review.values()) expect(reason).toMatch(/^notification refused: /);
    expect(calls.map(([outcome]) => outcome)).toStrictEqual(['refused', 'refused']);
    for (const [, message] of calls) expect(message).toMatch(/^deposit\.received\.\d\.\w+: /);
  },
);

test('a body whose process has ended is logged, and is in progress anew before it is tried', async () => {
  const slow = held();
  const save = vi.fn(async () => {});
  const { receiver, leave, calls } = open({
    onDepositReceived: slow.run as never,
    store: { save },
  });
  leave(nameOf(KEY, DEPOSIT), DEPOSIT, 'progress');
  const ended = receiver.retry();
  await slow.called;
  expect(calls).toStrictEqual([['warning', 'was in progress when its process ended', KEY]]);
  const saved = { to: 'progress', name: nameOf(KEY, DEPOSIT), key: KEY };
  expect(save.mock.calls).toStrictEqual([[expect.objectContaining(saved)]]);
  slow.resolve();
  await ended;
});

test('bodies of a type without a function are left to another receiver', async () => {
  const { receiver, leave, retry, entries } = open({ onWithdrawalBroadcast: undefined });
  leave(nameOf(WITHDRAWAL_KEY, WITHDRAWAL), WITHDRAWAL);
  leave('moved-by-someone', WITHDRAWAL);
  leave(nameOf(KEY, DEPOSIT), DEPOSIT);
  await receiver.retry();
  expect([...retry.keys()]).toHaveLength(2);
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['settled']);
});

test('an event whose late function still runs is left alone', async () => {
  const slow = held();
  const { receiver, ask, retry, calls } = open({ onDepositReceived: slow.run as never });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(25_000 + LAST_TURN);
  expect(await answered).toStrictEqual(FAILED);
  calls.length = 0;
  await receiver.retry();
  expect([calls, retry.size]).toStrictEqual([[], 1]);
  slow.resolve();
  await settleDown();
  await receiver.retry();
  expect([calls, retry.size]).toStrictEqual([[], 0]);
});

const MANY = Array.from({ length: 250 }, (_, index) => index.toString(36));

test('a round ends after 100 failures in a row, and the next begins with what it left', async () => {
  const { receiver, seen, retry } = openWith(MANY, no);
  await receiver.retry();
  await receiver.retry();
  expect([seen.length, new Set(seen).size]).toStrictEqual([200, 200]);
  await receiver.retry();
  expect([seen.length, new Set(seen).size, retry.size]).toStrictEqual([300, 250, 250]);
});

test('a new body is tried before those that have failed', async () => {
  const { receiver, leave, seen } = openWith(['a', 'b', 'c'], no);
  await receiver.retry();
  leave('d', bodyOf('d'));
  await receiver.retry();
  expect(seen[3]).toBe('d');
});

test('a success counts the failures from the start', async () => {
  const { round, retry } = openWith(MANY.slice(0, 150), (order) => (seen() % 90 ? no() : order));
  let count = 0;
  const seen = () => {
    count += 1;
    return count;
  };
  await round();
  expect([count, retry.size]).toStrictEqual([150, 149]);
});

test('20 good bodies among 1,000 hopeless ones are settled within 12 rounds', async () => {
  const bodies = Array.from({ length: 1020 }, (_, index) => `${index}`);
  const good = (order: string) => Number.parseInt(order, 36) % 51 === 0 || order === '0';
  const goods = bodies.filter(good).length;
  const { receiver, retry } = openWith(bodies, (order) => (good(order) ? null : no()));
  for (let count = 0; count < 12; count += 1) await receiver.retry();
  expect(retry.size).toBe(bodies.length - goods);
});

test('a scheduled function, which remembers nothing, tries all in the end', async () => {
  const { options, seen } = openWith(MANY, no);
  // Chance decides how soon.
  for (let turn = 0; new Set(seen).size < 250 && turn < 1000; turn += 1)
    await createReceiver(options).retry();
  expect(new Set(seen).size).toBe(250);
});

test.each<[why: string, run: () => unknown, store: Partial<Store>]>([
  ['can’t be read', () => {}, { read: no }],
  ['can’t be moved', () => {}, { save: no }],
])('a round ends after 100 bodies that %s', async (_, run, store) => {
  const { round, calls, retry } = openWith(MANY, run, store);
  expect(await round()).toBe('');
  expect([calls.length, retry.size]).toStrictEqual([100, 250]);
});

test('a round that takes its time ends, and the next one lists again', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const { receiver, seen, retry } = openWith(['a', 'b', 'c'], () => now.mockReturnValue(1001));
  receiver.start({ everyMs: 1000 });
  await until(() => seen.length > 0);
  await settleDown();
  expect([seen.length, retry.size]).toStrictEqual([1, 2]);
  now.mockReturnValue(0);
  vi.advanceTimersByTime(0); // it is already due
  await until(() => seen.length > 1);
  await receiver.stop();
});

test('two rounds at the same time are one', async () => {
  const list = vi.fn(async () => [{ name: 'a', place: 'retry' as const }]);
  const { receiver, round } = openWith(['a'], () => {}, { list });
  expect(await Promise.all([receiver.retry(), round()])).toStrictEqual([undefined, 'a']);
  expect(list).toHaveBeenCalledTimes(1);
});

describe('a store that', () => {
  /** Reads all but `b`. */
  const readsButB = (readB: () => Promise<null>) => ({
    read: async (name: string) => (name === 'b' ? readB() : bytes(bodyOf(name))),
  });

  test.each<[what: string, store: Partial<Store>, message: string, ms: number]>([
    ['can’t list', { list: no }, 'no', 0],
    ['throws without a promise', { list: throws }, 'no', 0],
    ['can’t read', readsButB(no), 'b waits: no', 0],
    ['never lists', { list: never }, 'store.list: no result within 30 s', 30_000],
    ['never reads', readsButB(never), 'b waits: store.read: no result within 5 s', 5000],
  ])('%s rejects nothing, and delays a round by seconds', async (_, store, message, ms) => {
    const { round, calls } = openWith(['b'], () => {}, store);
    const ended = round();
    await settleDown();
    vi.advanceTimersByTime(ms + LAST_TURN);
    expect(await ended).toBe('');
    expect(calls[0]).toStrictEqual(['failed', message, null]);
  });

  test('hangs is called no more until that call ends, and functions are', async () => {
    const slow = held();
    const list = vi.fn(async () => []).mockImplementationOnce(slow.run as never);
    const save = vi.fn(async () => {});
    const { receiver, calls } = open({ store: { list, save } });
    const ended = receiver.retry();
    await slow.called;
    vi.advanceTimersByTime(30_000 + LAST_TURN);
    await ended;
    await receiver.settle(DEPOSIT);
    await receiver.retry();
    const still = (name: string) => `store.${name}: an earlier call still hangs`;
    expect(calls).toStrictEqual([
      ['failed', 'store.list: no result within 30 s', null],
      ['failed', `not saved first: ${still('save')}`, KEY],
      ['deposit', KEY, DEPOSIT],
      ['failed', still('list'), null],
    ]);
    expect([list.mock.calls.length, save.mock.calls.length]).toStrictEqual([1, 0]);
    slow.resolve();
    await settleDown();
    await receiver.retry();
    await receiver.settle(DEPOSIT);
    expect([list.mock.calls.length, save.mock.calls.length]).toStrictEqual([2, 1]);
  });

  test('another process has emptied meanwhile is no failure', async () => {
    const { round, entries } = openWith(MANY, () => {}, { read: async () => null });
    expect([await round(), entries]).toStrictEqual(['', []]);
  });
});

describe('start', () => {
  test('without a store, has nothing to try', async () => {
    const { receiver } = open({ store: null });
    receiver.start();
    await receiver.retry();
    await receiver.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('tries now and every minute, until it is stopped', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const { receiver, take, retry, calls } = openWith(['a'], no);
    /** Returns what a round has seen, once it has ended. */
    async function roundEnded() {
      await until(() => calls.length > 0); // its last step
      calls.length = 0;
      await settleDown();
      return take();
    }
    receiver.start();
    receiver.start();
    expect(await roundEnded()).toBe('a');
    vi.advanceTimersByTime(59_999);
    await settleDown();
    expect(take()).toBe('');
    vi.advanceTimersByTime(1);
    expect(await roundEnded()).toBe('a');
    receiver.start();
    await settleDown();
    expect([take(), vi.getTimerCount()]).toStrictEqual(['', 1]);
    await receiver.stop();
    vi.advanceTimersByTime(120_000);
    await settleDown();
    expect([take(), retry.size, vi.getTimerCount()]).toStrictEqual(['', 1, 0]);
    receiver.start();
    expect(await roundEnded()).toBe('a');
    await receiver.stop();
  });

  test('again before a stopped round has ended, makes one loop, which stop ends', async () => {
    const slow = held();
    const { receiver, take } = openWith(['a'], slow.run);
    receiver.start();
    await slow.called;
    const stopped = receiver.stop();
    receiver.start();
    slow.resolve();
    await stopped;
    await settleDown();
    expect(vi.getTimerCount()).toBe(1);
    await receiver.stop();
    expect([vi.getTimerCount(), take()]).toStrictEqual([0, 'a']);
  });

  test('stop waits for the body in progress, and starts no other', async () => {
    const slow = held();
    const { receiver, retry, take } = openWith(['a', 'b'], slow.run);
    receiver.start();
    await slow.called;
    const isStopped = vi.fn();
    const stopped = receiver.stop().then(isStopped);
    await settleDown();
    expect([isStopped.mock.calls, retry.size]).toStrictEqual([[], 1]);
    slow.resolve();
    await stopped;
    expect([take().length, retry.size]).toStrictEqual([1, 1]);
  });
});

test('stop resolves when no body is in progress, and answers those that come meanwhile', async () => {
  const [first, second] = [held(), held()];
  const ended: unknown[] = [];
  const { receiver } = open({
    onDepositReceived: first.run as never,
    log: ({ outcome }) => ended.push(outcome),
    onWithdrawalBroadcast: second.run as never,
  });
  await receiver.stop(); // there is none
  const answers = [receiver.settle(bodyOf('a'))];
  await first.called;
  const stopped = receiver.stop().then(() => ended.push('stopped'));
  answers.push(receiver.settle(WITHDRAWAL));
  await second.called;
  first.resolve();
  await answers[0];
  await settleDown();
  expect(ended).toStrictEqual(['settled']);
  second.reject();
  await stopped;
  expect(ended).toStrictEqual(['settled', 'retry', 'stopped']);
});
