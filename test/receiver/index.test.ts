import { setImmediate as tick } from 'node:timers/promises';
import { createReceiver, type ReceiverOptions } from 'payment-notifications/receiver';
import { withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { bytes, DEPOSIT, FAILED, held, memoryStore, OK, recording } from './options.js';

const WITHDRAWAL = withdrawalBroadcastBody();
const REFUSED = DEPOSIT.replace('CONFIRMED', 'NEW');
const { depositId } = JSON.parse(DEPOSIT);
const { withdrawalId } = JSON.parse(WITHDRAWAL);

test.each([
  ['deposit', DEPOSIT, depositId, `deposit.received:${depositId}`],
  ['withdrawal', WITHDRAWAL, withdrawalId, `withdrawal.broadcast:${withdrawalId}:COMPLETED`],
])('passes a %s on to its function, with its key and its bytes', async (name, body, id, key) => {
  const { calls, options } = recording();
  expect(await createReceiver(options).receive({ body, url: '/' })).toStrictEqual(OK);
  expect(calls).toStrictEqual([[name, id, key, bytes(body)]]);
});

test.each([
  ['onWithdrawalBroadcast', WITHDRAWAL],
  ['onDepositReceived', DEPOSIT],
])('refuses a type without a function: %s', async (name, body) => {
  const { calls, options } = recording({ [name]: undefined });
  expect(await createReceiver(options).settle(body)).toBe('refused');
  expect(calls).toStrictEqual([
    ['refused', expect.stringContaining('callback URLs are swapped'), null],
  ]);
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
  const { calls, options } = recording();
  const { settle } = createReceiver(options);
  Object.assign(options, { onDepositReceived: undefined, onWithdrawalBroadcast: undefined });
  expect([await settle(DEPOSIT), await settle(WITHDRAWAL)]).toStrictEqual(['settled', 'settled']);
  expect(calls.map(([name]) => name)).toStrictEqual(['deposit', 'withdrawal']);
});

test.each(['error', 'success', 'notification'])(
  'settles as ever if somebody has set %s on every object',
  async (name) => {
    const { calls, options } = recording();
    const { receive } = createReceiver(options);
    try {
      Object.assign(Object.prototype, { [name]: { issues: [] } });
      expect(await receive({ body: DEPOSIT, url: '/' })).toStrictEqual(OK);
      expect((await receive({ body: REFUSED, url: '/' })).status).toBe(400);
    } finally {
      delete (Object.prototype as Record<string, unknown>)[name];
    }
    expect(calls.map(([called]) => called)).toStrictEqual(['deposit', 'refused']);
  },
);

test.each([null, undefined, {}])('answers 500 to a request of %j', async (request) => {
  const { options } = recording({ secret: 'a-secret-of-the-test' });
  expect(await createReceiver(options).receive(request as never)).toStrictEqual(FAILED);
});

test('stop waits for the bodies in progress, even for one that arrives meanwhile', async () => {
  const ended: string[] = [];
  const [first, second] = [held(), held()];
  const receiver = createReceiver({
    ...recording().options,
    onDepositReceived: first.run,
    onWithdrawalBroadcast: second.run,
    log: ({ outcome }) => ended.push(outcome),
  });
  await receiver.stop(); // there is none
  const answers = [receiver.receive({ body: DEPOSIT, url: '/' })];
  const stopped = receiver.stop().then(() => ended.push('stopped'));
  answers.push(receiver.receive({ body: WITHDRAWAL, url: '/' }));
  first.resolve();
  await answers[0];
  await tick();
  expect(ended).toStrictEqual(['settled']);
  second.reject();
  await stopped;
  expect(ended).toStrictEqual(['settled', 'retry', 'stopped']);
  expect(await Promise.all(answers)).toStrictEqual([OK, FAILED]);
});

const noop = async () => {};
test.each<[options: unknown, message: string]>([
  [undefined, 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{}, 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{ onDepositReceived: noop }, 'store: expected a store, received nothing. Pass createStore('],
  [{ onDepositReceived: noop, store: 'webhooks' }, 'store: expected a store, received a string'],
  [{ onDepositReceived: noop, store: {} }, 'store.save: expected a function, received null'],
  [{ onDepositReceived: noop, store: null, saveFirst: true }, 'saveFirst: expected a store'],
  ...['onDepositReceived', 'onWithdrawalBroadcast', 'log', 'verify'].map(
    (name): [unknown, string] => [
      { onDepositReceived: noop, onWithdrawalBroadcast: noop, [name]: 'later' },
      `${name}: expected a function, received a string of length 5`,
    ],
  ),
])('is not created without what keeps money: %o', (options, message) => {
  const create = () => createReceiver({ secret: null, ...Object(options) });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
});

test.each([
  ['onDeposit', 'Did you mean onDepositReceived?'],
  ['onDepositRecieved', 'Did you mean onDepositReceived?'],
  ['onWithdrawal', 'Did you mean onWithdrawalBroadcast?'],
  ['timeoutMS', 'Did you mean timeoutMs?'],
  ['savefirst', 'Did you mean saveFirst?'],
  ['onError', 'Expected onDepositReceived, onWithdrawalBroadcast, secret, store, verify, success'],
])('throws if there is an option %s, which it would ignore', (name, fix) => {
  const { options } = recording({ [name]() {} } as Partial<ReceiverOptions>);
  const create = () => createReceiver(options);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(`${name}: unknown option. ${fix}`);
});

test('takes other keys, and functions of a class', () => {
  const inherited = Object.create({ onClick() {} });
  const hidden = Object.defineProperty(inherited, 'onHidden', { value() {} });
  const { options } = recording({ once() {}, only: 1, on: 2, reasonOf() {} } as never);
  expect(() => createReceiver(Object.assign(hidden, options))).not.toThrow();
});
