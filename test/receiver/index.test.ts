import { createReceiver } from 'payment-notifications/receiver';
import { describe, expect, test } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  held,
  memoryStore,
  OK,
  open,
  PASSED_ON,
  SECRET,
  settleDown,
  WAYS,
  WITHDRAWAL,
} from './options.js';

const { withdrawalId } = JSON.parse(WITHDRAWAL);

test('passes each notification on to its function, with its key and its bytes', async () => {
  const { ask, calls } = open();
  for (const body of [DEPOSIT, WITHDRAWAL]) expect(await ask(body)).toStrictEqual(OK);
  const withdrawal = ['withdrawal', `withdrawal.broadcast:${withdrawalId}:COMPLETED`];
  expect(calls).toStrictEqual([PASSED_ON, [...withdrawal, bytes(WITHDRAWAL)]]);
});

test('calls its functions as methods of the options, which may be an object of a class', async () => {
  const called: unknown[] = [];
  async function record(this: unknown) {
    called.push(this);
    return true;
  }
  const options = {
    ...{ secret: null, store: memoryStore().store, timeoutMs: 1000 },
    ...{ onDepositReceived: record, onWithdrawalBroadcast: record, log: record, verify: record },
  };
  const { receive } = createReceiver(options);
  for (const body of [DEPOSIT, WITHDRAWAL])
    expect(await receive({ body, url: '/' })).toStrictEqual(OK);
  expect(called).toHaveLength(6); // verify, its function and the log, for each
  expect(called.every((self) => self === options)).toBe(true);
});

test('calls the functions of its creation: a later change of the options changes nothing', async () => {
  const { ask, options, calls } = open();
  Object.assign(options, { onDepositReceived: undefined, onWithdrawalBroadcast: undefined });
  expect([await ask(DEPOSIT), await ask(WITHDRAWAL)]).toStrictEqual([OK, OK]);
  expect(calls).toHaveLength(2);
});

test.each(['error', 'success', 'notification'])(
  'settles as ever if somebody has set %s on every object',
  async (name) => {
    const { ask, calls } = open();
    try {
      Object.assign(Object.prototype, { [name]: { issues: [] } });
      expect(await ask(DEPOSIT)).toStrictEqual(OK);
      expect((await ask(DEPOSIT.replace('CONFIRMED', 'NEW'))).status).toBe(400);
    } finally {
      delete (Object.prototype as Record<string, unknown>)[name];
    }
    expect(calls.map(([called]) => called)).toStrictEqual(['deposit', 'refused']);
  },
);

test.each([null, undefined, {}, { url: `/${SECRET}` }])(
  'answers 500 to a request of %j',
  async (request) => {
    const { receiver, calls } = open({ secret: SECRET });
    expect(await receiver.receive(request as never)).toStrictEqual(FAILED);
    expect(calls).toStrictEqual([['failed', expect.any(String), null]]);
  },
);

describe.each(Object.entries(WAYS))('%s', (way, ask) => {
  test.each(['GET', 'HEAD'])('answers a %s without a body, and calls nothing', async (method) => {
    const { receiver, calls } = open({ secret: SECRET, verify: () => false });
    const hasNoText = way === 'node' && method === 'HEAD';
    const textOf = (text: string) => (hasNoText ? '' : text);
    expect(await ask(receiver, null, { method })).toStrictEqual({
      status: 200,
      text: textOf('This URL receives webhooks of the payment service. Each of them has a body.'),
    });
    expect(await ask(receiver, null, { method, path: '/' })).toStrictEqual({
      status: 404,
      text: textOf('not found'),
    });
    expect(calls).toStrictEqual([]);
  });
});

test('receive takes a visit whose body is missing or empty', async () => {
  const { receiver } = open();
  for (const body of [undefined, ''])
    expect((await receiver.receive({ body, url: '/', method: 'GET' })).status).toBe(200);
});

test('stop resolves when no body is in progress, and answers those that come meanwhile', async () => {
  const [first, second] = [held(), held()];
  const ended: unknown[] = [];
  const { receiver, ask } = open({
    onDepositReceived: first.run,
    onWithdrawalBroadcast: second.run,
    log: ({ outcome }) => ended.push(outcome),
  });
  await receiver.stop(); // there is none
  const answers = [ask(DEPOSIT)];
  const stopped = receiver.stop().then(() => ended.push('stopped'));
  await settleDown();
  answers.push(ask(WITHDRAWAL));
  first.resolve();
  await answers[0];
  await settleDown();
  expect(ended).toStrictEqual(['settled']);
  second.reject();
  await stopped;
  expect(ended).toStrictEqual(['settled', 'retry', 'stopped']);
  expect(await Promise.all(answers)).toStrictEqual([OK, FAILED]);
});
