import {
  createReceiver,
  type LogEntry,
  NeedsReview,
  type Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytes, held, memoryStore } from './options.js';

/** Only the pause and the limits of time. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const settleDown = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** A body whose order is this. */
const bodyOf = (order: string) =>
  depositReceivedBody({ clientPaymentId: order }, { seed: 1 + order.charCodeAt(0) });

/** A receiver whose store has bodies of these orders, the oldest first, and what it is told. */
async function open(
  orders: string,
  run: (order: string) => unknown,
  own: (store: Store) => Partial<Store> = () => ({}),
) {
  const { store, retry, review } = memoryStore();
  const seen: string[] = [];
  const entries: LogEntry[] = [];
  const fill = async (more: string) => {
    for (const order of more) {
      const body = bytes(bodyOf(order));
      await store.save({ to: 'retry', name: order, body, key: null, reason: '' });
    }
  };
  await fill(orders);
  const receiver = createReceiver({
    secret: null,
    store: { ...store, ...own(store) },
    async onDepositReceived({ clientPaymentId: order }) {
      seen.push(order);
      return run(order);
    },
    log: (entry) => entries.push(entry),
  });
  const take = () => seen.splice(0).join('');
  return { receiver, retry, review, seen, take, entries, fill };
}

const no = () => Promise.reject(new Error('no'));

test('settles what waits, and removes it', async () => {
  const { receiver, retry, take } = await open('abc', () => {});
  await receiver.retry();
  expect([take(), retry.size]).toStrictEqual(['cab', 0]);
});

test('moves what needs review, or is refused now', async () => {
  const { receiver, retry, review } = await open('a', () => Promise.reject(new NeedsReview('no')));
  retry.set('b', { to: 'retry', name: 'b', body: bytes('{'), key: null, reason: '' });
  await receiver.retry();
  expect(retry.size).toBe(0);
  expect([...review.values()].map(({ reason }) => reason).sort()).toStrictEqual([
    expect.stringContaining('incomplete JSON'),
    'no',
  ]);
});

test('gives a body its own name, and the reason of its last failure', async () => {
  const { receiver, retry } = await open('a', no);
  await receiver.retry();
  const [[name, saved] = []] = retry;
  expect([retry.size, name, saved?.reason]).toStrictEqual([
    1,
    expect.stringMatching(/^deposit\.received\.[0-9a-f-]{36}\.[0-9a-f]{16}$/),
    'no',
  ]);
  await receiver.retry();
  expect([...retry.keys()]).toStrictEqual([name]);
});

describe('while bodies fail', () => {
  /** Under the names that the receiver gives. */
  async function named(orders: string, run: (order: string) => unknown) {
    const { store, retry } = memoryStore();
    let isDown = true;
    const seen: string[] = [];
    const receiver = createReceiver({
      secret: null,
      store,
      async onDepositReceived({ clientPaymentId: order }) {
        seen.push(order);
        if (isDown) throw new Error('no');
        return run(order);
      },
      log() {},
    });
    for (const order of orders) await receiver.receive({ body: bodyOf(order), url: '/' });
    seen.length = 0;
    isDown = false;
    const round = async () => {
      await receiver.retry();
      return seen.splice(0).join('');
    };
    return { round, retry, receiver };
  }

  test('because the database is down, each round tries the five that failed least', async () => {
    const { round } = await named('abcdefgh', no);
    const seen: string[] = [];
    for (let count = 0; count < 4; count += 1) seen.push(await round());
    expect(seen).toStrictEqual(['hagbf', 'cdeab', 'cdefg', 'habcd']);
  });

  test('because the database goes down, the round ends at the fifth of them', async () => {
    const { round } = await named('abcdefgh', (order) => (order === 'h' ? undefined : no()));
    expect([await round(), await round()]).toStrictEqual(['hagbfc', 'deabc']);
  });

  test('for reasons of their own, the others are settled', async () => {
    const fail = (order: string) => ('ab'.includes(order) ? undefined : no());
    const { round, retry } = await named('abcdefgh', fail);
    const seen = [await round(), await round(), await round()];
    expect(seen).toStrictEqual(['hagbfced', 'cdefg', 'hcdef']);
    expect(retry.size).toBe(6);
  });
});

test('two rounds at the same time are one', async () => {
  const { receiver, take } = await open('a', () => {});
  await Promise.all([receiver.retry(), receiver.retry()]);
  expect(take()).toBe('a');
});

test.each<[what: string, own: (store: Store) => Partial<Store>, message: string, seen: string]>([
  ['listed', () => ({ list: () => Promise.reject(new Error('no list')) }), 'no list', ''],
  [
    'listed, without a promise',
    () => ({
      list: () => {
        throw new Error('no list');
      },
    }),
    'no list',
    '',
  ],
  [
    'read',
    ({ read }) => ({ read: async (name) => (name === 'b' ? no() : read(name)) }),
    'b waits: no',
    'a',
  ],
  ['removed', () => ({ remove: no }), 'waits: no', 'ba'],
])('a store that can’t be %s rejects nothing', async (_, own, message, seen) => {
  const { receiver, entries, take } = await open('ab', () => {}, own);
  await receiver.retry();
  const failed = entries.filter(({ outcome }) => outcome === 'failed');
  expect(failed[0]?.message).toContain(message);
  expect(take()).toBe(seen);
});

test('a store that never lists ends the round after a minute', async () => {
  const own = () => ({ list: () => new Promise<never>(() => {}) });
  const { receiver, entries } = await open('a', () => {}, own);
  const round = receiver.retry();
  vi.advanceTimersByTime(60_000);
  await round;
  expect(entries.map(({ message }) => message)).toStrictEqual([
    'store.list: no result within 60 s',
  ]);
});

test('what another process settles meanwhile is no failure', async () => {
  const { receiver, take, entries } = await open(
    'abcdefg',
    () => {},
    () => ({
      read: async (name) => (name === 'a' ? bytes(bodyOf('a')) : null),
    }),
  );
  await receiver.retry();
  expect(take()).toBe('a');
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['settled']);
});

test('a store that never answers ends the round after a minute', async () => {
  const { receiver, entries, take } = await open(
    'ab',
    () => {},
    ({ read }) => ({
      read: (name) => (name === 'b' ? new Promise(() => {}) : read(name)),
    }),
  );
  const round = receiver.retry();
  await settleDown();
  vi.advanceTimersByTime(60_000);
  await round;
  expect(take()).toBe('a');
  expect(entries[0]?.message).toContain('b waits: the store: no result within 60 s');
  await receiver.retry(); // `b` is still being read
  expect(entries.length).toBe(2);
});

describe('start', () => {
  test('tries now and every minute, until it is stopped', async () => {
    const { receiver, take, retry, entries } = await open('a', no);
    const roundEnded = async () => {
      await until(() => entries.length > 0); // its last step
      entries.length = 0;
      await settleDown();
    };
    receiver.start();
    receiver.start();
    await roundEnded();
    expect(take()).toBe('a');
    vi.advanceTimersByTime(59_999);
    await settleDown();
    expect(take()).toBe('');
    vi.advanceTimersByTime(1);
    await roundEnded();
    expect(take()).toBe('a');
    await receiver.stop();
    vi.advanceTimersByTime(120_000);
    await settleDown();
    expect([take(), retry.size, vi.getTimerCount()]).toStrictEqual(['', 1, 0]);
    receiver.start();
    await roundEnded();
    expect(take()).toBe('a');
    await receiver.stop();
  });

  test('stop waits for the body in progress, and starts no other', async () => {
    const slow = held();
    const { receiver, retry, take } = await open('ab', slow.run);
    receiver.start();
    await slow.called;
    let isStopped = false;
    const stopped = receiver.stop().then(() => {
      isStopped = true;
    });
    await settleDown();
    expect([isStopped, retry.size]).toStrictEqual([false, 2]);
    slow.resolve();
    await stopped;
    expect([take(), [...retry.keys()]]).toStrictEqual(['b', ['a']]);
  });

  test('stop waits no longer than the deadline for a function that hangs', async () => {
    const { receiver, take } = await open('ab', () => new Promise(() => {}));
    receiver.start();
    await until(() => vi.getTimerCount() > 1);
    await settleDown();
    const stopped = receiver.stop();
    vi.advanceTimersByTime(25_000);
    await stopped;
    expect(take()).toBe('b');
  });
});
