import { once } from 'node:events';
import { setImmediate as tick } from 'node:timers/promises';
import { inspect } from 'node:util';
import { safeParseDepositReceived } from 'payment-notifications';
import {
  createReceiver,
  type LogEntry,
  type ReceiverOptions,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bytes, memoryStore, recording } from './options.js';

const DEPOSIT = depositReceivedBody();
const WITHDRAWAL = withdrawalBroadcastBody();
const ID = '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
const KEY = `deposit.received:${ID}`;
const OK = { status: 200, text: 'ok' };
const FAILED = { status: 500, text: 'failed' };

const deposit = JSON.parse(DEPOSIT);
const { withdrawalId } = JSON.parse(WITHDRAWAL);
const refusal = 'status: expected "CONFIRMED", received "NEW"';
/** With a warning. */
const TOLERATED = depositReceivedBody({ depositId: ID }).replace(/"F\w+ED"/, '"NEW"');
const WARNING = `${KEY}: rateType: expected "FIXED" or "FLOATING", received "NEW"`;
const REFUSED = DEPOSIT.replace('CONFIRMED', 'NEW');

afterEach(() => vi.restoreAllMocks());

test.each([
  ['deposit', DEPOSIT, deposit.depositId, `deposit.received:${deposit.depositId}`],
  ['withdrawal', WITHDRAWAL, withdrawalId, `withdrawal.broadcast:${withdrawalId}:COMPLETED`],
])('passes a %s on to its function, with its key and its bytes', async (name, body, id, key) => {
  const { calls, options } = recording();
  expect(await createReceiver(options).receive(body, '/')).toStrictEqual(OK);
  expect(calls).toStrictEqual([[name, id, key, bytes(body)]]);
});

test.each([
  ['onWithdrawalBroadcast', WITHDRAWAL],
  ['onDepositReceived', DEPOSIT],
])('refuses a type without a function: %s', async (name, body) => {
  const { calls, options } = recording({ [name]: undefined });
  const { status, text } = await createReceiver(options).receive(body, '/');
  expect(status).toBe(400);
  expect(text).toMatch(/^unrecognized_notification, /);
  expect(calls).toStrictEqual([
    ['refused', expect.stringContaining('callback URLs are swapped'), bytes(body)],
  ]);
});

test('refuses with the codes, and passes the bytes on', async () => {
  const { calls, options } = recording();
  const body = REFUSED.replace(/"depositId":"[^"]*"/, '"depositId":"1"');
  const answer = await createReceiver(options).receive(body, '/');
  expect(answer).toStrictEqual({ status: 400, text: 'unknown_value, invalid_id' });
  expect(calls).toStrictEqual([['refused', expect.stringContaining(refusal), bytes(body)]]);
});

test('names each code once', async () => {
  const { status, text } = await createReceiver(
    recording({ onWithdrawalBroadcast: undefined }).options,
  ).receive('{}', '/');
  expect({ status, text }).toStrictEqual({
    status: 400,
    text: 'missing_field',
  });
});

describe('a function that fails', () => {
  const error = Object.assign(new Error('the database says no'), { status: 200, statusCode: 200 });
  const rejects = () => Promise.reject(error);
  const throws = () => {
    throw error;
  };

  test.each<[name: keyof ReceiverOptions, body: string]>([
    ['onDepositReceived', DEPOSIT],
    ['onWithdrawalBroadcast', WITHDRAWAL],
  ])('%s is answered with 500, whatever status its error has', async (name, body) => {
    for (const fail of [rejects, throws]) {
      const { calls, options } = recording({ [name]: fail });
      expect(await createReceiver(options).receive(body, '/')).toStrictEqual(FAILED);
      const key = expect.stringContaining('.');
      expect(calls).toStrictEqual([['retry', error.message, key, bytes(body)]]);
    }
  });

  test('may throw a NotificationError of its own: only the parser refuses a body', async () => {
    const refused = safeParseDepositReceived('{}').error;
    const { calls, options } = recording({ onDepositReceived: () => Promise.reject(refused) });
    expect(await createReceiver(options).receive(TOLERATED, '/')).toStrictEqual(FAILED);
    expect(calls.at(-1)).toStrictEqual(['retry', refused?.message, KEY, bytes(TOLERATED)]);
  });

  test.each([rejects, throws])('may be the log: no deposit depends on it', async (log) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { calls, options } = recording({ log });
    expect(await createReceiver(options).receive(TOLERATED, '/')).toStrictEqual(OK);
    expect(calls).toStrictEqual([['deposit', ID, KEY, bytes(TOLERATED)]]);
    await new Promise(setImmediate);
    expect(print.mock.calls).toStrictEqual([
      [`warning: ${WARNING}`, error],
      [`settled: ${KEY}: settled`, error],
    ]);
  });

  test('is answered even if its error throws while it is printed', async () => {
    const fail = Object.assign(new Error(), { [inspect.custom]: throws });
    const { options } = recording({
      onDepositReceived: () => Promise.reject(fail),
      log: undefined,
    });
    const print = vi.spyOn(console, 'error').mockImplementation((...shown) => void inspect(shown));
    expect(await createReceiver(options).receive(DEPOSIT, '/')).toStrictEqual(FAILED);
    await new Promise(setImmediate);
    expect(print.mock.calls.length).toBe(2);
  });

  test.each<[what: string, body: string, options: Partial<ReceiverOptions>, status: number]>([
    ['log', DEPOSIT, { onDepositReceived: throws, log: rejects }, 500],
    ['console.warn', TOLERATED, { log: undefined }, 200],
    ['console.error', DEPOSIT, { onDepositReceived: throws, log: undefined }, 500],
  ])('is answered even if nothing can be printed either: %s', async (_, body, failing, status) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled); // without a listener, it ends the process
    for (const method of ['warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation(throws);
    const answer = await createReceiver(recording(failing).options).receive(body, '/');
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(answer.status).toBe(status);
    expect(unhandled.mock.calls).toStrictEqual([]);
  });

  test('may be a logger that never comes back', async () => {
    const { options } = recording({ log: () => new Promise(() => {}) });
    expect(await createReceiver(options).receive(TOLERATED, '/')).toStrictEqual(OK);
  });
});

test('logs warnings with the issue, or prints a line of each', async () => {
  const entries: LogEntry[] = [];
  const { options } = recording({ log: (entry) => entries.push(entry) });
  await createReceiver(options).receive(TOLERATED, '/');
  const message = 'rateType: expected "FIXED" or "FLOATING", received "NEW"';
  const issue = expect.objectContaining({ code: 'unknown_value', path: ['rateType'] });
  expect(entries).toStrictEqual([
    { outcome: 'warning', key: KEY, message, issue },
    { outcome: 'settled', key: KEY, message: 'settled' },
  ]);
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  await createReceiver({ ...options, log: undefined }).receive(TOLERATED, '/');
  expect(warn.mock.calls).toStrictEqual([[`warning: ${WARNING}`]]);
});

test('saves the start of a body that is too long, and answers 413', async () => {
  const body = DEPOSIT.padEnd(65_537);
  const { calls, options } = recording();
  const answer = await createReceiver(options).receive(body, '/');
  expect(answer).toStrictEqual({ status: 413, text: 'body_too_large' });
  expect(calls).toStrictEqual([['refused', expect.stringContaining('at most 65536'), bytes(body)]]);
});

test('calls its functions as methods of the options, which may be an object of a class', async () => {
  const called: unknown[] = [];
  async function record(this: unknown) {
    called.push(this);
  }
  const fail = () => Promise.reject(new Error());
  const options = {
    ...{ secret: null, onDepositReceived: record, onWithdrawalBroadcast: fail },
    ...{ store: memoryStore().store, log: record },
  };
  const { receive } = createReceiver(options);
  expect(await receive(DEPOSIT, '/')).toStrictEqual(OK);
  expect((await receive(REFUSED, '/')).status).toBe(400);
  expect((await receive(WITHDRAWAL, '/')).status).toBe(500);
  expect(called.map((self) => self === options)).toStrictEqual(Array(4).fill(true));
});

test.each<[name: keyof ReceiverOptions, body: string, message: string]>([
  [
    'onDepositReceived',
    DEPOSIT,
    'options: expected a function for deposit.received, received none',
  ],
  [
    'onWithdrawalBroadcast',
    WITHDRAWAL,
    'options: expected a function for withdrawal.broadcast, received none',
  ],
])('answers 500 if %s is gone later, and not 200 for nothing', async (name, body, message) => {
  const { calls, options } = recording();
  const { receive } = createReceiver(options);
  Object.assign(options, { [name]: undefined });
  expect(await receive(body, '/')).toStrictEqual(FAILED);
  const key = expect.stringContaining('.');
  const error = expect.stringContaining(message);
  expect(calls).toStrictEqual([['retry', error, key, bytes(body)]]);
});

test.each(['error', 'success', 'notification'])(
  'settles as ever if somebody has set %s on every object',
  async (name) => {
    const { calls, options } = recording();
    const { receive } = createReceiver(options);
    try {
      Object.assign(Object.prototype, { [name]: { issues: [] } });
      expect(await receive(DEPOSIT, '/')).toStrictEqual(OK);
      expect((await receive(REFUSED, '/')).status).toBe(400);
    } finally {
      delete (Object.prototype as Record<string, unknown>)[name];
    }
    expect(calls.map(([called]) => called)).toStrictEqual(['deposit', 'refused']);
  },
);

test.each([
  [undefined, 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{}, 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{ onDepositReceived() {} }, 'store: expected a store, received nothing. Pass createStore('],
  [{ onDepositReceived() {}, store: 'webhooks' }, 'store: expected a store, received a string'],
  [{ onDepositReceived() {}, store: {} }, 'store.save: expected a function, received null'],
])('is not created without what keeps money: %o', (options, message) => {
  const create = () => createReceiver({ secret: null, ...options } as never);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
});

test('waits for the bodies in progress, also for one that comes meanwhile', async () => {
  const ended: string[] = [];
  const [first, second] = [new AbortController(), new AbortController()];
  const [deposited, withdrawn] = [once(first.signal, 'abort'), once(second.signal, 'abort')];
  const receiver = createReceiver({
    ...recording().options,
    async onDepositReceived() {
      await deposited;
      ended.push('deposit');
    },
    async onWithdrawalBroadcast() {
      await withdrawn;
      throw new Error('the database says no');
    },
    log: ({ outcome }) => {
      if (outcome === 'retry') ended.push('error');
    },
  });
  await receiver.stop(); // there is none
  const answers = [receiver.receive(DEPOSIT, '/')];
  const idle = receiver.stop().then(() => ended.push('idle'));
  answers.push(receiver.receive(WITHDRAWAL, '/'));
  first.abort();
  await answers[0];
  await tick();
  expect(ended).toStrictEqual(['deposit']);
  second.abort();
  await idle;
  expect(ended).toStrictEqual(['deposit', 'error', 'idle']);
  expect(await Promise.all(answers)).toStrictEqual([OK, FAILED]);
});

test.each(['onDepositReceived', 'onWithdrawalBroadcast', 'log'])(
  'throws if %s is not a function',
  (name) => {
    const { options } = recording({ [name]: 'later' });
    expect(() => createReceiver(options)).toThrow(
      new TypeError(`${name}: expected a function, received a string of length 5`),
    );
  },
);

test.each([
  ['onDeposit', 'onDepositReceived'],
  ['onDepositRecieved', 'onDepositReceived'],
  ['onWithdrawal', 'onWithdrawalBroadcast'],
  ['onError', 'onDepositReceived'],
])('throws if there is a function %s, which it would never call', (name, nearest) => {
  const { options } = recording({ [name]() {} });
  expect(() => createReceiver(options)).toThrow(
    new TypeError(`options: expected known names, received ${name}. Did you mean ${nearest}?`),
  );
});

test('takes other keys, and functions of a class', () => {
  const inherited = Object.create({ onClick() {} });
  const hidden = Object.defineProperty(inherited, 'onHidden', { value() {} });
  const { options } = recording({ once() {}, only: 1, on: 2, reasonOf() {} } as never);
  expect(() => createReceiver(Object.assign(hidden, options))).not.toThrow();
});
