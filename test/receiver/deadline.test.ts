import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Receiver } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  held,
  KEY,
  never,
  no,
  OK,
  open,
  PASSED_ON,
  serve,
  settleDown,
  stopClock,
  until,
  WAYS,
  WITHDRAWAL,
} from './options.js';

const LATE = ['retry', 'onDepositReceived: no result within 25 s', KEY];

beforeEach(stopClock);

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each<[how: string, end: 'resolve' | 'reject', later: unknown[]]>([
    ['returns', 'resolve', []],
    [
      'throws',
      'reject',
      [['warning', 'onDepositReceived failed after its deadline: the database says no', KEY]],
    ],
  ])(
    'answers 500 at the deadline, and a function that %s later changes nothing',
    async (__, end, later) => {
      const slow = held();
      const { receiver, calls, saved } = open({ onDepositReceived: slow.run });
      const answered = vi.fn();
      const asked = ask(receiver, DEPOSIT).then(answered);
      await slow.called;
      vi.advanceTimersByTime(24_999);
      await settleDown();
      expect([answered.mock.calls, calls]).toStrictEqual([[], []]);
      vi.advanceTimersByTime(1);
      await asked;
      expect(answered).toHaveBeenCalledWith(FAILED);
      slow[end]();
      await settleDown();
      expect(calls).toStrictEqual([LATE, ...later]);
      expect(saved()).toStrictEqual([['retry', LATE[1], KEY, bytes(DEPOSIT)]]);
      await receiver.stop();
    },
  );
});

test.each([
  ['onDepositReceived', DEPOSIT],
  ['onWithdrawalBroadcast', WITHDRAWAL],
])('the deadline of %s is what is set', async (name, body) => {
  const { ask, calls } = open({ [name]: never, timeoutMs: 100 });
  const answered = ask(body);
  await settleDown();
  vi.advanceTimersByTime(100);
  expect(await answered).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([['retry', `${name}: no result within 100 ms`, expect.any(String)]]);
});

test.each([
  ['returns', async () => {}, OK],
  ['throws', no, FAILED],
])(
  'a function that %s in time leaves no timer, for which a process would wait',
  async (_, run, answer) => {
    expect(await open({ onDepositReceived: run }).ask(DEPOSIT)).toStrictEqual(answer);
    expect(vi.getTimerCount()).toBe(0);
  },
);

describe('a store that never saves', () => {
  test.each([
    ['that failed', no, 0, 'no'],
    ['that is late', never, 25_000, 'onDepositReceived: no result within 25 s'],
  ])(
    'has five seconds after a function %s, and then the error is logged',
    async (_, run, before, why) => {
      const { receiver, ask, calls } = open({ onDepositReceived: run, store: { save: never } });
      const ended: unknown[] = [];
      const answered = ask(DEPOSIT).finally(() => ended.push('answered'));
      const stopped = receiver.stop().finally(() => ended.push('stopped'));
      await settleDown();
      vi.advanceTimersByTime(before);
      await until(() => vi.getTimerCount() > 0);
      vi.advanceTimersByTime(4999);
      await settleDown();
      expect([ended, calls]).toStrictEqual([[], []]);
      vi.advanceTimersByTime(1);
      expect(await answered).toStrictEqual(FAILED);
      await stopped;
      const message = `${why}. The body was not saved: store.save: no result within 5 s`;
      expect(calls).toStrictEqual([['failed', message, KEY]]);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test('delays the function by five seconds with saveFirst', async () => {
    const { ask, calls } = open({ saveFirst: true, store: { save: never } });
    const answered = ask(DEPOSIT);
    await until(() => vi.getTimerCount() > 1);
    vi.advanceTimersByTime(5000);
    expect(await answered).toStrictEqual(OK);
    const message = 'not saved first: store.save: no result within 5 s';
    expect(calls).toStrictEqual([['failed', message, KEY], PASSED_ON]);
  });
});

test('saveFirst: a body whose deadline is over is not passed on', async () => {
  const slow = held();
  const { ask, calls } = open({ saveFirst: true, timeoutMs: 1000, store: { save: slow.run } });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(1000);
  slow.resolve();
  expect(await answered).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([['retry', 'onDepositReceived: no result within 1 s', KEY]]);
});

describe('an event whose function is late', () => {
  const running = ['retry', 'onDepositReceived: an earlier call still runs', KEY];

  test('is not passed on again before that has ended, and others are', async () => {
    const slow = held();
    const onDepositReceived = vi.fn(slow.run);
    const { ask, calls } = open({ onDepositReceived });
    const first = ask(DEPOSIT);
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect([await first, await ask(DEPOSIT)]).toStrictEqual([FAILED, FAILED]);
    expect(onDepositReceived).toHaveBeenCalledTimes(1);
    expect(calls).toStrictEqual([LATE, running]);
    const other = ask(depositReceivedBody({}, { seed: 2 }));
    await settleDown();
    expect(onDepositReceived).toHaveBeenCalledTimes(2);
    slow.resolve();
    expect([await other, await ask(DEPOSIT)]).toStrictEqual([OK, OK]);
  });

  test('waits for each of its calls, if a repeat came before the deadline', async () => {
    const [one, other] = [held(), held()];
    const runs = [one.run, other.run];
    const { ask, calls } = open({ onDepositReceived: async () => runs.shift()?.() });
    const answers = [ask(DEPOSIT), ask(DEPOSIT)];
    await settleDown();
    vi.advanceTimersByTime(25_000);
    expect(await Promise.all(answers)).toStrictEqual([FAILED, FAILED]);
    one.resolve();
    await settleDown();
    expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
    expect(calls).toStrictEqual([LATE, LATE, running]);
    other.reject();
    await settleDown();
    expect(await ask(DEPOSIT)).toStrictEqual(OK);
  });
});

describe('a body that stalls', () => {
  const stalled = ['failed', 'body: no result within 25 s', null];
  const [start, rest] = [DEPOSIT.slice(0, 10), DEPOSIT.slice(10)];

  /** Sends a request whose rest the test holds back. */
  function sendHalf({ fetch }: Receiver) {
    const later = held();
    const body = (async function* () {
      yield bytes(start);
      await later.run();
      yield bytes(rest);
    })();
    return { later, answered: fetch({ url: '', headers: new Headers(), body } as never) };
  }

  test('is answered with 500 by node, and what comes later is not passed on', async () => {
    const { receiver, calls } = open();
    const socket = connect(await serve(receiver.node), '127.0.0.1');
    const length = `Content-Length: ${bytes(DEPOSIT).length}`;
    const head = ['POST / HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', length, '', ''];
    socket.write(head.join('\r\n') + start);
    await until(() => vi.getTimerCount() > 0);
    const stopped = receiver.stop();
    vi.advanceTimersByTime(25_000);
    const [answer] = await once(socket, 'data');
    expect(`${answer}`).toMatch(/^HTTP\/1\.1 500 /);
    await stopped;
    socket.write(rest);
    await text(socket);
    expect(calls).toStrictEqual([stalled]);
  });

  test.each(['resolve', 'reject'] as const)(
    'is answered with 500 by fetch, and what comes later is not passed on: %s',
    async (end) => {
      const print = vi.spyOn(console, 'error').mockReturnValue();
      onTestFinished(() => print.mockRestore());
      const { receiver, calls } = open();
      const { later, answered } = sendHalf(receiver);
      await later.called;
      vi.advanceTimersByTime(25_000);
      expect((await answered).status).toBe(500);
      later[end]();
      await settleDown();
      expect([calls, print.mock.calls]).toStrictEqual([[stalled], []]);
    },
  );

  test('shares its deadline with the function that gets it', async () => {
    const slow = held();
    const { receiver, calls } = open({ onDepositReceived: slow.run });
    const { later, answered } = sendHalf(receiver);
    await later.called;
    vi.advanceTimersByTime(20_000);
    later.resolve();
    await slow.called;
    vi.advanceTimersByTime(5000);
    expect((await answered).status).toBe(500);
    expect(calls).toStrictEqual([LATE]);
  });
});

describe('a process', () => {
  /** Runs a program with a store that does nothing. */
  async function run(script: string, ...options: string[]): Promise<string> {
    vi.useRealTimers();
    const program = `import { createReceiver } from './src/receiver/index.ts';
      const [body] = process.argv.slice(1);
      const never = () => new Promise(() => {});
      const store = { save: never, list: never, read: never, remove: never };
      const own = { secret: null, store, log() {} };
      ${script}`;
    const args = [...options, '--import', 'tsx', '--input-type=module', '--eval', program, DEPOSIT];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  }

  test('runs until a deadline, because there is a body to save', async () => {
    const script = `
      store.save = async ({ body }) => console.log('saved ' + body.length);
      createReceiver({ ...own, onDepositReceived: never, timeoutMs: 500 }).settle(body);`;
    expect(await run(script)).toBe(`saved ${bytes(DEPOSIT).length}\n`);
  });

  test('keeps no bodies in memory whose saving hangs, or whose function does', async () => {
    const script = `
      globalThis.setTimeout = setImmediate; // every deadline is over
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
    expect(await run(script, '--expose-gc')).toBe('true\n');
  });
});
