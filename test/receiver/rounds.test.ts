import type { SavedBody, Store } from 'payment-notifications/receiver';
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
  OK,
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
const ENDED = [
  'warning',
  'was left in progress, because its process ended or the store failed',
  KEY,
];
const ENDED_THRICE = 'its function ended the process three times, or the store failed';

/** Moves the time of day, and no timer. */
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A body of this order. */
const bodyOf = (order: string) =>
  depositReceivedBody({ clientPaymentId: order }, { seed: 1 + Number.parseInt(order, 36) });

/** A receiver whose store has bodies of these orders. */
function openWith(
  orders: readonly string[],
  run: (order: string) => unknown = () => {},
  store: Partial<Store> = {},
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
  /** Returns the orders that a round has seen. */
  const round = () => opened.receiver.retry().then(() => seen.splice(0).join(''));
  return { ...opened, seen, round };
}

describe('a body in progress', () => {
  test('is left alone until its claim has run out', async () => {
    const slow = held();
    const { receiver, ask, saved, options, calls } = open({ onDepositReceived: slow.run });
    const answered = ask(DEPOSIT);
    await slow.called;
    const claimed = [['progress', '', KEY, DEPOSIT]];
    const other = open({ store: options.store });
    await receiver.retry();
    pass(CLAIM);
    await other.receiver.retry();
    expect([saved(), calls, other.calls]).toStrictEqual([claimed, [], []]);
    pass(1);
    await other.receiver.retry();
    expect([saved(), other.calls]).toStrictEqual([[], [ENDED, PASSED_ON]]);
    slow.resolve();
    expect(await answered).toStrictEqual(OK);
  });

  test('of a clock that is wrong isn’t left forever, even if a store says a time as text', async () => {
    const { round, leave, progress, options } = openWith([]);
    leave('a', bodyOf('a'), 'progress', Date.now() + CLAIM);
    leave('b', bodyOf('b'), 'progress', Date.now() + CLAIM + 1);
    const waiting = [...progress.values()].map(({ name, since }) => {
      return { ...{ name, place: 'progress', tries: 1 }, since: since.toJSON() };
    });
    vi.spyOn(options.store as Store, 'list').mockResolvedValue(waiting as never);
    // The memory's own time is no text.
    vi.spyOn(options.store as Store, 'save').mockResolvedValue(true);
    expect(await round()).toBe('b');
  });

  test('whose process has ended is claimed as it was found, and goes to review after three times', async () => {
    const { receiver, leave, saved, calls, options } = open();
    const save = vi.spyOn(options.store as Store, 'save');
    leave(NAME, DEPOSIT, 'progress', 5, 2);
    await receiver.retry();
    const from = { name: NAME, place: 'progress', since: new Date(5), tries: 2 };
    const claim = { to: 'progress', name: NAME, key: KEY, reason: '', body: bytes(DEPOSIT), from };
    expect(save.mock.calls).toStrictEqual([[claim]]);
    expect([saved(), calls.splice(0)]).toStrictEqual([[], [ENDED, PASSED_ON]]);
    leave(NAME, DEPOSIT, 'progress', 0, 3);
    await receiver.retry();
    expect(saved()).toStrictEqual([['review', ENDED_THRICE, KEY, DEPOSIT]]);
    expect(calls).toStrictEqual([['review', ENDED_THRICE, KEY]]);
  });
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
    ['empty', 'retry', '', HALF],
    ['cut off', 'progress', DEPOSIT.slice(0, 9), HALF],
    ['invalid', 'retry', DEPOSIT.replace('CONF', ''), `${CHANGED}: deposit.received refused: `],
    ['valid', 'retry', DEPOSIT, CHANGED],
  ] as const)('is for review under its name: %s, in %s', async (what, place, body, why) => {
    const { receiver, leave, review, calls } = open();
    leave(wrong, body, place);
    await receiver.retry();
    const key = what === 'valid' ? KEY : null;
    const reason = expect.stringMatching(`^${why}`);
    expect([...review.values()]).toMatchObject([{ name: wrong, key, body: bytes(body), reason }]);
    const refused = ['refused', expect.stringMatching(`^${wrong}: ${why}`), null];
    expect(calls).toStrictEqual([key === null ? refused : ['review', CHANGED, KEY]]);
  });
});

test('receivers of one type each leave bodies of the other alone, and say so once a start', async () => {
  const { receiver, options, leave, calls, retry } = open({ onWithdrawalBroadcast: undefined });
  const withdrawals = open({ onDepositReceived: undefined, store: options.store });
  leave(nameOf(WITHDRAWAL_KEY, WITHDRAWAL), WITHDRAWAL);
  leave('moved-by-someone', WITHDRAWAL);
  leave(nameOf(WITHDRAWAL_KEY, '{'), '{');
  leave(NAME, DEPOSIT);
  const line = (type: string) =>
    `a ${type} webhook waits, but this receiver has no function for it. It is left to another receiver on this store`;
  for (let count = 0; count < 2; count += 1) {
    receiver.start();
    await receiver.retry();
    await receiver.retry();
    await receiver.stop();
  }
  const waits = ['warning', line('withdrawal.broadcast'), null];
  expect([calls, retry.size]).toStrictEqual([[waits, PASSED_ON, waits], 3]);
  leave(NAME, DEPOSIT);
  await withdrawals.receiver.retry();
  expect(withdrawals.calls[0]).toStrictEqual(['warning', line('deposit.received'), null]);
  expect([...retry.keys()]).toStrictEqual([NAME]);
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
    await receiver.retry();
    expect(seen).toHaveLength(50);
    pass(60_000);
    await receiver.retry();
    expect(new Set(seen).size).toBe(100);
  });

  test('counts failures from the start after a success', async () => {
    let count = 0;
    const { round } = openWith(MANY, () => {
      count += 1;
      return count % 40 && no();
    });
    await round();
    expect(count).toBe(120);
  });

  const isOdd = (name: string) => Number.parseInt(name, 36) % 2 === 1;
  const odd = (other: (name: string) => Uint8Array | null) => ({
    read: async (name: string) => (isOdd(name) ? no() : other(name)),
  });
  const keepsNone = { save: async ({ to }: SavedBody) => (to === 'progress' ? true : no()) };
  test.each<[count: number, what: string, store: Partial<Store>]>([
    [5, 'be claimed', { save: no }],
    [5, 'be read, between others that are gone', odd(() => null)],
    [120, 'be read, between others that fail', odd((name) => bytes(bodyOf(name)))],
    [50, 'be moved', keepsNone],
  ])('ends after %d of 120 bodies that can’t %s', async (count, _, store) => {
    const { receiver, calls } = openWith(MANY, no, store);
    await receiver.retry();
    expect(calls).toHaveLength(count);
  });

  test('that takes its time ends, and the next one lists again', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const { receiver, options, seen } = openWith(['a', 'b'], () => now.mockReturnValue(3001));
    const list = vi.spyOn(options.store as Store, 'list');
    now.mockReturnValueOnce(0).mockReturnValue(2000); // to list took two seconds, and counts not
    receiver.start({ everyMs: 1000 });
    await until(() => seen.length > 0);
    await settleDown();
    expect(seen).toHaveLength(1);
    vi.advanceTimersByTime(0); // the next one is already due
    await until(() => list.mock.calls.length === 2);
    await receiver.stop();
  });

  test('that is asked for while another one runs is that one', async () => {
    const { receiver, round, options } = openWith(['a']);
    const list = vi.spyOn(options.store as Store, 'list');
    expect(await Promise.all([receiver.retry(), round()])).toStrictEqual([undefined, 'a']);
    expect(list).toHaveBeenCalledTimes(1);
  });

  test.each<[what: string, store: Partial<Store>, message: string, ms: number]>([
    ['throws', { list: throws }, 'a round ended: no', 0],
    ['can’t read', { read: no }, 'a was not tried: no', 0],
    ['never lists', { list: never }, 'a round ended: store.list: took longer than 30 s', 30_000],
    ['never reads', { read: never }, 'a was not tried: store.read: took longer than 5 s', 5000],
  ])(
    'of a store that %s rejects nothing, and is late by seconds',
    async (_, store, message, ms) => {
      const { round, calls } = openWith(['a'], undefined, store);
      const ended = round();
      await settleDown();
      vi.advanceTimersByTime(ms + LAST_TURNS);
      expect(await ended).toBe('');
      expect(calls).toStrictEqual([['failed', message, null]]);
    },
  );
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
    const { receiver, seen, calls } = openWith(['a'], no);
    /** Waits until a round has ended, of which a line is the last step. */
    async function roundEnded(count: number) {
      await until(() => calls.length === count);
      await settleDown();
      expect([seen.length, vi.getTimerCount()]).toStrictEqual([count, 1]);
    }
    receiver.start();
    await roundEnded(1);
    receiver.start(); // it is started already
    vi.advanceTimersByTime(59_999);
    await roundEnded(1);
    vi.advanceTimersByTime(1);
    await roundEnded(2);
    await receiver.stop();
    expect(vi.getTimerCount()).toBe(0);
    receiver.start();
    await roundEnded(3);
    await receiver.stop();
  });

  test('again before a stopped round has ended, makes one loop, which stop ends', async () => {
    const slow = held();
    const { receiver, seen } = openWith(['a'], slow.run);
    receiver.start();
    await slow.called;
    const stopped = receiver.stop();
    receiver.start();
    // Not a spy: once all are restored, the clock of this test would come back.
    const { setTimeout } = globalThis;
    const set = vi.fn(setTimeout);
    globalThis.setTimeout = set as never;
    slow.resolve();
    await stopped;
    await settleDown();
    globalThis.setTimeout = setTimeout;
    expect(vi.getTimerCount()).toBe(1);
    expect(set.mock.results.at(-1)?.value.hasRef()).toBe(false); // keeps no process running
    await receiver.stop();
    expect([vi.getTimerCount(), seen]).toStrictEqual([0, ['a']]);
  });
});

describe('stop', () => {
  test('waits for the body in progress, and starts no other', async () => {
    const slow = held();
    const { receiver, saved, seen } = openWith(['a', 'b'], slow.run);
    receiver.start();
    await slow.called;
    const isStopped = vi.fn();
    const stopped = receiver.stop().then(isStopped);
    await settleDown();
    expect([isStopped.mock.calls, saved().length]).toStrictEqual([[], 2]);
    slow.resolve();
    await stopped;
    expect([seen, saved().length]).toStrictEqual([['a'], 1]);
  });

  test('resolves when no body is in progress, and answers those that come meanwhile', async () => {
    const [first, second] = [held(), held()];
    const own = { onDepositReceived: first.run, onWithdrawalBroadcast: second.run };
    const { receiver } = open(own);
    const settled = receiver.settle(DEPOSIT);
    await first.called;
    const isStopped = vi.fn();
    const stopped = receiver.stop().then(isStopped);
    await settleDown();
    receiver.settle(WITHDRAWAL);
    await second.called;
    first.resolve();
    expect(await settled).toBe('settled');
    await settleDown();
    expect(isStopped).not.toHaveBeenCalled();
    second.resolve();
    await stopped;
  });
});
