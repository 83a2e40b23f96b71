import { createReceiver } from 'payment-notifications/receiver';
import { describe, expect, test } from 'vitest';
import { memoryStore, never } from './options.js';

const SECRET = 'a.7d1f0c93-1b24_e6f~';

/** Creates a receiver with these options alone. */
const create = (own: object | undefined) => () =>
  createReceiver((own && { secret: null, ...own }) as never);

const run = never;
const base = { onDepositReceived: run, onWithdrawalBroadcast: run, store: null };

test.each<[own: object | undefined, message: string]>([
  [undefined, 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{}, 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither'],
  [{ onDepositReceived: run }, 'store: expected a store, received nothing. Pass createStore('],
  [{ ...base, store: 'webhooks' }, 'store: expected a store, received a string'],
  [{ ...base, store: {} }, 'store.save: expected a function, received null'],
  [{ ...base, saveFirst: true }, 'saveFirst: expected a store'],
  [
    { ...base, saveFirst: 'false' },
    'saveFirst: expected true or false, received a string of length 5',
  ],
  ...['onDepositReceived', 'onWithdrawalBroadcast', 'log', 'verify'].map(
    (name): [object, string] => [
      { ...base, [name]: 'later' },
      `${name}: expected a function, received a string of length 5`,
    ],
  ),
  ...[
    [{ status: 199 }, '199 and a string of length 2'],
    [{ status: 600 }, '600 and a string of length 2'],
    [{ status: 200.5 }, '200.5 and a string of length 2'],
    [{ status: '200' }, '"200" and a string of length 2'],
    [{ text: null }, '200 and null'],
  ].map(([success, received]): [object, string] => [
    { ...base, success },
    `success: expected a status of 200 to 599 and a text, received ${received}`,
  ]),
  ...[
    ['onDeposit', 'Did you mean onDepositReceived?'],
    ['onDepositRecieved', 'Did you mean onDepositReceived?'],
    ['onWithdrawal', 'Did you mean onWithdrawalBroadcast?'],
    ['timeoutMS', 'Did you mean timeoutMs?'],
    ['savefirst', 'Did you mean saveFirst?'],
    ['verfiy', 'Expected onDepositReceived, '],
    [
      'onError',
      'Expected onDepositReceived, onWithdrawalBroadcast, secret, store, verify, success',
    ],
  ].map(([name = '', fix]): [object, string] => [
    { ...base, [name]: run },
    `${name}: unknown option. ${fix}`,
  ]),
])('is not created with what keeps no money: %o', (own, message) => {
  expect(create(own)).toThrow(TypeError);
  expect(create(own)).toThrow(message);
});

test('takes other keys, and functions of a class', () => {
  const inherited = Object.create({ onClick() {} });
  const hidden = Object.defineProperty(inherited, 'onHidden', { value() {} });
  const own = { secret: null, once() {}, only: 1, on: 2, reasonOf() {} };
  expect(() => createReceiver(Object.assign(hidden, base, own))).not.toThrow();
  const misspelled = Object.assign(Object.create({}), base, { onDeposit() {} });
  expect(() => createReceiver(misspelled)).toThrow('onDeposit: unknown option');
});

describe('a time', () => {
  const { store } = memoryStore();

  test.each([1, 2 ** 31 - 1])('may be %j', (timeoutMs) => {
    expect(create({ ...base, timeoutMs })).not.toThrow();
  });

  test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null])(
    'is not %j',
    (time) => {
      const received = time === '5' ? '"5"' : time;
      const expected = `expected 1 to 2147483647 milliseconds, received ${received}`;
      const timeout = create({ ...base, timeoutMs: time });
      expect(timeout).toThrow(new RangeError(`timeoutMs: ${expected}`));
      for (const own of [base, { ...base, store }]) {
        const start = () => create(own)().start({ everyMs: time as number });
        expect(start).toThrow(new RangeError(`everyMs: ${expected}`));
      }
    },
  );
});

test.each([
  [undefined, 'secret', 'undefined'],
  ['', 'secret', 'an empty string'],
  ['fifteen-letters', 'secret', '15 characters'],
  [`${SECRET}\n`, 'secret', '21 characters that end with a space or a newline'],
  [`${SECRET} `, 'secret', '21 characters that end with a space or a newline'],
  [[SECRET, `${SECRET}\r\n`], 'secret[1]', '22 characters that end with a space or a newline'],
  [`${SECRET} ${SECRET}`, 'secret', '41 characters, one of which is not allowed'],
  [`${SECRET}/`, 'secret', '21 characters, one of which is not allowed'],
  [`/${SECRET}`, 'secret', '21 characters, one of which is not allowed'],
  [`${SECRET}é`, 'secret', '21 characters, one of which is not allowed'],
  [1234567890123456, 'secret', 'a number'],
  [false, 'secret', 'a boolean'],
  [{ length: 1, 0: SECRET }, 'secret', 'an object'],
  [[], 'secret', 'an empty list'],
  [[SECRET, undefined], 'secret[1]', 'undefined'],
  [[SECRET, null], 'secret[1]', 'null'],
  [[SECRET, ''], 'secret[1]', 'an empty string'],
  [['fifteen-letters', SECRET], 'secret[0]', '15 characters'],
  [[[SECRET]], 'secret[0]', 'an array'],
])('a secret is not %j, which may be a missing variable', (secret, name, received) => {
  const expected = `${name}: expected at least 16 letters, digits or any of -._~, received ${received}. Make one`;
  expect(create({ ...base, secret })).toThrow(TypeError);
  expect(create({ ...base, secret })).toThrow(expected);
  for (const shown of [SECRET, 'fifteen', '1234567890123456'])
    expect(create({ ...base, secret })).not.toThrow(shown);
});
