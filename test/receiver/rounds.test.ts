import { createReceiver, type Store } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  bytes,
  held,
  nameOf,
  never,
  no,
  open,
  settleDown,
  stopClock,
  throws,
  until,
  WITHDRAWAL,
} from './setup.js';

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

/** Takes the chance out of the first round of a process: what is shuffled keeps its order. */
function removeChance() {
  let next = 0;
  const random = vi.spyOn(Math, 'random').mockImplementation(() => {
    next += 1;
    return next / 100;
  });
  onTestFinished(() => random.mockRestore());
}

test.each(['', '{"actual'])(
  'keeps the name of an event whose file is damaged: %j',
  async (body) => {
    const { receiver, leave, review, retry, entries } = openWith('', () => {});
    const name = 'deposit.received.7.0123456789abcdef';
    leave(name, body);
    leave('someone.deposit.1', '{');
    await receiver.retry();
    expect(retry.size).toBe(0);
    expect([...review.keys()].sort()).toStrictEqual([name, nameOf('refused', '{')]);
    for (const { reason } of review.values()) expect(reason).toMatch(/^notification refused: /);
    const messages = entries.map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringMatching(`^${name}: `));
  },
);

test('keeps a name in other case, which may be the same file', async () => {
  const { leave, round, retry } = openWith('', no);
  leave(nameOfOrder('a').toUpperCase(), bodyOf('a'));
  await round();
  expect([...retry.keys()]).toContain(nameOfOrder('a').toUpperCase());
});

test('gives a body its own name, and the reason of its last failure', async () => {
  const { round, retry } = openWith('a', no);
  const name = nameOfOrder('a');
  for (let count = 0; count < 2; count += 1) {
    await round();
    expect([...retry]).toMatchObject([[name, { name, reason: 'no' }]]);
  }
});

test.each<[why: string, run: (order: string) => unknown, rounds: string[], left: number]>([
  ['the database is down: the five tried longest ago', no, ['hagbf', 'cdeha', 'gbfcd', 'ehagb'], 8],
  [
    'the database goes down: until the fifth of them',
    (order) => (order === 'h' ? undefined : no()),
    ['hagbfc', 'deagb'],
    7,
  ],
  [
    'they have reasons of their own: the others are settled',
    (order) => ('ab'.includes(order) ? undefined : no()),
    ['hagbfced', 'hgfce', 'dhgfc'],
    6,
  ],
  [
    'they have reasons of their own: a success counts from the start',
    (order) => (order === 'g' ? undefined : no()),
    ['hagbfced'],
    7,
  ],
])('a round while bodies fail because %s', async (_, run, rounds, left) => {
  removeChance();
  const { leave, round, retry } = openWith('', run);
  for (const order of 'abcdefgh') leave(nameOfOrder(order), bodyOf(order));
  for (const orders of rounds) expect(await round()).toBe(orders);
  expect(retry.size).toBe(left);
});

test('a body that failed once is tried again, however many new ones fail', async () => {
  let tries = 0;
  const { leave, round } = openWith('', (order) => {
    if (order === 'a') tries += 1;
    return order === 'a' && tries === 2 ? undefined : no();
  });
  for (let turn = 0; turn < 25; turn += 1) {
    for (let order = 1; order <= 5; order += 1) {
      const added = String.fromCharCode(100 + 5 * turn + order);
      leave(nameOfOrder(added), bodyOf(added));
    }
    if (turn === 3) leave(nameOfOrder('a'), bodyOf('a'));
    await round();
  }
  expect(tries).toBe(2);
});

test.each([...'abcdefghij'])(
  'a scheduled function, which remembers no failures, settles what can be settled: %s',
  async (good) => {
    const { options, leave, retry } = openWith('', (order) => (order === good ? undefined : no()));
    for (const order of 'abcdefghij') leave(nameOfOrder(order), bodyOf(order));
    // Chance decides how soon.
    for (let turn = 0; retry.size > 9 && turn < 1000; turn += 1)
      await createReceiver(options).retry();
    expect(retry.has(nameOfOrder(good))).toBe(false);
  },
);

test.each<[why: string, run: () => unknown, store: Partial<Store>]>([
  ['can’t be read', () => {}, { read: no }],
  ['can’t be saved', no, { save: no }],
  ['fail under names of someone', no, {}],
])('a round ends after five bodies that %s', async (_, run, store) => {
  const { round, calls } = openWith('abcdefgh', run, store);
  await round();
  expect(calls).toHaveLength(5);
});

test('a body is in progress as long as one of its deliveries is', async () => {
  const slow = held();
  const runs = [no, slow.run];
  const onDepositReceived = vi.fn(async () => runs.shift()?.());
  const { receiver } = open({ saveFirst: true, onDepositReceived });
  const answers = [receiver.settle(bodyOf('a')), receiver.settle(bodyOf('a'))];
  await slow.called;
  await Promise.race(answers); // either may be the first
  await receiver.retry();
  expect(onDepositReceived).toHaveBeenCalledTimes(2);
  slow.resolve();
  expect((await Promise.all(answers)).sort()).toStrictEqual(['retry', 'settled']);
});

test('two rounds at the same time are one', async () => {
  const list = vi.fn(async () => ['a']);
  const { receiver, round } = openWith('a', () => {}, { list });
  expect(await Promise.all([receiver.retry(), round()])).toStrictEqual([undefined, 'a']);
  expect(list).toHaveBeenCalledTimes(1);
});

describe('a store that', () => {
  /** Reads all but `b`. */
  const readsButB = (readB: () => Promise<null>) => ({
    read: async (name: string) => (name === 'b' ? readB() : bytes(bodyOf(name))),
  });

  test.each<[what: string, store: Partial<Store>, message: string, seen: string, ms: number]>([
    ['can’t list', { list: no }, 'no', '', 0],
    ['throws without a promise', { list: throws }, 'no', '', 0],
    ['can’t read', readsButB(no), 'b waits: no', 'a', 0],
    ['can’t remove', { remove: no }, 'b waits: no', 'ba', 0],
    [
      'never removes',
      { remove: async (name) => (name === 'b' ? never() : undefined) },
      'b waits: store.remove: no result within 5 s',
      ...(['ba', 5000] as const),
    ],
    ['never lists', { list: never }, 'store.list: no result within 30 s', '', 30_000],
    ['never reads', readsButB(never), 'b waits: store.read: no result within 5 s', 'a', 5000],
  ])('%s rejects nothing, and delays a round by seconds', async (...row) => {
    const [what, store, message, seen, ms] = row;
    const { receiver, round, calls, take } = openWith('ab', () => {}, store);
    const ended = round();
    await settleDown();
    vi.advanceTimersByTime(ms);
    expect(await ended).toBe(seen);
    expect(calls[0]).toStrictEqual(['failed', message, null]);
    if (what !== 'never reads') return;
    await receiver.retry(); // `b` is still being read
    expect([take(), calls.length]).toStrictEqual(['', 1]);
  });

  test('another process has emptied meanwhile is no failure', async () => {
    removeChance();
    const read = async (name: string) => (name === 'd' ? bytes(bodyOf('d')) : null);
    const { round, entries } = openWith('abcdefg', () => {}, { read });
    expect(await round()).toBe('d'); // the last one
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['settled']);
  });
});

describe('start', () => {
  test('without a store, has nothing to try', async () => {
    const { receiver } = open({ store: null });
    receiver.start();
    await receiver.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('tries now and every minute, until it is stopped', async () => {
    const { receiver, take, retry, calls } = openWith('a', no);
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

  test.each([
    ['until it ends', (slow: ReturnType<typeof held>) => slow.resolve(), ['a']],
    ['until its deadline', () => vi.advanceTimersByTime(25_000), ['a', nameOfOrder('b')]],
  ])('stop waits for the body in progress %s, and starts no other', async (_, end, left) => {
    const slow = held();
    const { receiver, retry, take } = openWith('ab', slow.run);
    receiver.start();
    await slow.called;
    const isStopped = vi.fn();
    const stopped = receiver.stop().then(isStopped);
    await settleDown();
    expect([isStopped.mock.calls, retry.size]).toStrictEqual([[], 2]);
    end(slow);
    await stopped;
    expect([take(), [...retry.keys()]]).toStrictEqual(['b', left]);
  });
});

test('a process runs until a deadline, when it saves, but not for the pause between rounds', async () => {
  const stopped = globalThis.setTimeout;
  const set = vi.fn(stopped);
  // Not with `spyOn`: after a file, Vitest restores what it spied on once more. Then the clock
  // would stand still in the files after it.
  globalThis.setTimeout = set as never;
  onTestFinished(() => {
    globalThis.setTimeout = stopped;
  });
  const keepsRunning = () => set.mock.results.at(-1)?.value.hasRef();
  const { receiver } = open({ onDepositReceived: never });
  const settled = receiver.settle(bodyOf('a'));
  expect(keepsRunning()).toBe(true);
  vi.advanceTimersByTime(25_000);
  await settled;
  receiver.start();
  await until(() => set.mock.lastCall?.[1] === 60_000);
  expect(keepsRunning()).toBe(false);
  await receiver.stop();
});

test('stop resolves when no body is in progress, and answers those that come meanwhile', async () => {
  const [first, second] = [held(), held()];
  const ended: unknown[] = [];
  const { receiver } = open({
    onDepositReceived: first.run,
    log: ({ outcome }) => ended.push(outcome),
    onWithdrawalBroadcast: second.run,
  });
  await receiver.stop(); // there is none
  const answers = [receiver.settle(bodyOf('a'))];
  const stopped = receiver.stop().then(() => ended.push('stopped'));
  await settleDown();
  answers.push(receiver.settle(WITHDRAWAL));
  first.resolve();
  await answers[0];
  await settleDown();
  expect(ended).toStrictEqual(['settled']);
  second.reject();
  await stopped;
  expect(ended).toStrictEqual(['settled', 'retry', 'stopped']);
});
