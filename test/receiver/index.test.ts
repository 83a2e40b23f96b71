import { inspect } from 'node:util';
import { createReceiver, type ReceiverOptions } from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bytes, recording } from './options.js';

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
  expect(await createReceiver(options).receive(body)).toStrictEqual(OK);
  expect(calls).toStrictEqual([[name, id, key, bytes(body)]]);
});

test.each([
  ['onWithdrawalBroadcast', WITHDRAWAL],
  ['onDepositReceived', DEPOSIT],
])('refuses a type without a function: %s', async (name, body) => {
  const { calls, options } = recording({ [name]: undefined });
  const { status, text } = await createReceiver(options).receive(body);
  expect(status).toBe(400);
  expect(text).toMatch(/^unrecognized_notification, /);
  expect(calls).toStrictEqual([
    ['refused', expect.stringContaining('callback URLs are swapped'), bytes(body)],
  ]);
});

test('refuses with the codes, and passes the bytes on', async () => {
  const { calls, options } = recording();
  const body = REFUSED.replace(/"depositId":"[^"]*"/, '"depositId":"1"');
  const answer = await createReceiver(options).receive(body);
  expect(answer).toStrictEqual({ status: 400, text: 'unknown_value, invalid_id' });
  expect(calls).toStrictEqual([['refused', expect.stringContaining(refusal), bytes(body)]]);
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
    ['onRefused', REFUSED],
  ])('%s is answered with 500, whatever status its error has', async (name, body) => {
    for (const fail of [rejects, throws]) {
      const { calls, options } = recording({ [name]: fail });
      expect(await createReceiver(options).receive(body)).toStrictEqual(FAILED);
      expect(calls).toStrictEqual([['error', String(error), bytes(body)]]);
    }
  });

  test.each([rejects, throws])('may be onError: both errors are printed', async (onError) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const first = new Error('first');
    const { options } = recording({ onDepositReceived: () => Promise.reject(first), onError });
    expect(await createReceiver(options).receive(DEPOSIT)).toStrictEqual(FAILED);
    expect(print.mock.calls).toStrictEqual([[first, error]]);
  });

  test.each([rejects, throws])('may be warn: no deposit depends on a logger', async (warn) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { calls, options } = recording({ warn });
    const { receive } = createReceiver(options);
    expect(await receive(TOLERATED)).toStrictEqual(OK);
    expect(calls).toStrictEqual([['deposit', ID, KEY, bytes(TOLERATED)]]);
    expect((await receive(DEPOSIT.padEnd(65_537))).status).toBe(413);
    const lines = [WARNING, 'body: expected at most 65536 bytes, received more'];
    expect(print.mock.calls).toStrictEqual(lines.map((line) => [line, error]));
  });

  test('is answered even if its error throws while it is printed', async () => {
    const fail = Object.defineProperty(new Error(), 'stack', { get: throws });
    const { options } = recording({
      onError: undefined,
      onDepositReceived: () => Promise.reject(fail),
    });
    const print = vi.spyOn(console, 'error').mockImplementation((shown) => inspect(shown));
    expect(await createReceiver(options).receive(DEPOSIT)).toStrictEqual(FAILED);
    expect(print.mock.lastCall).toStrictEqual(['receiver: an error that throws when printed']);
  });

  test('may be a logger that never comes back', async () => {
    const { options } = recording({ warn: () => new Promise(() => {}) });
    expect(await createReceiver(options).receive(TOLERATED)).toStrictEqual(OK);
  });
});

test('prints warnings and errors by default', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const print = vi.spyOn(console, 'error').mockReturnValue();
  const error = new Error('the database says no');
  const { receive } = createReceiver({
    onDepositReceived: () => Promise.reject(error),
    onRefused: async () => {},
  });
  expect(await receive(TOLERATED)).toStrictEqual(FAILED);
  expect(print.mock.calls).toStrictEqual([[error]]);
  expect(warn.mock.calls).toStrictEqual([[expect.stringContaining('rateType: expected')]]);
});

test('calls its functions as methods of the options, which may be an object of a class', async () => {
  const called: unknown[] = [];
  async function record(this: unknown) {
    called.push(this);
  }
  const options = { onDepositReceived: record, onRefused: record, warn: record };
  const { receive } = createReceiver(options);
  expect(await receive(TOLERATED)).toStrictEqual(OK);
  expect((await receive(REFUSED)).status).toBe(400);
  expect(called.map((self) => self === options)).toStrictEqual([true, true, true]);
});

test.each([
  [undefined, 'onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{}, 'onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{ onDeposit() {} }, 'onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{ onDepositReceived() {} }, 'onRefused, received none'],
  [{ onWithdrawalBroadcast() {} }, 'onRefused, received none'],
])('is not created without the functions that keep money: %o', (options, message) => {
  const create = () => createReceiver(options as never);
  expect(create).toThrow(new TypeError(`options: expected ${message}`));
});
