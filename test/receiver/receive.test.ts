import { createReceiver, type ReceiverOptions } from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import { bytes, recording } from './options.js';

const DEPOSIT = depositReceivedBody();
const ID = '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
const KEY = `deposit.received:${ID}`;
const OK = { status: 200, text: 'ok' };
const FAILED = { status: 500, text: 'failed' };

const deposit = JSON.parse(DEPOSIT);
const refusal = 'status: expected "CONFIRMED", received "NEW"';
/** With a warning. */
const TOLERATED = depositReceivedBody({ depositId: ID }).replace(/"F\w+ED"/, '"NEW"');
const REFUSED = DEPOSIT.replace('CONFIRMED', 'NEW');

test.each([
  ['text', DEPOSIT],
  ['bytes', bytes(DEPOSIT)],
  ['a buffer', Buffer.from(DEPOSIT)],
  ['a view into a longer buffer', bytes(` ${DEPOSIT} `).subarray(1, -1)],
  ['an ArrayBuffer', Uint8Array.from(bytes(DEPOSIT)).buffer],
])('passes a notification on, with its key and its bytes, from %s', async (_, body) => {
  const { calls, options } = recording();
  expect(await createReceiver(options).receive(body)).toStrictEqual(OK);
  expect(calls).toStrictEqual([
    ['deposit', deposit.depositId, `deposit.received:${deposit.depositId}`, bytes(DEPOSIT)],
  ]);
});

test('calls the function of the type', async () => {
  const { calls, options } = recording();
  const body = withdrawalBroadcastBody();
  expect(await createReceiver(options).receive(body)).toStrictEqual(OK);
  const { withdrawalId } = JSON.parse(body);
  const key = `withdrawal.broadcast:${withdrawalId}:COMPLETED`;
  expect(calls).toStrictEqual([['withdrawal', withdrawalId, key, bytes(body)]]);
});

test.each([
  ['onWithdrawalBroadcast', withdrawalBroadcastBody()],
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

test('answers with what a function returns', async () => {
  const answer = { status: 202, text: 'held' };
  const { options } = recording({
    onDepositReceived: async () => answer,
    onRefused: async () => answer,
  });
  const { receive } = createReceiver(options);
  expect(await receive(DEPOSIT)).toStrictEqual(answer);
  expect(await receive('{')).toStrictEqual(answer);
});

test('refuses with the codes, and passes the bytes on', async () => {
  const { calls, options } = recording();
  const body = REFUSED.replace(/"depositId":"[^"]*"/, '"depositId":"1"');
  const answer = await createReceiver(options).receive(body);
  expect(answer).toStrictEqual({ status: 400, text: 'unknown_value, invalid_id' });
  expect(calls).toStrictEqual([['refused', expect.stringContaining(refusal), bytes(body)]]);
});

test('warns of what a notification tolerates', async () => {
  const { calls, options } = recording();
  const body = TOLERATED;
  expect(await createReceiver(options).receive(body)).toStrictEqual(OK);
  const warning = `${KEY}: rateType: expected "FIXED" or "FLOATING", received "NEW"`;
  expect(calls).toStrictEqual([
    ['warn', warning],
    ['deposit', ID, KEY, bytes(body)],
  ]);
});

test('answers a body over 64 KiB with 413, and only warns', async () => {
  const { calls, options } = recording();
  const { receive } = createReceiver(options);
  expect(await receive(DEPOSIT.padEnd(65_536))).toStrictEqual(OK);
  calls.length = 0;
  expect(await receive(DEPOSIT.padEnd(65_537))).toStrictEqual({
    status: 413,
    text: 'body_too_large',
  });
  expect(calls).toStrictEqual([['warn', 'body: expected at most 65536 bytes, received more']]);
});

test.each([
  ['undefined', undefined, 'nothing'],
  ['null', null, 'null'],
  ['a number', 5, '5'],
  ['an object', deposit, 'an object'],
  ['an array', [1], 'an array'],
])('answers %s, which is no raw body, with 500, and refuses nothing', async (_, body, received) => {
  const { calls, options } = recording();
  expect(await createReceiver(options).receive(body)).toStrictEqual(FAILED);
  const error = `TypeError: body: expected text or bytes, received ${received}. Pass the raw body, before middleware reads it`;
  expect(calls).toStrictEqual([['error', error, null]]);
});

describe('a function that fails', () => {
  const error = Object.assign(new Error('the database says no'), { status: 200, statusCode: 200 });
  const rejects = () => Promise.reject(error);
  const throws = () => {
    throw error;
  };

  test.each<[name: keyof ReceiverOptions, body: string]>([
    ['onDepositReceived', DEPOSIT],
    ['onWithdrawalBroadcast', withdrawalBroadcastBody()],
    ['onRefused', REFUSED],
    ['warn', TOLERATED],
    ['warn', DEPOSIT.padEnd(65_537)],
  ])('%s is answered with 500, whatever status its error has', async (name, body) => {
    for (const fail of [rejects, throws]) {
      if (name === 'warn' && fail === rejects) continue; // it is not awaited
      const { calls, options } = recording({ [name]: fail });
      expect(await createReceiver(options).receive(body)).toStrictEqual(FAILED);
      expect(calls).toStrictEqual([['error', String(error), bytes(body)]]);
    }
  });

  test.each([[rejects], [throws]])('may be onError: its error is printed', async (onError) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { options } = recording({ onDepositReceived: throws, onError });
    expect(await createReceiver(options).receive(DEPOSIT)).toStrictEqual(FAILED);
    expect(print.mock.calls).toStrictEqual([[error]]);
    print.mockRestore();
  });

  test.each([
    [{ status: 200 }, '200', 'nothing'],
    [{ status: 199, text: 'ok' }, '199', '"ok"'],
    [{ status: 1000, text: 'ok' }, '1000', '"ok"'],
    [{ status: 200.5, text: 'ok' }, '200.5', '"ok"'],
    [{ rows: [] }, 'nothing', 'nothing'],
    ['settled', 'nothing', 'nothing'],
  ])('may return no answer: %j', async (answer, status, text) => {
    const onDepositReceived = async () => answer as never;
    const { calls, options } = recording({ onDepositReceived });
    expect(await createReceiver(options).receive(DEPOSIT)).toStrictEqual(FAILED);
    const message = `answer: expected a status of 200 to 599 and a text, received ${status} and ${text}`;
    expect(calls).toStrictEqual([['error', `TypeError: ${message}`, bytes(DEPOSIT)]]);
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
  warn.mockRestore();
  print.mockRestore();
});

test.each([
  [{}, 'options: expected onDepositReceived or onWithdrawalBroadcast'],
  [{ onDeposit: async () => {} }, 'options: expected onDepositReceived or onWithdrawalBroadcast'],
  [{ onDepositReceived: async () => {} }, 'options: expected onRefused'],
])('is not created without the functions that keep money: %o', (options, message) => {
  expect(() => createReceiver(options as never)).toThrow(new TypeError(message));
});
