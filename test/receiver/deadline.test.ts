import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { SavedBody } from 'payment-notifications/receiver';
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
  type OwnOptions,
  open,
  PASSED_ON,
  serve,
  settleDown,
  stopClock,
  until,
  WITHDRAWAL,
} from './setup.js';

const LATE = ['retry', 'onDepositReceived: no result within 25 s', KEY];
const LATER = ['warning', 'onDepositReceived failed after its deadline: the database says no', KEY];
const STALLED = ['failed', 'body: no result within 25 s', null];
const UNVERIFIED = ['failed', 'verify: no result within 25 s', null];
const SAVE_HANGS = 'store.save: no result within 5 s';
const UNSAVED_FIRST = ['failed', `not saved first: ${SAVE_HANGS}`, KEY];
const SHORT = ['retry', 'onDepositReceived: no result within 100 ms', KEY];

beforeEach(stopClock);

test.each<[name: string, own: OwnOptions, ms: number, call: unknown, saved: number]>([
  ['onDepositReceived', {}, 25_000, LATE, 1],
  ['onDepositReceived', { timeoutMs: 100 }, 100, SHORT, 1],
  ['verify', {}, 25_000, UNVERIFIED, 0],
])('if %s hangs with %j, the answer comes after %d ms', async (name, own, ms, call, count) => {
  const hang = vi.fn(never);
  const { receiver, ask, calls, saved } = open({ ...own, [name]: hang });
  const ended: string[] = [];
  const answered = ask(DEPOSIT).finally(() => ended.push('answered'));
  const stopped = receiver.stop().finally(() => ended.push('stopped'));
  await until(() => hang.mock.calls.length > 0);
  vi.advanceTimersByTime(ms + LAST_TURNS - 1);
  await settleDown();
  expect([ended, calls]).toStrictEqual([[], []]);
  vi.advanceTimersByTime(1);
  expect(await answered).toStrictEqual(FAILED);
  await stopped;
  expect(calls).toStrictEqual([call]);
  expect(saved()).toHaveLength(count);
  expect(vi.getTimerCount()).toBe(0);
});

describe('a store that', () => {
  test('never saves delays the function by five seconds, and its error by five more', async () => {
    const save = vi.fn(never);
    const { ask, calls } = open({ onDepositReceived: no, store: { save } });
    const answered = ask(DEPOSIT);
    for (const count of [1, 2]) {
      await until(() => save.mock.calls.length === count);
      vi.advanceTimersByTime(5000 + LAST_TURNS);
    }
    expect(await answered).toStrictEqual(FAILED);
    const unsaved = ['failed', `no. The body was not saved: ${SAVE_HANGS}`, KEY];
    expect(calls).toStrictEqual([UNSAVED_FIRST, unsaved]);
  });

  test('lost one answer is not given up', async () => {
    const { receiver, options, calls, saved } = open({ onWithdrawalBroadcast: no });
    const save = vi.spyOn(Object(options.store), 'save').mockImplementationOnce(never);
    const settled = receiver.settle(DEPOSIT);
    await until(() => save.mock.calls.length > 0);
    vi.advanceTimersByTime(5000 + LAST_TURNS);
    expect(await settled).toBe('settled');
    expect(calls).toStrictEqual([UNSAVED_FIRST, PASSED_ON]);
    expect(await receiver.settle(WITHDRAWAL)).toBe('retry');
    expect(saved()).toMatchObject([['retry', 'no', expect.any(String), WITHDRAWAL]]);
  });

  test('never removes delays the answer by five seconds', async () => {
    const remove = vi.fn(never);
    const { ask, calls } = open({ store: { remove } });
    const answered = ask(DEPOSIT);
    await until(() => remove.mock.calls.length > 0);
    vi.advanceTimersByTime(5000 + LAST_TURNS);
    expect(await answered).toStrictEqual(OK);
    const message = `${nameOf(KEY, DEPOSIT)} is settled, but not removed: store.remove: no result within 5 s`;
    expect(calls).toStrictEqual([PASSED_ON, ['failed', message, null]]);
  });

  test('still saves a body at the deadline gets it for a later try', async () => {
    const slow = held();
    const saves: string[] = [];
    const save = async ({ to }: SavedBody) => {
      saves.push(to);
      if (to === 'progress') await slow.run();
    };
    const { ask, calls } = open({ store: { save }, timeoutMs: 100 });
    const answered = ask(DEPOSIT);
    await slow.called;
    vi.advanceTimersByTime(100 + LAST_TURNS);
    expect(await answered).toStrictEqual(FAILED);
    expect(saves).toStrictEqual(['progress', 'retry']);
    slow.resolve();
    await settleDown();
    expect(calls).toStrictEqual([['retry', 'store.save: no result within 100 ms', KEY]]);
  });
});

test('bodies that arrive while the event loop is blocked beyond the deadline are saved', async () => {
  vi.useRealTimers();
  const { receiver, saved } = open({ timeoutMs: 20, onDepositReceived: never });
  const requests: [IncomingMessage, ServerResponse][] = [];
  const port = await serve((...request) => requests.push(request));
  const sent = Array.from({ length: 10 }, (_, seed) => {
    const body = depositReceivedBody({}, { seed });
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`);
    socket.write(`Content-Length: ${bytes(body).length}\r\n\r\n${body.slice(0, 10)}`);
    return { body, socket };
  });
  await until(() => requests.length === sent.length);
  // In one turn of the loop: the deadlines begin, the rest is sent, and all of them pass.
  for (const [request, response] of requests) receiver.node(request, response);
  for (const { body, socket } of sent) socket.write(body.slice(10));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const answers = await Promise.all(sent.map(({ socket }) => text(socket)));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 500 /); // the function is late
  const inRetry = sent.map(({ body }) => ['retry', expect.any(String), expect.any(String), body]);
  expect(saved()).toHaveLength(sent.length);
  expect(saved()).toEqual(expect.arrayContaining(inRetry));
});

test.each([
  ['returns', 'resolve', []],
  ['throws', 'reject', [LATER]],
] as const)('a function that %s after its deadline changes nothing', async (_, end, later) => {
  const slow = held();
  const { ask, calls, saved } = open({ onDepositReceived: slow.run });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(25_000 + LAST_TURNS);
  expect(await answered).toStrictEqual(FAILED);
  slow[end]();
  await settleDown();
  expect(calls).toStrictEqual([LATE, ...later]);
  expect(saved()).toStrictEqual([['retry', LATE[1], KEY, DEPOSIT]]);
});

test('a check that succeeds after the deadline passes nothing on', async () => {
  const slow = held();
  const { ask, calls, saved } = open({ verify: () => slow.run().then(() => true) });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(25_000 + LAST_TURNS);
  slow.resolve();
  expect(await answered).toStrictEqual(FAILED);
  await settleDown();
  expect([calls, saved()]).toStrictEqual([[UNVERIFIED], []]);
});

test.each([
  ['returns', async () => {}, OK],
  ['throws', no, FAILED],
])('a function that %s in time leaves no timer, for which a process would wait', async (...row) => {
  const [, run, answer] = row;
  expect(await open({ onDepositReceived: run }).ask(DEPOSIT)).toStrictEqual(answer);
  expect(vi.getTimerCount()).toBe(0);
});

test('an event whose function is late waits for each of its calls, and others do not', async () => {
  const [one, other] = [held(), held()];
  const runs = [one.run, other.run];
  const onDepositReceived = vi.fn(async () => void (await runs.shift()?.()));
  const { ask, calls } = open({ onDepositReceived });
  const answers = [ask(DEPOSIT), ask(DEPOSIT)];
  await until(() => runs.length === 0);
  vi.advanceTimersByTime(25_000 + LAST_TURNS);
  expect(await Promise.all(answers)).toStrictEqual([FAILED, FAILED]);
  const running = ['retry', 'onDepositReceived: an earlier call still runs', KEY];
  expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
  expect(await ask(depositReceivedBody({}, { seed: 2 }))).toStrictEqual(OK);
  one.resolve();
  await settleDown();
  expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([LATE, LATE, running, running]);
  expect(onDepositReceived).toHaveBeenCalledTimes(3);
  other.reject();
  await settleDown();
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
});

describe('a body that stalls', () => {
  /** Sends a request whose rest the test holds back. */
  function sendHalf(own?: OwnOptions) {
    const later = held();
    const { receiver, calls } = open(own);
    const body = (async function* () {
      yield bytes(DEPOSIT.slice(0, 10));
      await later.run();
      yield bytes(DEPOSIT.slice(10));
    })();
    const answered = receiver.fetch({ url: '', headers: new Headers(), body } as never);
    return { later, answered, calls };
  }

  test.each(['resolve', 'reject'] as const)('is answered with 500: %s', async (end) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const verify = vi.fn();
    const { later, answered, calls } = sendHalf({ verify });
    await later.called;
    vi.advanceTimersByTime(25_000 + LAST_TURNS);
    expect((await answered).status).toBe(500);
    later[end]();
    await settleDown();
    expect([calls, print.mock.calls]).toStrictEqual([[STALLED], []]);
    expect(verify).not.toHaveBeenCalled();
  });

  test('shares its deadline with the function that gets it', async () => {
    const slow = held();
    const { later, answered, calls } = sendHalf({ onDepositReceived: slow.run });
    await later.called;
    vi.advanceTimersByTime(20_000);
    later.resolve();
    await slow.called;
    vi.advanceTimersByTime(5000 + LAST_TURNS);
    expect((await answered).status).toBe(500);
    expect(calls).toStrictEqual([LATE]);
  });
});

test('bodies whose saving hangs, or whose function does, do not stay in memory', async () => {
  vi.useRealTimers();
  const program = `
    import { createReceiver } from './src/receiver/index.ts';
    globalThis.setTimeout = (run, _, ...rest) => setImmediate(run, ...rest); // every deadline is over
    const large = () => new Uint8Array(Buffer.from(process.argv[1].padEnd(65_000)));
    const kept = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate, gc());
      return process.memoryUsage().arrayBuffers;
    };
    const never = () => new Promise(() => {});
    const store = { save: never, list: never, read: never, remove: never };
    const own = { secret: null, store, log() {} };
    const before = await kept();
    for (const { settle } of [
      createReceiver({ ...own, onDepositReceived: () => Promise.reject(new Error('no')) }),
      createReceiver({ ...own, onDepositReceived: () => Promise.resolve() }),
      createReceiver({ ...own, onDepositReceived: never }),
    ]) await Promise.all(Array.from({ length: 100 }, () => settle(large())));
    console.log((await kept()) - before < 10 * 65_000);`;
  const flags = ['--expose-gc', '--import', 'tsx', '--input-type=module'];
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...flags, '--eval', program, DEPOSIT]);
  expect(stdout).toBe('true\n');
});
