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

test.each<[what: string, returned: unknown, answer: unknown]>([
  ['a status alone', { status: 503 }, { status: 503, text: '' }],
  ['an axios result', { status: 201, statusText: 'Created', data: {} }, { status: 201, text: '' }],
  ['a response of fetch', new Response('kept'), { status: 200, text: '' }],
  ['one that failed', new Response('no', { status: 500 }), { status: 500, text: '' }],
])('is the status of %s, without a text that is none', async (_, returned, answer) => {
  const { calls, options } = recording({
    onDepositReceived: async () => returned as never,
    onRefused: async () => returned as never,
  });
  const { settle } = createReceiver(options);
  expect([await settle(DEPOSIT), await settle('{')]).toStrictEqual([answer, answer]);
  expect(calls).toStrictEqual([]);
});

test.each<[what: string, returned: unknown]>([
  ['null', null],
  ['true', true],
  ['false, as of amqplib', false],
  ['an identifier, as of pg-boss', '7d1f0c93-1b24-4e6f-8d4a-0c3f6f3b5a11'],
  ['a number', 1],
  ['rows', [{ status: 'CONFIRMED' }]],
  ['a row', { id: 1, status: 'CONFIRMED' }],
  ['a row with a numeric status', { id: 1, status: 1 }],
  ['a row with a text', { id: 1, text: 'a note' }],
  ['a row with null', { id: 1, status: null, text: 'a note' }],
  ['a result of pg', { rowCount: 1, rows: [], command: 'INSERT' }],
  ['a result of SQS', { $metadata: { httpStatusCode: 200 }, MessageId: '1' }],
  ['a result of kafkajs', [{ topicName: 'events', partition: 0, errorCode: 0 }]],
])('is the default if a function returns %s: it has settled', async (_, returned) => {
  const { calls, options } = recording({
    onDepositReceived: async () => returned as never,
    onRefused: async () => returned as never,
  });
  const { settle } = createReceiver(options);
  expect(await settle(DEPOSIT)).toStrictEqual({ status: 200, text: 'ok' });
  expect(await settle('{')).toStrictEqual({ status: 400, text: 'invalid_json' });
  expect(calls).toStrictEqual([]);
});

test.each([
  [{ status: 99, text: 'x' }, '99'],
  [{ status: 199, text: 'x' }, '199'],
  [{ status: 600, text: 'x' }, '600'],
  [{ status: 200.5, text: 'x' }, '200.5'],
  [{ status: '200', text: 'x' }, '"200"'],
  [{ status: 'ok', text: '' }, '"ok"'],
])(
  'is reported if it has a text, but no status that a server can send: %j',
  async (answer, received) => {
    const { calls, options } = recording({ onDepositReceived: async () => answer as never });
    const sent = await createReceiver(options).settle(DEPOSIT);
    expect(sent).toStrictEqual({ status: 500, text: 'failed' });
    const error = `TypeError: answer: expected a status of 200 to 599, received ${received}. Return { status, text }, or nothing for the default answer`;
    const key = expect.stringMatching(/^deposit\.received:/);
    expect(calls).toStrictEqual([['error', error, key, bytes(DEPOSIT)]]);
  },
);
