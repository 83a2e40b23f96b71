import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  createReceiver,
  type LogEntry,
  type Receiver,
  type ReceiverOptions,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bytes, held, memoryStore, recording } from './options.js';

const DEPOSIT = depositReceivedBody();
const KEY = `deposit.received:${JSON.parse(DEPOSIT).depositId}`;
const OK = { status: 200, text: 'ok' };
const FAILED = { status: 500, text: 'failed' };
const URL = 'http://127.0.0.1/callbacks';

const lateBy = (what: string, time = 25_000) =>
  `${what}: expected a result within ${time} milliseconds, received none`;
const late = ['retry', expect.stringContaining(lateBy('onDepositReceived')), KEY, bytes(DEPOSIT)];

// Sockets need the rest of the clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const never = () => new Promise<never>(() => {});

/** Lets what doesn't wait for the clock happen. */
const settleDown = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Not `expect.poll`, which would move the clock. */
async function clockToStart() {
  while (vi.getTimerCount() === 0) await settleDown();
}

const ways: Record<string, (receiver: Receiver) => Promise<unknown>> = {
  receive: (receiver) => receiver.receive(DEPOSIT, '/callbacks'),
  fetch: async (receiver) => {
    const response = await receiver.fetch(new Request(URL, { method: 'POST', body: DEPOSIT }));
    return { status: response.status, text: await response.text() };
  },
  node: async (receiver) => {
    const port = await serve(receiver);
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: DEPOSIT });
    return { status: response.status, text: await response.text() };
  },
};

async function serve({ node }: Receiver): Promise<number> {
  const server = createServer((request, response) => void node(request, response));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe.each(Object.entries(ways))('%s', (_, ask) => {
  test('answers 500 at the deadline of a function that never ends, and saves its body', async () => {
    const slow = held();
    const { calls, options } = recording({ onDepositReceived: slow.run });
    const receiver = createReceiver(options);
    const answers: unknown[] = [];
    const asked = ask(receiver).then((answer) => answers.push(answer));
    await slow.called;
    vi.advanceTimersByTime(24_999);
    await settleDown();
    expect([answers, calls]).toStrictEqual([[], []]);
    vi.advanceTimersByTime(1);
    await asked;
    expect([answers, calls]).toStrictEqual([[FAILED], [late]]);
    await receiver.stop();
  });

  test.each(['resolve', 'reject'] as const)(
    'is not changed by a function that ends later: it %ss',
    async (end) => {
      const unhandled = vi.fn();
      process.on('unhandledRejection', unhandled);
      onTestFinished(() => void process.off('unhandledRejection', unhandled));
      const slow = held();
      const entries: LogEntry[] = [];
      const log = (entry: LogEntry) => entry.issue ?? entries.push(entry);
      const { calls, options } = recording({ onDepositReceived: slow.run, log });
      const asked = ask(createReceiver(options));
      await slow.called;
      vi.advanceTimersByTime(25_000);
      expect(await asked).toStrictEqual(FAILED);
      slow[end]();
      await settleDown();
      expect([calls, unhandled.mock.calls]).toStrictEqual([[late], []]);
      const message = 'onDepositReceived failed after its deadline: the database says no';
      const entry = { outcome: 'retry', key: KEY, message, error: expect.any(Error) };
      expect(entries.slice(1)).toStrictEqual(end === 'reject' ? [entry] : []);
    },
  );
});

test('leaves no timer, for which a process would wait, if the functions end in time', async () => {
  const { options } = recording();
  expect(await createReceiver(options).receive(DEPOSIT, '/')).toStrictEqual(OK);
  const failing = recording({ onDepositReceived: () => Promise.reject(new Error()) });
  expect(await createReceiver(failing.options).receive(DEPOSIT, '/')).toStrictEqual(FAILED);
  expect(vi.getTimerCount()).toBe(0);
});

test('keeps a process running until its deadline, because there is a body to save', async () => {
  vi.useRealTimers();
  const script = `import { createReceiver } from './src/receiver/index.ts';
    const never = () => new Promise(() => {});
    const save = async ({ body }) => console.log('saved ' + body.length);
    const store = { save, list: never, read: never, remove: never };
    const own = { secret: null, onDepositReceived: never, store, log() {} };
    createReceiver({ ...own, timeoutMs: 500 }).receive(process.argv[1], '/');`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script, DEPOSIT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe(`saved ${bytes(DEPOSIT).length}\n`);
});

test.each<[name: keyof ReceiverOptions, body: string]>([
  ['onDepositReceived', DEPOSIT],
  ['onWithdrawalBroadcast', withdrawalBroadcastBody()],
])('the deadline of %s is what is set', async (name, body) => {
  const { calls, options } = recording({ [name]: never, timeoutMs: 100 });
  const settled = createReceiver(options).receive(body, '/');
  await settleDown();
  vi.advanceTimersByTime(100);
  expect(await settled).toStrictEqual(FAILED);
  const key = expect.stringContaining('.');
  const error = expect.stringContaining(lateBy(name, 100));
  expect(calls).toStrictEqual([['retry', error, key, bytes(body)]]);
});

test.each<[what: string, options: Partial<ReceiverOptions>, before: number]>([
  ['that failed', { onDepositReceived: () => Promise.reject(new Error('no')) }, 0],
  ['that is late', { onDepositReceived: never }, 25_000],
])(
  'a store that never saves has five seconds after a function %s, and then the error is logged',
  async (_, failing, before) => {
    const entries: LogEntry[] = [];
    const { options } = recording({ ...failing, log: (entry) => entries.push(entry) });
    const store = { ...memoryStore().store, save: never };
    const receiver = createReceiver({ ...options, store });
    const ended: string[] = [];
    const settled = receiver.receive(DEPOSIT, '/').finally(() => ended.push('settled'));
    const idle = receiver.stop().finally(() => ended.push('idle'));
    await settleDown();
    vi.advanceTimersByTime(before);
    await clockToStart();
    vi.advanceTimersByTime(4999);
    await settleDown();
    expect([ended, entries]).toStrictEqual([[], []]);
    vi.advanceTimersByTime(1);
    expect(await settled).toStrictEqual(FAILED);
    await idle;
    const [{ outcome, key, message = '' } = {}] = entries;
    expect([outcome, key]).toStrictEqual(['failed', KEY]);
    expect(message).toContain(before ? lateBy('onDepositReceived') : 'no');
    expect(message).toContain(`The body was not saved: ${lateBy('store.save', 5000)}`);
    expect(entries.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  },
);

describe('an event whose function is late', () => {
  const running = 'onDepositReceived: an earlier call has not ended';

  test('is not passed on again before that has ended, and others are', async () => {
    const slow = held();
    const onDepositReceived = vi.fn(slow.run);
    const { calls, options } = recording({ onDepositReceived });
    const { receive } = createReceiver(options);
    const first = receive(DEPOSIT, '/');
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect([await first, await receive(DEPOSIT, '/')]).toStrictEqual([FAILED, FAILED]);
    expect(onDepositReceived).toHaveBeenCalledTimes(1);
    expect(calls).toStrictEqual([late, ['retry', running, KEY, bytes(DEPOSIT)]]);
    const other = receive(depositReceivedBody({}, { seed: 2 }), '/');
    await settleDown();
    expect(onDepositReceived).toHaveBeenCalledTimes(2);
    slow.resolve();
    expect(await other).toStrictEqual(OK);
    expect(await receive(DEPOSIT, '/')).toStrictEqual(OK);
  });

  test('waits for each of its calls, if a repeat came before the deadline', async () => {
    const [one, other] = [held(), held()];
    const runs = [one.run, other.run];
    const { calls, options } = recording({ onDepositReceived: () => runs.shift()?.() as never });
    const { receive } = createReceiver(options);
    const answers = [receive(DEPOSIT, '/'), receive(DEPOSIT, '/')];
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect(await Promise.all(answers)).toStrictEqual([FAILED, FAILED]);
    one.resolve();
    await settleDown();
    expect(await receive(DEPOSIT, '/')).toStrictEqual(FAILED);
    expect(calls).toStrictEqual([late, late, ['retry', running, KEY, bytes(DEPOSIT)]]);
    other.reject();
    await settleDown();
    expect(await receive(DEPOSIT, '/')).toStrictEqual(OK);
  });
});

describe('a body that stalls', () => {
  const stalled = ['failed', expect.stringContaining(lateBy('body')), null];

  test('half-way is answered with 500 by node, and what comes later is not passed on', async () => {
    const { calls, options } = recording();
    const receiver = createReceiver(options);
    const socket = connect(await serve(receiver), '127.0.0.1');
    const length = bytes(DEPOSIT).length;
    socket.write(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
    );
    socket.write(DEPOSIT.slice(0, 10));
    await clockToStart();
    const idle = receiver.stop();
    vi.advanceTimersByTime(25_000);
    const [answer] = await once(socket, 'data');
    expect(`${answer}`).toMatch(/^HTTP\/1\.1 500 /);
    await idle;
    socket.write(DEPOSIT.slice(10));
    await text(socket);
    expect(calls).toStrictEqual([stalled]);
  });

  test('half-way is answered with 500 by fetch, and what comes later is not passed on', async () => {
    const { calls, options } = recording();
    let controller: ReadableStreamDefaultController | undefined;
    const body = new ReadableStream({
      start(given) {
        controller = given;
        given.enqueue(bytes(DEPOSIT.slice(0, 10)));
      },
    });
    const request = new Request(URL, { method: 'POST', body, duplex: 'half' } as RequestInit);
    const answered = createReceiver(options).fetch(request);
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect((await answered).status).toBe(500);
    controller?.enqueue(bytes(DEPOSIT.slice(10)));
    controller?.close();
    await settleDown();
    expect(calls).toStrictEqual([stalled]);
  });

  test('and breaks off later is reported once', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { calls, options } = recording();
    const rest = held();
    const body = (async function* () {
      yield bytes('{');
      await rest.run();
    })();
    const request = { url: URL, method: 'POST', bodyUsed: false, body };
    const answered = createReceiver(options).fetch(request as never);
    await rest.called;
    vi.advanceTimersByTime(25_000);
    expect((await answered).status).toBe(500);
    rest.reject();
    await settleDown();
    expect([calls, print.mock.calls, unhandled.mock.calls]).toStrictEqual([[stalled], [], []]);
  });

  test('shares its deadline with the function that gets it', async () => {
    const slow = held();
    const { calls, options } = recording({ onDepositReceived: slow.run });
    const rest = held();
    const body = (async function* () {
      await rest.run();
      yield bytes(DEPOSIT);
    })();
    const request = { url: URL, method: 'POST', bodyUsed: false, body };
    const answered = createReceiver(options).fetch(request as never);
    vi.advanceTimersByTime(20_000);
    rest.resolve();
    await slow.called;
    vi.advanceTimersByTime(5000);
    expect((await answered).status).toBe(500);
    expect(calls).toStrictEqual([late]);
  });
});

test.each([1, 2 ** 31 - 1])('takes a time of %j', (timeoutMs) => {
  expect(() => createReceiver(recording({ timeoutMs }).options)).not.toThrow();
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null])(
  'refuses a time of %j',
  (timeoutMs) => {
    const create = () => createReceiver(recording({ timeoutMs: timeoutMs as number }).options);
    const received = timeoutMs === '5' ? '"5"' : timeoutMs;
    expect(create).toThrow(
      new RangeError(`timeoutMs: expected 1 to 2147483647 milliseconds, received ${received}`),
    );
  },
);
