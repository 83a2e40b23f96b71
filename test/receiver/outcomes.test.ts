import { createHash } from 'node:crypto';
import { createReceiver, type LogEntry, NeedsReview } from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { bytes, held, memoryStore } from './options.js';

const DEPOSIT = depositReceivedBody();
const { depositId } = JSON.parse(DEPOSIT);
const KEY = `deposit.received:${depositId}`;
const OK = { status: 200, text: 'ok' };
const FAILED = { status: 500, text: 'failed' };

afterEach(() => vi.restoreAllMocks());

const digestOf = (body: string) => createHash('sha256').update(body).digest('hex').slice(0, 16);
const nameOf = (body: string) => `deposit.received.${depositId}.${digestOf(body)}`;

/** A receiver of deposits with a store, whose function does this. */
function open(run: () => unknown) {
  const stored = memoryStore();
  const entries: LogEntry[] = [];
  const options = {
    secret: null,
    store: stored.store,
    onDepositReceived: async () => run(),
    log: (entry: LogEntry) => entries.push(entry),
  };
  return { ...stored, entries, options, receiver: createReceiver(options) };
}

test('NeedsReview saves the body and the reason for review, and is answered as a success', async () => {
  const error = new NeedsReview('the order is unknown');
  const { receiver, review, retry, entries } = open(() => Promise.reject(error));
  expect(await receiver.receive(DEPOSIT, '/')).toStrictEqual(OK);
  const name = nameOf(DEPOSIT);
  const reason = 'the order is unknown';
  expect([...review]).toStrictEqual([
    [name, { to: 'review', name, body: bytes(DEPOSIT), key: KEY, reason }],
  ]);
  expect(retry.size).toBe(0);
  expect(entries).toStrictEqual([{ outcome: 'review', key: KEY, message: reason, error }]);
  expect(String(error)).toBe('NeedsReview: the order is unknown');
});

test('NeedsReview of another copy of the package is recognized', async () => {
  vi.resetModules();
  const other = await import('../../src/receiver/needs-review.js');
  const error = new other.NeedsReview('the order is unknown');
  expect(error).not.toBeInstanceOf(NeedsReview);
  const { receiver, review } = open(() => Promise.reject(error));
  expect(await receiver.receive(DEPOSIT, '/')).toStrictEqual(OK);
  expect(review.size).toBe(1);
});

test('a refused body is saved for review with the message of the parser', async () => {
  const { receiver, review, entries } = open(() => {});
  expect(await receiver.receive('{', '/')).toStrictEqual({ status: 400, text: 'invalid_json' });
  const [[name, saved] = []] = review;
  expect(name).toBe(`refused.${digestOf('{')}`);
  expect(saved).toMatchObject({ key: null, reason: expect.stringContaining('incomplete JSON') });
  expect(entries).toStrictEqual([
    { outcome: 'refused', key: null, message: saved?.reason, error: expect.any(Error) },
  ]);
});

test('a withdrawal has its status in its name', async () => {
  const stored = memoryStore();
  const body = withdrawalBroadcastBody({ status: 'FAILED' });
  const onWithdrawalBroadcast = () => Promise.reject(new Error('no'));
  const options = { secret: null, store: stored.store, onWithdrawalBroadcast, log() {} };
  await createReceiver(options).receive(body, '/');
  const { withdrawalId } = JSON.parse(body);
  expect([...stored.retry.keys()]).toStrictEqual([
    `withdrawal.broadcast.${withdrawalId}.FAILED.${digestOf(body)}`,
  ]);
});

test.each<[what: string, run: () => unknown, body: string, outcome: string, status: number]>([
  ['a failure', () => Promise.reject(new Error('no')), DEPOSIT, 'failed', 500],
  ['an event for review', () => Promise.reject(new NeedsReview('no')), DEPOSIT, 'failed', 500],
  ['a refused body', () => {}, '{', 'refused', 400],
  ['a settled event', () => {}, DEPOSIT, 'settled', 200],
])(
  'without a store, nothing says that a body is safe: %s',
  async (_, run, body, outcome, status) => {
    const { options, entries } = open(run);
    const receiver = createReceiver({ ...options, store: null });
    receiver.start();
    await receiver.retry();
    expect((await receiver.receive(body, '/')).status).toBe(status);
    expect(await receiver.settle(body)).toBe(outcome);
    expect(entries.map((entry) => entry.outcome)).toStrictEqual([outcome, outcome]);
    await receiver.stop();
  },
);

test.each<[what: string, run: () => unknown, body: string]>([
  ['a failure', () => Promise.reject(new Error('no')), DEPOSIT],
  ['an event for review', () => Promise.reject(new NeedsReview('no')), DEPOSIT],
  ['a refused body', () => {}, '{'],
])('what can’t be saved is answered with 500 and said: %s', async (_, run, body) => {
  const { options, entries } = open(run);
  const error = new Error('ENOSPC: no space left on device');
  for (const save of [
    () => Promise.reject(error),
    () => {
      throw error;
    },
  ]) {
    const { receive } = createReceiver({ ...options, store: { ...options.store, save } });
    expect(await receive(body, '/')).toStrictEqual(FAILED);
    const message = expect.stringMatching(/\. The body was not saved: ENOSPC: no space/);
    const key = body === '{' ? null : KEY;
    expect(entries.splice(0)).toStrictEqual([{ outcome: 'failed', key, message, error }]);
  }
});

test('a log is awaited if someone must know, but not if an event is settled', async () => {
  const slow = held();
  const { options } = open(() => {});
  const { receive } = createReceiver({ ...options, log: slow.run });
  expect(await receive(DEPOSIT, '/')).toStrictEqual(OK);
  let answered = false;
  const refused = receive('{', '/').then(() => {
    answered = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answered).toBe(false);
  slow.resolve();
  await refused;
});

test('a log that never comes back delays an answer by five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const print = vi.spyOn(console, 'error').mockReturnValue();
  const { options } = open(() => {});
  const slow = held();
  const refused = createReceiver({ ...options, log: slow.run }).receive('{', '/');
  await slow.called;
  vi.advanceTimersByTime(5000);
  expect((await refused).status).toBe(400);
  vi.useRealTimers();
  expect(print.mock.lastCall?.[0]).toContain('log: expected a result within 5000 milliseconds');
});

test('settle says what became of a body of a queue', async () => {
  const outcomes: unknown[] = [() => {}, new Error('no'), new NeedsReview('no')];
  const { receiver } = open(() => {
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
  });
  const said: string[] = [];
  for (const body of [DEPOSIT, DEPOSIT, DEPOSIT, '{']) said.push(await receiver.settle(body));
  expect(said).toStrictEqual(['settled', 'retry', 'review', 'refused']);
  expect(await receiver.settle(undefined as never)).toBe('failed');
});

test('saveFirst: a body is in the store while it is settled, and no round takes it', async () => {
  const slow = held();
  const seen: unknown[] = [];
  const { options, retry, review } = open(async () => {
    seen.push([...retry.values()].map(({ reason }) => reason));
    await slow.run();
  });
  const receiver = createReceiver({ ...options, saveFirst: true });
  const answered = receiver.receive(DEPOSIT, '/');
  await slow.called;
  await receiver.retry();
  slow.resolve();
  expect(await answered).toStrictEqual(OK);
  expect([seen, retry.size, review.size]).toStrictEqual([[['in progress']], 0, 0]);
});

test.each<[what: string, error: Error, reasons: (string | undefined)[]]>([
  ['a failure stays in retry', new Error('no'), ['no', undefined]],
  ['one for review moves', new NeedsReview('no'), [undefined, 'no']],
])('saveFirst: %s', async (_, error, reasons) => {
  const { options, retry, review } = open(() => Promise.reject(error));
  const receiver = createReceiver({ ...options, saveFirst: true });
  await receiver.receive(DEPOSIT, '/');
  const name = nameOf(DEPOSIT);
  expect([retry.get(name)?.reason, review.get(name)?.reason]).toStrictEqual(reasons);
});

test('saveFirst: what can’t be saved is not passed on, and a failed removal changes nothing', async () => {
  const { options, entries } = open(() => {});
  const no = () => Promise.reject(new Error('no disk'));
  const first = createReceiver({
    ...options,
    saveFirst: true,
    store: { ...options.store, save: no },
  });
  expect(await first.receive(DEPOSIT, '/')).toStrictEqual(FAILED);
  const { receive } = createReceiver({
    ...{ ...options, saveFirst: true, store: { ...options.store, remove: no } },
  });
  expect(await receive(DEPOSIT, '/')).toStrictEqual(OK);
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['failed', 'settled', 'failed']);
});

test('by default, prints a line of each, and the stack of an error without a code', async () => {
  const print = vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
  const refused = Object.assign(new Error('connect\nECONNREFUSED'), { code: 'ECONNREFUSED' });
  const bug = new TypeError('a bug');
  for (const error of [null, refused, bug, 'text', new NeedsReview('no')]) {
    const { options } = open(() => error && Promise.reject(error));
    await createReceiver({ ...options, log: undefined }).receive(DEPOSIT, '/');
  }
  expect(print.mock.calls).toStrictEqual([
    [`retry: ${KEY}: connect\\u000aECONNREFUSED`],
    [`retry: ${KEY}: a bug`, bug],
    [`retry: ${KEY}: text`],
    [`review: ${KEY}: no`],
  ]);
});
