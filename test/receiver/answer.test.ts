import { createReceiver } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { bytes, recording } from './options.js';

const DEPOSIT = depositReceivedBody();

test.each([
  { status: 202, text: 'held' },
  { status: 599, text: '' },
])('is what a function returns: %j', async (answer) => {
  const { calls, options } = recording({
    onDepositReceived: async () => answer,
    onRefused: async () => answer,
  });
  const { settle } = createReceiver(options);
  expect([await settle(DEPOSIT), await settle('{')]).toStrictEqual([answer, answer]);
  expect(calls).toStrictEqual([]);
});

test('may be returned without a promise, as JavaScript allows', async () => {
  const answer = { status: 202, text: 'held' };
  const { options } = recording({ onDepositReceived: () => answer as never });
  expect(await createReceiver(options).settle(DEPOSIT)).toStrictEqual(answer);
});

test.each([204, 205, 304])('has no text with a status of %i', async (status) => {
  const { options } = recording({ onDepositReceived: async () => ({ status, text: 'ok' }) });
  const { settle, fetch } = createReceiver(options);
  expect(await settle(DEPOSIT)).toStrictEqual({ status, text: '' });
  const request = new Request('http://127.0.0.1', { method: 'POST', body: DEPOSIT });
  const response = await fetch(request);
  expect([response.status, await response.text()]).toStrictEqual([status, '']);
});

test.each([
  [{ status: 103, text: 'ok' }, '103 and "ok"'],
  [{ status: 600, text: 'ok' }, '600 and "ok"'],
  [{ status: 1000, text: 'ok' }, '1000 and "ok"'],
  [{ status: 200.5, text: 'ok' }, '200.5 and "ok"'],
  [{ status: '200', text: 'ok' }, '"200" and "ok"'],
  [{ status: 200, text: 5 }, '200 and 5'],
  [{ status: 200, text: { settled: true } }, '200 and an object'],
  [{ status: 200 }, '200 and '],
  [{ rowCount: 1 }, ' and '],
  ['settled', ' and '],
])('is reported if no server can send it: %j', async (answer, received) => {
  const { calls, options } = recording({ onDepositReceived: async () => answer as never });
  const sent = await createReceiver(options).settle(DEPOSIT);
  expect(sent).toStrictEqual({ status: 500, text: 'failed' });
  const expected = 'TypeError: answer: expected a status of 200 to 599 and a text, received ';
  const message = expect.stringContaining(received);
  const key = expect.stringMatching(/^deposit\.received:/);
  expect(calls).toStrictEqual([['error', message, key, bytes(DEPOSIT)]]);
  expect(calls[0]?.[1]).toContain(expected);
});
