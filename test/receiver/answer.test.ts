import { createReceiver, type ReceiverOptions } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { bytes, recording } from './options.js';

const DEPOSIT = depositReceivedBody();
const KEY = expect.stringMatching(/^deposit\.received:/);
const OK = { status: 200, text: 'ok' };
const FAILED = { status: 500, text: 'failed' };

/** What a receiver answers if its function returns this, and what it saves. */
async function answerTo(returned: unknown, own: Partial<ReceiverOptions> = {}) {
  const { calls, options } = recording({ onDepositReceived: async () => returned, ...own });
  return { answer: await createReceiver(options).receive(DEPOSIT, '/'), calls };
}

/** A row of an ORM that makes objects of a class. */
class Row {
  id = 1;
  status: unknown;
  constructor(status: unknown) {
    this.status = status;
  }
}

test.each<[what: string, returned: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['false, as of sendToQueue of amqplib 2 if its buffer is full', false],
  ['a number', 503],
  ['rows', [{ status: 'CONFIRMED' }]],
  ['a row with a status', { id: 1, status: 'CONFIRMED' }],
  ['a row of a class with a numeric status', new Row(500)],
  ['a status', { status: 409, text: 'no' }],
  ['a result of pg', { command: 'INSERT', rowCount: 1, oid: 0, rows: [], fields: [] }],
  ['a response of fetch', new Response('kept')],
  ['an object without a prototype', Object.create(null)],
  ['a function', () => ({ ok: false })],
])('is a success whatever a function returns, such as %s', async (_, returned) => {
  expect(await answerTo(returned)).toStrictEqual({ answer: OK, calls: [] });
});

test.each<[what: string, returned: unknown, status: string]>([
  ['a response of fetch with 404', new Response('no', { status: 404 }), '404'],
  ['a redirect of fetch', Response.redirect('http://127.0.0.1', 302), '302'],
  ['an object that is not ok', { ok: false }, 'nothing'],
])('is 500 if a function returns what says that it failed: %s', async (_, returned, status) => {
  const { answer, calls } = await answerTo(returned);
  const message = `onDepositReceived: expected a success, received a failed response with status ${status}. Check response.ok, and throw`;
  expect(answer).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([['retry', message, KEY, bytes(DEPOSIT)]]);
});

test.each([
  [
    { status: 202, text: 'kept' },
    { status: 202, text: 'kept' },
  ],
  [{ status: 201 }, { status: 201, text: 'ok' }],
  [{ text: '{"success":true}' }, { status: 200, text: '{"success":true}' }],
  [{ status: 204 }, { status: 204, text: '' }],
  [undefined, OK],
])('may be another success: %j', async (success, expected) => {
  expect((await answerTo(undefined, { success })).answer).toStrictEqual(expected);
  const { options } = recording({ success, onDepositReceived: async () => {} });
  const request = new Request('http://127.0.0.1', { method: 'POST', body: DEPOSIT });
  const response = await createReceiver(options).fetch(request);
  expect({ status: response.status, text: await response.text() }).toStrictEqual(expected);
});

test.each([
  [{ status: 199 }, '199 and a string of length 2'],
  [{ status: 600 }, '600 and a string of length 2'],
  [{ status: 200.5 }, '200.5 and a string of length 2'],
  [{ status: '200' }, '"200" and a string of length 2'],
  [{ text: null }, '200 and null'],
])('can’t be a success that no server can send: %j', (success, received) => {
  const create = () => createReceiver(recording({ success: success as never }).options);
  const message = `success: expected a status of 200 to 599 and a text, received ${received}`;
  expect(create).toThrow(new TypeError(message));
});
