import { createReceiver } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { bytes, recording } from './options.js';

const DEPOSIT = depositReceivedBody();
const KEY = expect.stringMatching(/^deposit\.received:/);
const FAILED = { status: 500, text: 'failed' };

/** What a receiver answers if its functions return this, and which errors it reports. */
async function answersTo(returned: unknown) {
  const { calls, options } = recording({
    onDepositReceived: async () => returned as never,
    onRefused: async () => returned as never,
  });
  const { settle } = createReceiver(options);
  return { answers: [await settle(DEPOSIT), await settle('{')], calls };
}

/** The reports of a failure of both functions. */
const reports = (ofDeposit: string, ofRefused: string) => [
  ['error', expect.stringContaining(`onDepositReceived: ${ofDeposit}`), KEY, bytes(DEPOSIT)],
  ['error', expect.stringContaining(`onRefused: ${ofRefused}`), null, bytes('{')],
];

test.each([
  [{ status: 202, text: 'held' }, undefined],
  [{ status: 499, text: '' }, undefined],
  [{ status: 200 }, { status: 200, text: '' }],
  [
    { status: 404, text: undefined },
    { status: 404, text: '' },
  ],
  [Object.assign(Object.create(null), { status: 200, text: 'kept' }), undefined],
])('is what a function returns: %j', async (returned, answer = returned) => {
  const { answers, calls } = await answersTo(returned);
  expect(answers).toStrictEqual([{ ...answer }, { ...answer }]);
  expect(calls).toStrictEqual([]);
});

test('may be returned without a promise, as JavaScript allows', async () => {
  const answer = { status: 202, text: 'held' };
  const { options } = recording({ onDepositReceived: () => answer as never });
  expect(await createReceiver(options).settle(DEPOSIT)).toStrictEqual(answer);
});

test.each([
  [
    { status: 500, text: 'locked' },
    { status: 500, text: 'locked' },
  ],
  [{ status: 503 }, { status: 503, text: '' }],
  [
    { status: 599, text: '' },
    { status: 599, text: '' },
  ],
])(
  'is reported if it is 500 or more, because a withdrawal may not come again: %j',
  async (returned, answer) => {
    const { answers, calls } = await answersTo(returned);
    expect(answers).toStrictEqual([answer, answer]);
    const message = `returned the status ${answer.status}`;
    expect(calls).toStrictEqual(reports(message, message));
  },
);

test.each([204, 205, 304])('has no text with a status of %i', async (status) => {
  const { options } = recording({ onDepositReceived: async () => ({ status, text: 'ok' }) });
  const { settle, fetch } = createReceiver(options);
  expect(await settle(DEPOSIT)).toStrictEqual({ status, text: '' });
  const request = new Request('http://127.0.0.1', { method: 'POST', body: DEPOSIT });
  const response = await fetch(request);
  expect([response.status, await response.text()]).toStrictEqual([status, '']);
});

/** A row of an ORM that makes objects of a class. */
class Row {
  id = 1;
  status: unknown;
  constructor(status: unknown) {
    this.status = status;
  }
}

const JOB = { id: '1', name: 'settle', data: { status: 503 }, attemptsMade: 0, returnvalue: null };

test.each<[what: string, returned: unknown]>([
  ['null', null],
  ['true', true],
  ['a number', 503],
  ['rows', [{ status: 'CONFIRMED' }]],
  ['no rows', []],
  ['a row with a status', { id: 1, status: 'CONFIRMED' }],
  ['a row with a numeric status', { id: 1, status: 1 }],
  ['a row with a text', { id: 1, status: null, text: 'a note' }],
  ['a row with a text alone', { text: 'a note' }],
  ['a row with a status of digits', { id: 1, status: '500' }],
  ['a row of a class', new Row('CONFIRMED')],
  ['a row of a class that has only a status', Object.assign(new (class {})(), { status: 1 })],
  ['a row of a class with a numeric status', new Row(399)],
  ['a result of pg', { command: 'INSERT', rowCount: 1, oid: 0, rows: [], fields: [] }],
  ['an axios result', { status: 201, statusText: 'Created', headers: {}, config: {}, data: {} }],
  ['a response of fetch', new Response('kept')],
  ['a function', () => ({ status: 503 })],
  // What the clients of queues return, by their types and documentation.
  ['an identifier, as of send of pg-boss 10', '7d1f0c93-1b24-4e6f-8d4a-0c3f6f3b5a11'],
  ['a job, as of add of BullMQ 6', Object.assign(new (class Job {})(), JOB)],
  ['false, as of sendToQueue of amqplib 2 if its buffer is full', false],
  [
    'a result of SendMessage of SQS',
    {
      $metadata: { httpStatusCode: 200, requestId: '1', attempts: 1, totalRetryDelay: 0 },
      MD5OfMessageBody: '99914b932bd37a50b983c5e7c90ae93b',
      MessageId: '5fea7756-0ea4-451a-a703-a558b933e274',
    },
  ],
  [
    'a result of send of kafkajs 2',
    [{ topicName: 'events', partition: 0, errorCode: 0, baseOffset: '5', logAppendTime: '-1' }],
  ],
])('is the default if a function returns %s: it has settled', async (_, returned) => {
  const { answers, calls } = await answersTo(returned);
  expect(answers).toStrictEqual([
    { status: 200, text: 'ok' },
    { status: 400, text: 'invalid_json' },
  ]);
  expect(calls).toStrictEqual([]);
});

test.each<[what: string, returned: unknown, status: string]>([
  ['a response of fetch with 404', new Response('no', { status: 404 }), '404'],
  ['a response of fetch with 500', new Response('no', { status: 500 }), '500'],
  ['a redirect of fetch', Response.redirect('http://127.0.0.1', 302), '302'],
  ['an axios result', { status: 400, statusText: 'Bad Request', data: {} }, '400'],
  ['a row of a class', new Row(400), '400'],
  ['an object that is not ok', { ok: false }, 'nothing'],
])('is 500 if a function returns what says that it failed: %s', async (_, returned, status) => {
  const { answers, calls } = await answersTo(returned);
  expect(answers).toStrictEqual([FAILED, FAILED]);
  const message = `expected a success, received a failed result with status ${status}. Return`;
  expect(calls).toStrictEqual(reports(message, message));
});

test.each([
  [{ status: 99, text: 'x' }, '99 and a string of length 1'],
  [{ status: 199, text: 'x' }, '199 and a string of length 1'],
  [{ status: 600, text: 'x' }, '600 and a string of length 1'],
  [{ status: 200.5, text: '' }, '200.5 and an empty string'],
  [{ status: '200', text: 'x' }, '"200" and a string of length 1'],
  [{ status: 'CONFIRMED' }, '"CONFIRMED" and an empty string'],
  [{ status: 200, text: null }, '200 and null'],
  [{ status: 503, text: 5 }, '503 and a number'],
])('is 500 if no server can send what a function returns: %j', async (returned, received) => {
  const { answers, calls } = await answersTo(returned);
  expect(answers).toStrictEqual([FAILED, FAILED]);
  const message = `expected a status of 200 to 599 and a text, received ${received}. Return { status, text }, or nothing for the default answer`;
  expect(calls).toStrictEqual(reports(message, message));
});
