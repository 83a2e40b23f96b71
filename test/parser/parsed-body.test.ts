import {
  parseDepositReceived,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
} from 'payment-notifications';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deposit, errorOf, FIELDS, issuesOf, read, withdrawal } from '../sample-bodies.js';

const DEPOSIT = JSON.parse(deposit());
const WITHDRAWAL = JSON.parse(withdrawal());

test.each([
  ['a frozen object', Object.freeze({ ...WITHDRAWAL })],
  ['an object without a prototype', Object.assign(Object.create(null), WITHDRAWAL)],
  ['an object with methods', { ...WITHDRAWAL, toJSON: () => 'x', toString: () => 'y' }],
])('a body may be %s whose amounts are strings, and has no warning then', (_, body) => {
  expect(parseWithdrawalBroadcast(body)).toStrictEqual(parseWithdrawalBroadcast(withdrawal()));
});

test('a body has only its own fields', () => {
  const { depositId, ...own } = DEPOSIT;
  const body = Object.assign(Object.create({ depositId }), own);
  const { issues } = errorOf(safeParseDepositReceived(body));
  expect(issues).toMatchObject([{ code: 'missing_field', path: ['depositId'] }]);
});

describe('the warning about numbers', () => {
  const AMOUNTS = FIELDS.filter(({ kind }) => kind === 'amount');
  const strings = Object.fromEntries(AMOUNTS.map(({ name }) => [name, '"1"']));

  test.each(AMOUNTS)('is given once if $name of a $of is one', ({ of, name }) => {
    const sample = JSON.parse((of === 'deposit' ? deposit : withdrawal)(strings));
    const message =
      'body: expected the raw text or bytes, received a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body';
    expect(issuesOf(safeParseNotification({ ...sample, [name]: 1 }))).toMatchObject([
      { code: 'parsed_body', path: [], message },
    ]);
  });

  test('comes first, and is given for a number that could not be read', () => {
    const faults = { expectedDepositAmount: 'x', displayServiceFee: 1e300, onChainFee: Number.NaN };
    expect(parseDepositReceived({ ...DEPOSIT, ...faults }).warnings).toMatchObject([
      { code: 'parsed_body' },
      { code: 'invalid_amount', path: ['expectedDepositAmount'] },
      { code: 'invalid_amount', path: ['displayServiceFee'], received: '1e+300' },
      { code: 'invalid_amount', path: ['onChainFee'], received: 'a string of length 3' },
    ]);
  });

  test('is given for a number that is in conflict with the other spelling', () => {
    const body = { ...WITHDRAWAL, deducedSettlementAmount: 250.32 };
    expect(parseWithdrawalBroadcast(body).warnings).toMatchObject([
      { code: 'parsed_body' },
      { code: 'conflicting_fields' },
    ]);
  });

  test('is not given for a time or an unknown number', () => {
    const body = { ...JSON.parse(deposit(strings)), expirationTime: 1790003600, unknown: 0.1 };
    expect(read(safeParseDepositReceived(body)).warnings).toStrictEqual([]);
  });
});

test('a field is read as JSON.stringify writes it, but a number that JSON lacks is text', () => {
  const expirationTime = new Date(1790003600000);
  const more = [1e21, -0.5, Number.NaN, Number.POSITIVE_INFINITY, { a: 5n }];
  const body = { ...DEPOSIT, expirationTime, network: () => 1, none: Symbol('x'), more };
  expect(parseDepositReceived(body)).toMatchObject({
    ...{ expirationTime, network: null },
    additionalFields: { more: ['1e+21', '-0.5', 'NaN', 'Infinity', { a: '5' }] },
  });
});

test.each([
  ['BigInt', 12345678901234567890n, '12345678901234567890'],
  ['Number', 0.1, '0.1'],
] as const)('a toJSON of every %s rounds no amount', (type, actualDepositAmount, digits) => {
  const { prototype } = { BigInt, Number }[type];
  Object.defineProperty(prototype, 'toJSON', { value: () => 12345678, configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(prototype, 'toJSON'));
  const notification = parseDepositReceived({ ...DEPOSIT, actualDepositAmount });
  expect(`${notification.actualDepositAmount}`).toBe(digits);
});

test('a body with a field that is nested too deeply is refused as a whole, with the cause', () => {
  const more = JSON.parse(`${'['.repeat(9999)}${']'.repeat(9999)}`);
  const error = errorOf(safeParseDepositReceived({ ...DEPOSIT, more }));
  expect(error.issues).toMatchObject([{ code: 'not_an_object', path: [] }]);
  expect(error.cause).toBeInstanceOf(Error);
});

test('a parsed body may be as large as any other', () => {
  const body = { ...DEPOSIT, more: 'x'.repeat(64 * 1024) };
  expect(errorOf(safeParseDepositReceived(body)).issues[0].code).toBe('body_too_large');
});
