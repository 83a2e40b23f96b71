import { createReceiver, type Store } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
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
  open,
  PASSED_ON,
  settleDown,
  stopClock,
  throws,
  until,
  WITHDRAWAL,
  WITHDRAWAL_KEY,
} from './setup.js';

beforeEach(stopClock);

/** How long a claim holds. */
const CLAIM = 25_000 + 10_000;
const NAME = nameOf(KEY, DEPOSIT);
const ENDED = ['warning', 'was in progress when its process ended', KEY];
const ENDED_THRICE = 'its function ended the process three times';

/** Moves the time of day, and no timer. */
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A body of this order. */
const bodyOf = (order: string) =>
  depositReceivedBody({ clientPaymentId: order }, { seed: 1 + Number.parseInt(order, 36) });

/** A receiver whose store has bodies of these orders. */
function openWith(
  orders: readonly string[],
  run: (order: string) => unknown = () => {},
  store: Partial<Store> | null = {},
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
  const take = () => seen.splice(0).join('');
  const round = () => opened.receiver.retry().then(take);
  return { ...opened, seen, take, round };
}

describe('a body in progress', () => {
  test.each(['receive', 'settle'] as const)(
    'is left alone until its claim has run out: by %s',
    async (way) => {
      const slow = held();
      const { receiver, ask, saved, options, calls } = open({
        onDepositReceived: slow.run,
      });
      const ended = way === 'settle' ? receiver.settle(DEPOSIT) : ask(DEPOSIT);
      await slow.called;
      const claimed = [['progress', '', KEY, DEPOSIT]];
      expect(saved()).toStrictEqual(claimed);
      const other = open({ store: options.store });
      await receiver.retry();
      pass(CLAIM);
      await other.receiver.retry();
      expect([saved(), calls, other.calls]).toStrictEqual([claimed, [], []]);
      pass(1);
      await other.receiver.retry();
      expect([saved(), other.calls]).toStrictEqual([[], [ENDED, PASSED_ON]]);
      slow.resolve();
      await ended;
      expect([saved(), calls]).toStrictEqual([[], []]);
    },
  );

  test('is also left alone where it waits in retry, and is then tried once', async () => {
    const { receiver, leave, calls, saved } = open();
    leave(NAME, DEPOSIT, 'progress', Date.now());
    leave(NAME, DEPOSIT);
    await receiver.retry();
    expect(saved()).toHaveLength(2);
    pass(CLAIM + 1);
    await receiver.retry();
    expect([calls, saved()]).toStrictEqual([[ENDED, PASSED_ON], []]);
  });

  test.each([
    [CLAIM, ''],
    [CLAIM + 1, 'a'],
  ])('by a clock that is wrong by %d ms is not left forever: %j', async (ahead, expected) => {
    const { round, leave } = openWith([]);
    leave('a', bodyOf('a'), 'progress', Date.now() + ahead);
    expect(await round()).toBe(expected);
  });

  test('that ends its process three times waits each time, and is then for review', async () => {
    const ends = vi.fn(never);
    const { leave, options, saved } = open();
    leave(NAME, DEPOSIT);
    leave('b', bodyOf('b'), 'retry', 1);
    for (const count of [1, 2, 3]) {
      const { receiver, calls } = open({ store: options.store, onDepositReceived: ends });
      receiver.retry();
      await until(() => ends.mock.calls.length === count); // now, the process is killed
      expect(calls).toStrictEqual(count === 1 ? [] : [ENDED]);
      const next = openWith([], undefined, options.store);
      expect(await next.round()).toBe(count === 1 ? 'b' : '');
      pass(CLAIM + 1);
    }
    const { receiver, calls } = open({ store: options.store });
    await receiver.retry();
    expect(saved()).toStrictEqual([['review', ENDED_THRICE, KEY, DEPOSIT]]);
    expect(calls).toStrictEqual([['review', ENDED_THRICE, KEY]]);
  });
});

test.each([
  ['retry', 0],
  ['progress', 1],
  ['progress', 2],
] as const)('a round claims what it has found: in %s, try %d', async (place, tries) => {
  const slow = held();
  const { receiver, leave, options, progress } = open({ onDepositReceived: slow.run });
  const save = vi.spyOn(options.store as Store, 'save');
  leave(NAME, DEPOSIT, place, 5, tries);
  const ended = receiver.retry();
  await slow.called;
  const from = { name: NAME, place, since: new Date(5), tries };
  const saved = { to: 'progress', name: NAME, key: KEY, reason: '', body: bytes(DEPOSIT), from };
  expect(save.mock.calls).toStrictEqual([[saved]]);
  expect(progress.get(NAME)?.tries).toBe(tries + 1);
  slow.resolve();
  await ended;
});

test('of two rounds at the same time, only one claims a body', async () => {
  const { round, options, saved, entries } = openWith(['a', 'b', 'c']);
  const other = openWith([], undefined, options.store);
  const seen = await Promise.all([round(), other.round()]);
  expect(seen.join('').split('').sort()).toStrictEqual(['a', 'b', 'c']);
  expect(saved()).toStrictEqual([]);
  for (const { outcome } of [...entries, ...other.entries]) expect(outcome).toBe('settled');
});

test.each<[what: string, store: Partial<Store>]>([
  ['claimed', { save: async () => false }],
  ['settled', { read: async () => null }],
])('a body that another process has %s meanwhile is no failure', async (_, store) => {
  const { round, entries, leave } = openWith(['a'], undefined, store);
  leave('b', bodyOf('b'), 'progress');
  expect([await round(), entries]).toStrictEqual(['', []]);
});

describe('a body with another digest than its name', () => {
  const HALF = 'half written, and shorter than its digest says: notification refused: ';
  const CHANGED = 'changed after it arrived, because its digest is another one';
  const wrong = `${NAME.slice(0, -16)}0123456789abcdef`;

  test.each([
    ['empty', '', HALF, null],
    ['cut off', DEPOSIT.slice(0, 9), HALF, null],
    ['invalid', DEPOSIT.replace('CONF', ''), `${CHANGED}: deposit.received refused: `, null],
    ['valid', DEPOSIT, CHANGED, KEY],
  ])('is for review, under its name: %s', async (_, body, start, key) => {
    for (const place of ['progress', 'retry'] as const) {
      const { receiver, leave, saved, review, calls } = open();
      leave(wrong, body, place);
      await receiver.retry();
      const isRefused = key === null;
      const reason = expect.stringMatching(isRefused ? `^${start}` : `^${start}$`);
      expect([...review.keys()]).toStrictEqual([wrong]);
      expect(saved()).toStrictEqual([['review', reason, key, body]]);
      const message = isRefused ? expect.stringMatching(`^${wrong}: ${start}`) : start;
      expect(calls).toStrictEqual([[isRefused ? 'refused' : 'review', message, key]]);
    }
  });
});

test('receivers of one type each leave bodies of the other alone, and say so once a start', async () => {
  const deposits = open({ onWithdrawalBroadcast: undefined });
  const store = deposits.options.store;
  const withdrawals = open({ onDepositReceived: undefined, store });
  deposits.leave(nameOf(WITHDRAWAL_KEY, WITHDRAWAL), WITHDRAWAL);
  deposits.leave('moved-by-someone', WITHDRAWAL);
  deposits.leave(nameOf(WITHDRAWAL_KEY, '{'), '{', 'progress');
  deposits.leave(NAME, DEPOSIT);
  const line = (type: string) => [
    'warning',
    `a ${type} body waits, but this receiver has no function for it. It is left to another receiver on this store`,
    null,
  ];
  for (let count = 0; count < 2; count += 1) {
    deposits.receiver.start();
    await deposits.receiver.retry();
    await deposits.receiver.retry();
    await deposits.receiver.stop();
  }
  const waits = line('withdrawal.broadcast');
  expect(deposits.calls).toStrictEqual([waits, PASSED_ON, waits]);
  expect([deposits.retry.size, deposits.progress.size, deposits.review.size]).toEqual([2, 1, 0]);
  deposits.progress.clear();
  deposits.leave(NAME, DEPOSIT);
  await withdrawals.receiver.retry();
  const settled = ['withdrawal', WITHDRAWAL_KEY, WITHDRAWAL];
  expect(withdrawals.calls).toStrictEqual([line('deposit.received'), settled, settled]);
  expect(deposits.saved()).toStrictEqual([['retry', '', null, DEPOSIT]]);
});

test('an event whose late function still runs is left alone', async () => {
  const slow = held();
  const { receiver, ask, retry, calls } = open({ onDepositReceived: slow.run });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(25_000 + LAST_TURNS);
  expect(await answered).toStrictEqual(FAILED);
  calls.length = 0;
  await receiver.retry();
  expect([calls, retry.size]).toStrictEqual([[], 1]);
  slow.resolve();
  await settleDown();
  await receiver.retry();
  expect([calls, retry.size]).toStrictEqual([[], 0]);
});

describe('a round', () => {
  const MANY = Array.from({ length: 120 }, (_, index) => index.toString(36));

  test('begins with new bodies, and goes on with those that were tried longest ago', async () => {
    const { leave, round } = openWith([], no);
    for (const [order, since] of Object.entries({ a: 20, b: 10, c: 30 }))
      leave(order, bodyOf(order), 'retry', since);
    expect(await round()).toBe('bac');
    leave('a', bodyOf('a'), 'retry', Date.now() + 10);
    leave('d', bodyOf('d'), 'retry', Date.now() + 30);
    leave('e', bodyOf('e'), 'progress', Date.now() - CLAIM - 1);
    expect(await round()).toBe('edbca');
  });

  test('ends after 50 failures in a row, and the next begins with what it left', async () => {
    const { receiver, seen } = openWith(MANY, no);
    for (const [count, different] of [
      [50, 50],
      [100, 100],
      [150, 120],
    ]) {
      pass(60_000);
      await receiver.retry();
      expect([seen.length, new Set(seen).size]).toStrictEqual([count, different]);
    }
  });

  test('counts failures from the start after a success', async () => {
    let count = 0;
    const { receiver, retry } = openWith(MANY, () => {
      count += 1;
      return count % 40 && no();
    });
    await receiver.retry();
    expect([count, retry.size]).toStrictEqual([120, 117]);
  });

  test.each(['the same receiver', 'a new receiver for each round'])(
    'by %s settles 20 good bodies among 1,000 hopeless ones within 30',
    async (who) => {
      const orders = Array.from({ length: 1020 }, (_, index) => index.toString(36));
      const good = new Set(orders.filter((_, index) => index % 51 === 50));
      const { receiver, options, retry } = openWith(orders, (order) => good.has(order) || no());
      for (let count = 0; count < 30; count += 1) {
        pass(60_000);
        await (who === 'the same receiver' ? receiver : createReceiver(options)).retry();
      }
      expect([good.size, retry.size]).toStrictEqual([20, 1000]);
    },
  );

  const isOdd = (name: string) => Number.parseInt(name, 36) % 2 === 1;
  test.each<[what: string, store: Partial<Store>]>([
    ['read', { read: no }],
    ['read, between others that are gone', { read: async (name) => (isOdd(name) ? no() : null) }],
    ['moved', { save: no }],
  ])('ends after 50 bodies that can’t be %s', async (_, store) => {
    const { round, calls } = openWith(MANY, undefined, store);
    expect([await round(), calls.length]).toStrictEqual(['', 50]);
  });

  test('that takes its time ends, and the next one lists again', async () => {
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

  test('that is asked for while another one runs is that one', async () => {
    const { receiver, round, options } = openWith(['a']);
    const list = vi.spyOn(options.store as Store, 'list');
    expect(await Promise.all([receiver.retry(), round()])).toStrictEqual([undefined, 'a']);
    expect(list).toHaveBeenCalledTimes(1);
  });

  /** Reads all but `b`. */
  const readsButB = (readB: () => Promise<null>) => ({
    read: async (name: string) => (name === 'b' ? readB() : bytes(bodyOf(name))),
  });

  test.each<[what: string, store: Partial<Store>, message: string, ms: number]>([
    ['can’t list', { list: no }, 'a round ended: no', 0],
    ['throws without a promise', { list: throws }, 'a round ended: no', 0],
    ['can’t read', readsButB(no), 'b waits: no', 0],
    ['never lists', { list: never }, 'a round ended: store.list: no result within 30 s', 30_000],
    ['never reads', readsButB(never), 'b waits: store.read: no result within 5 s', 5000],
  ])('of a store that %s rejects nothing, and is late by seconds', async (_, ...row) => {
    const [store, message, ms] = row;
    const { round, calls } = openWith(['b'], undefined, store);
    const ended = round();
    await settleDown();
    vi.advanceTimersByTime(ms + LAST_TURNS);
    expect(await ended).toBe('');
    expect(calls).toStrictEqual([['failed', message, null]]);
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
    const set = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => set.mockRestore());
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
    expect(set.mock.results.at(-1)?.value.hasRef()).toBe(false); // keeps no process running
    await receiver.stop();
    expect([vi.getTimerCount(), take()]).toStrictEqual([0, 'a']);
  });
});

describe('stop', () => {
  test('waits for the body in progress, and starts no other', async () => {
    const slow = held();
    const { receiver, saved, take } = openWith(['a', 'b'], slow.run);
    receiver.start();
    await slow.called;
    const isStopped = vi.fn();
    const stopped = receiver.stop().then(isStopped);
    await settleDown();
    expect([isStopped.mock.calls, saved().length]).toStrictEqual([[], 2]);
    slow.resolve();
    await stopped;
    expect([take(), saved().length]).toStrictEqual(['a', 1]);
  });

  test('resolves when no body is in progress, and answers those that come meanwhile', async () => {
    const [first, second] = [held(), held()];
    const ended: unknown[] = [];
    const { receiver } = open({
      onDepositReceived: first.run,
      log: ({ outcome }) => ended.push(outcome),
      onWithdrawalBroadcast: second.run,
    });
    await receiver.stop(); // there is none
    const answers = [receiver.settle(DEPOSIT)];
    await first.called;
    const stopped = receiver.stop().then(() => ended.push('stopped'));
    await settleDown();
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
});
