import { createReceiver } from 'payment-notifications/receiver';
import { expect, test } from 'vitest';
import { open, never as run, SECRET } from './setup.js';

const base = { secret: null, store: null, onDepositReceived: run, onWithdrawalBroadcast: run };
/** Creates a receiver with these options alone. */
const create = (options: object | undefined) => () => createReceiver(options as never);

const neither = 'options: expected onDepositReceived or onWithdrawalBroadcast, received neither';
const later = 'expected a function, received a string of length 5';
const success = 'success: expected a status of 200 to 599 and a text, received';

test.each<[options: object | undefined, message: string]>([
  [undefined, neither],
  [{ ...base, store: undefined }, 'store: expected a store, received no value. Pass createStore('],
  [{ ...base, store: 'webhooks' }, 'store: expected a store, received a string'],
  [{ ...base, store: {} }, 'store.save: expected a function, received null'],
  [{ ...base, onDepositReceived: 'later' }, `onDepositReceived: ${later}`],
  [{ ...base, verify: 'later' }, `verify: ${later}`],
  [{ ...base, success: { status: 199 } }, `${success} 199 and a string of length 2`],
  [{ ...base, success: { status: 600 } }, `${success} 600 and a string of length 2`],
  [{ ...base, success: { status: 200.5 } }, `${success} 200.5 and a string of length 2`],
  [{ ...base, success: { text: null } }, `${success} 200 and null`],
  [{ ...base, onDeposits: run }, 'onDeposits: unknown option. Did you mean onDepositReceived?'],
  [{ ...base, timeoutMS: run }, 'unknown option. Did you mean timeoutMs?'],
  [{ ...base, verfiy: run }, 'verfiy: unknown option. Expected one of: onDepositReceived, '],
  [Object.assign(Object.create({}), base, { verfiy: run }), 'verfiy: unknown option.'],
])('is not created with what keeps no money: %o', (options, message) => {
  expect(create(options)).toThrow(TypeError);
  expect(create(options)).toThrow(message);
});

test.each([0, Number.NaN, 2 ** 31, '5'])('a time is not %j', (time) => {
  const received = time === '5' ? '"5"' : time;
  const expected = `expected 1 to 2147483647 milliseconds, received ${received}`;
  const timeout = create({ ...base, timeoutMs: time });
  expect(timeout).toThrow(new RangeError(`timeoutMs: ${expected}`));
  for (const { store } of [base, open().options]) {
    const start = () => create({ ...base, store })().start({ everyMs: time as number });
    expect(start).toThrow(new RangeError(`everyMs: ${expected}`));
  }
});

test.each([
  ...[{ success: { status: 200 } }, { success: { status: 599 } }],
  ...[{ timeoutMs: 1 }, { ...open().options, timeoutMs: 2 ** 31 - 1 }],
])('the least and the most are taken: %j', (own) => {
  expect(create({ ...base, ...own })).not.toThrow();
});

test.each([
  [undefined, 'secret', 'undefined'],
  ['x', 'secret', '1 character'],
  ['fifteen-letters', 'secret', '15 characters'],
  [[SECRET, `${SECRET}\r\n`], 'secret[1]', '22 characters ending with a space, a tab or a newline'],
  ['sixteen-letters!', 'secret', '16 characters, not all of which are allowed'],
  [1234567890123456, 'secret', 'a number'],
  [[], 'secret', 'an empty list'],
])('a secret is not %j, which may be a missing variable', (secret, name, received) => {
  const expected = `${name}: expected at least 16 letters, digits or -._~, received ${received}. Make one`;
  expect(create({ ...base, secret })).toThrow(TypeError);
  expect(create({ ...base, secret })).toThrow(expected);
  for (const shown of [SECRET, 'fifteen', '1234567890123456'])
    expect(create({ ...base, secret })).not.toThrow(shown);
});
