import { createReceiver, type Store } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bytes, held, nameOf, never, no, open, settleDown, stopClock, until } from './options.js';

beforeEach(stopClock);

/** A body whose order is this. */
const bodyOf = (order: string) =>
  depositReceivedBody({ clientPaymentId: order }, { seed: 1 + order.charCodeAt(0) });

/** The name under which the receiver saves that body. */
const nameOfOrder = (order: string) =>
  nameOf(`deposit.received:${JSON.parse(bodyOf(order)).depositId}`, bodyOf(order));

/** A receiver whose store has bodies of these orders, the oldest first. */
function openWith(orders: string, run: (order: string) => unknown, store?: Partial<Store>) {
  const seen: string[] = [];
  const opened = open({
    store,
    async onDepositReceived({ clientPaymentId: order }) {
      seen.push(order);
      return run(order);
    },
  });
  for (const order of orders) opened.leave(order, bodyOf(order));
  /** Returns the orders that were seen since the last time. */
  const take = () => seen.splice(0).join('');
  const round = () => opened.receiver.retry().then(take);
  return { ...opened, seen, take, round };
}

test('settles what waits, and removes it', async () => {
  const { round, retry } = openWith('abc', () => {});
  expect([await round(), retry.size]).toStrictEqual(['cab', 0]);
});

test.each(['', '{"actual'])(
  'keeps the name of an event whose file is damaged: %j',
  async (body) => {
    const { receiver, leave, review, retry, entries } = openWith('', () => {});
    leave('deposit.received.7.0123456789abcdef', body);
    leave('someone.else', '{');
    await receiver.retry();
    expect([retry.size, [...review.keys()].sort()]).toStrictEqual([
      0,
      ['deposit.received.7.0123456789abcdef', nameOf('refused', '{')],
    ]);
    for (const { reason } of review.values()) expect(reason).toMatch(/^notification refused: /);
    const messages = entries.map(({ message }) => message);
    expect(messages).toContainEqual(
      expect.stringMatching(/^deposit\.received\.7\.0123456789abcdef: /),
    );
  },
);

test('gives a body its own name, and the reason of its last failure', async () => {
  const { round, retry } = openWith('a', no);
  const name = nameOfOrder('a');
  for (let count = 0; count < 2; count += 1) {
    await round();
    expect([...retry.values()]).toMatchObject([{ name, reason: 'no' }]);
    expect([...retry.keys()]).toStrictEqual([name]);
  }
});

describe('while bodies fail', () => {
  /** Has eight bodies that failed, under the names that the receiver gives. */
  async function openFailed(run: (order: string) => unknown) {
    // The first round of a process has a chance in it: here, the newest first.
    let next = 0;
    const random = vi.spyOn(Math, 'random').mockImplementation(() => {
      next += 1;
      return next / 100;
    });
    onTestFinished(() => random.mockRestore());
    let isDown = true;
    const opened = openWith('', (order) => (isDown ? no() : run(order)));
    for (const order of 'abcdefgh') await opened.ask(bodyOf(order));
    opened.take();
    isDown = false;
    return opened;
  }

  test.each<[why: string, run: (order: string) => unknown, rounds: string[], left: number]>([
    [
      'the database is down, each round tries the five that failed least',
      no,
      ['hdgcf', 'abecd', 'abefg', 'habcd'],
      8,
    ],
    [
      'the database goes down, the round ends at the fifth of them',
      (order) => (order === 'h' ? undefined : no()),
      ['hdgcfb', 'aebcd'],
      7,
    ],
    [
      'of reasons of their own, the others are settled',
      (order) => ('ab'.includes(order) ? undefined : no()),
      ['hdgcf', 'abecdfg', 'ehcdf'],
      6,
    ],
    [
      'of reasons of their own, a success counts from the start',
      (order) => (order === 'c' ? undefined : no()),
      ['hdgcfbea'],
      7,
    ],
  ])('because %s', async (_, run, rounds, left) => {
    const { round, retry } = await openFailed(run);
    for (const orders of rounds) expect(await round()).toBe(orders);
    expect(retry.size).toBe(left);
  });

  test('a scheduled function, which remembers no failures, settles whatever can be settled', async () => {
    const run = (order: string) => ('fgmno'.includes(order) ? no() : undefined);
    const { options, leave, retry } = openWith('', run);
    for (const order of 'abcdefghijklmno') leave(nameOfOrder(order), bodyOf(order));
    // Chance decides how soon. If the same five were tried each time, this would never end.
    while (retry.size > 5) await createReceiver(options).retry();
    expect(retry.size).toBe(5);
  });
});

test('a body is in progress as long as one of its deliveries is', async () => {
  const slow = held();
  const runs = [no, slow.run];
  const onDepositReceived = vi.fn(async () => runs.shift()?.());
  const { receiver } = open({ saveFirst: true, onDepositReceived });
  const answers = [receiver.settle(bodyOf('a')), receiver.settle(bodyOf('a'))];
  await slow.called;
  await answers[0];
  await receiver.retry();
  expect(onDepositReceived).toHaveBeenCalledTimes(2);
  slow.resolve();
  expect(await Promise.all(answers)).toStrictEqual(['retry', 'settled']);
});

test('two rounds at the same time are one', async () => {
  const { receiver, round, take } = openWith('a', () => {});
  expect(await Promise.all([receiver.retry(), round()])).toStrictEqual([undefined, 'a']);
  expect(take()).toBe('');
});

describe('a store that', () => {
  test.each<[what: string, store: Partial<Store>, message: string, seen: string]>([
    ['can’t list', { list: no }, 'no', ''],
    [
      'throws without a promise',
      {
        list: () => {
          throw new Error('no list');
        },
      },
      'no list',
      '',
    ],
    [
      'can’t read',
      { read: async (name) => (name === 'b' ? no() : bytes(bodyOf(name))) },
      'b waits: no',
      'a',
    ],
    ['can’t remove', { remove: no }, 'b waits: no', 'ba'],
  ])('%s rejects nothing', async (_, store, message, seen) => {
    const { round, calls } = openWith('ab', () => {}, store);
    expect(await round()).toBe(seen);
    expect(calls[0]).toStrictEqual(['failed', message, null]);
  });

  test.each<[what: string, store: Partial<Store>, message: string, seen: string, ms: number]>([
    ['lists', { list: never }, 'store.list: no result within 30 s', '', 30_000],
    [
      'reads',
      { read: (name) => (name === 'b' ? never() : Promise.resolve(bytes(bodyOf(name)))) },
      'b waits: store.read: no result within 5 s',
      'a',
      5000,
    ],
  ])('never %s delays the round by seconds', async (_, store, message, seen, ms) => {
    const { receiver, round, calls, take } = openWith('ab', () => {}, store);
    const ended = round();
    await settleDown();
    vi.advanceTimersByTime(ms);
    expect(await ended).toBe(seen);
    expect(calls).toStrictEqual([['failed', message, null]]);
    if (seen === '') return;
    await receiver.retry(); // `b` is still being read
    expect([take(), calls.length]).toStrictEqual(['', 1]);
  });

  test('another process has emptied meanwhile is no failure', async () => {
    const read = async (name: string) => (name === 'a' ? bytes(bodyOf('a')) : null);
    const { round, entries } = openWith('abcdefg', () => {}, { read });
    expect(await round()).toBe('a');
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['settled']);
  });
});

describe('start', () => {
  test('tries now and every minute, until it is stopped', async () => {
    const { receiver, take, retry, calls } = openWith('a', no);
    const roundEnded = async () => {
      await until(() => calls.length > 0); // its last step
      calls.length = 0;
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

  test('again before a stopped round has ended, makes one loop, which stop ends', async () => {
    const slow = held();
    const { receiver, take } = openWith('a', slow.run);
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
    const { receiver, retry, take } = openWith('ab', slow.run);
    receiver.start();
    await slow.called;
    const isStopped = vi.fn();
    const stopped = receiver.stop().then(isStopped);
    await settleDown();
    expect([isStopped.mock.calls, retry.size]).toStrictEqual([[], 2]);
    slow.resolve();
    await stopped;
    expect([take(), [...retry.keys()]]).toStrictEqual(['b', ['a']]);
  });

  test('stop waits no longer than the deadline for a function that hangs', async () => {
    const { receiver, seen, take } = openWith('ab', never);
    receiver.start();
    await until(() => seen.length > 0);
    const stopped = receiver.stop();
    vi.advanceTimersByTime(25_000);
    await stopped;
    expect(take()).toBe('b');
  });
});
