import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  createReceiver,
  type LogEntry,
  type ReceiverOptions,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  held,
  KEY,
  memoryStore,
  OK,
  recording,
  serve,
  WAYS,
} from './options.js';

const URL = 'http://127.0.0.1/callbacks';

const late = ['retry', 'onDepositReceived: no result within 25 s', KEY];

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

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test('answers 500 at the deadline of a function that never ends, and saves its body', async () => {
    const slow = held();
    const { calls, options } = recording({ onDepositReceived: slow.run });
    const receiver = createReceiver(options);
    const answers: unknown[] = [];
    const asked = ask(receiver, DEPOSIT).then((answer) => answers.push(answer));
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
      const { entries, options } = recording({ onDepositReceived: slow.run });
      const asked = ask(createReceiver(options), DEPOSIT);
      await slow.called;
      vi.advanceTimersByTime(25_000);
      expect(await asked).toStrictEqual(FAILED);
      slow[end]();
      await settleDown();
      expect(unhandled.mock.calls).toStrictEqual([]);
      const message = 'onDepositReceived failed after its deadline: the database says no';
      const entry = { outcome: 'retry', key: KEY, message, error: expect.any(Error) };
      expect(entries.slice(1)).toStrictEqual(end === 'reject' ? [entry] : []);
    },
  );
});

test('leaves no timer, for which a process would wait, if the functions end in time', async () => {
  const { options } = recording();
  expect(await createReceiver(options).receive({ body: DEPOSIT, url: '/' })).toStrictEqual(OK);
  const failing = recording({ onDepositReceived: () => Promise.reject(new Error()) });
  expect(await createReceiver(failing.options).receive({ body: DEPOSIT, url: '/' })).toStrictEqual(
    FAILED,
  );
  expect(vi.getTimerCount()).toBe(0);
});

test('keeps a process running until its deadline, because there is a body to save', async () => {
  vi.useRealTimers();
  const script = `import { createReceiver } from './src/receiver/index.ts';
    const never = () => new Promise(() => {});
    const save = async ({ body }) => console.log('saved ' + body.length);
    const store = { save, list: never, read: never, remove: never };
    const own = { secret: null, onDepositReceived: never, store, log() {} };
    createReceiver({ ...own, timeoutMs: 500 }).receive({ body: process.argv[1], url: '/' });`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script, DEPOSIT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe(`saved ${bytes(DEPOSIT).length}\n`);
});

test.each<[name: keyof ReceiverOptions, body: string]>([
  ['onDepositReceived', DEPOSIT],
  ['onWithdrawalBroadcast', withdrawalBroadcastBody()],
])('the deadline of %s is what is set', async (name, body) => {
  const { calls, options } = recording({ [name]: never, timeoutMs: 100 });
  const settled = createReceiver(options).receive({ body, url: '/' });
  await settleDown();
  vi.advanceTimersByTime(100);
  expect(await settled).toStrictEqual(FAILED);
  const key = expect.stringContaining('.');
  const error = `${name}: no result within 100 ms`;
  expect(calls).toStrictEqual([['retry', error, key]]);
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
    const settled = receiver
      .receive({ body: DEPOSIT, url: '/' })
      .finally(() => ended.push('settled'));
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
    expect(message).toContain(before ? 'onDepositReceived: no result within 25 s' : 'no');
    expect(message).toContain('The body was not saved: store.save: no result within 5 s');
    expect(entries.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test('saveFirst: a body whose saving is late is not passed on later', async () => {
  const slow = held();
  const { calls, options } = recording({ saveFirst: true });
  const store = { ...Object(options.store), save: slow.run };
  const answered = createReceiver({ ...options, store }).receive({ body: DEPOSIT, url: '/' });
  await slow.called;
  vi.advanceTimersByTime(25_000);
  await clockToStart();
  vi.advanceTimersByTime(5000);
  expect(await answered).toStrictEqual(FAILED);
  slow.resolve();
  await settleDown();
  const message =
    'store.save: no result within 25 s. The body was not saved: store.save: no result within 5 s';
  expect(calls).toStrictEqual([['failed', message, KEY]]);
});

describe('an event whose function is late', () => {
  const running = 'onDepositReceived: an earlier call has not ended';

  test('is not passed on again before that has ended, and others are', async () => {
    const slow = held();
    const onDepositReceived = vi.fn(slow.run);
    const { calls, options } = recording({ onDepositReceived });
    const { receive } = createReceiver(options);
    const first = receive({ body: DEPOSIT, url: '/' });
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect([await first, await receive({ body: DEPOSIT, url: '/' })]).toStrictEqual([
      FAILED,
      FAILED,
    ]);
    expect(onDepositReceived).toHaveBeenCalledTimes(1);
    expect(calls).toStrictEqual([late, ['retry', running, KEY]]);
    const other = receive({ body: depositReceivedBody({}, { seed: 2 }), url: '/' });
    await settleDown();
    expect(onDepositReceived).toHaveBeenCalledTimes(2);
    slow.resolve();
    expect(await other).toStrictEqual(OK);
    expect(await receive({ body: DEPOSIT, url: '/' })).toStrictEqual(OK);
  });

  test('waits for each of its calls, if a repeat came before the deadline', async () => {
    const [one, other] = [held(), held()];
    const runs = [one.run, other.run];
    const { calls, options } = recording({ onDepositReceived: () => runs.shift()?.() as never });
    const { receive } = createReceiver(options);
    const answers = [receive({ body: DEPOSIT, url: '/' }), receive({ body: DEPOSIT, url: '/' })];
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect(await Promise.all(answers)).toStrictEqual([FAILED, FAILED]);
    one.resolve();
    await settleDown();
    expect(await receive({ body: DEPOSIT, url: '/' })).toStrictEqual(FAILED);
    expect(calls).toStrictEqual([late, late, ['retry', running, KEY]]);
    other.reject();
    await settleDown();
    expect(await receive({ body: DEPOSIT, url: '/' })).toStrictEqual(OK);
  });
});

describe('a body that stalls', () => {
  const stalled = ['failed', 'body: no result within 25 s', null];

  test('half-way is answered with 500 by node, and what comes later is not passed on', async () => {
    const { calls, options } = recording();
    const receiver = createReceiver(options);
    const socket = connect(
      await serve((request, response) => receiver.node(request, response)),
      '127.0.0.1',
    );
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
    const request = { url: URL, method: 'POST', headers: new Headers(), bodyUsed: false, body };
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
    const request = { url: URL, method: 'POST', headers: new Headers(), bodyUsed: false, body };
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

test('bodies whose saving hangs, or whose function does, are not kept in memory', async () => {
  const script = `
    import { createReceiver } from './src/receiver/index.ts';
    globalThis.setTimeout = setImmediate; // every deadline is over
    const never = () => new Promise(() => {});
    const store = { save: never, list: never, read: never, remove: never };
    const own = { secret: null, store, log() {}, timeoutMs: 1 };
    const body = process.argv[1];
    const large = () => new Uint8Array(Buffer.from(body.padEnd(65_000)));
    const kept = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate, gc());
      return process.memoryUsage().arrayBuffers;
    };
    const before = await kept();
    for (const { settle } of [
      createReceiver({ ...own, onDepositReceived: () => Promise.reject(new Error('no')) }),
      createReceiver({ ...own, onDepositReceived: () => Promise.resolve(), saveFirst: true }),
    ]) await Promise.all(Array.from({ length: 100 }, () => settle(large())));
    console.log((await kept()) - before < 10 * 65_000);`;
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', script, DEPOSIT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('true\n');
});
