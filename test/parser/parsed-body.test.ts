import {
  parseDepositReceived,
  parseWithdrawalBroadcast,
  type RawBody,
  safeParseDepositReceived,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  deposit,
  errorOf,
  FIELDS,
  issuesOf,
  messagesOf,
  read,
  withdrawal,
} from '../sample-bodies.js';

const DEPOSIT = JSON.parse(deposit());
const WITHDRAWAL = JSON.parse(withdrawal());

test.each([
  ['a parsed object', WITHDRAWAL],
  ['a frozen object', Object.freeze({ ...WITHDRAWAL })],
  ['an object without a prototype', Object.assign(Object.create(null), WITHDRAWAL)],
  ['an object with methods', { ...WITHDRAWAL, toJSON: () => 'x', toString: () => 'y' }],
])('a body may be %s whose amounts are strings, and has no warning then', (_, body) => {
  expect(parseWithdrawalBroadcast(body)).toStrictEqual(parseWithdrawalBroadcast(withdrawal()));
});

test('a body has only its own fields', () => {
  const { depositId, ...own } = DEPOSIT;
  const body = Object.assign(Object.create({ depositId }), own);
  expect(messagesOf(safeParseDepositReceived(body))).toStrictEqual([
    'depositId: expected a UUID, received nothing',
  ]);
});

// The fixture parsed/rounded-amounts has the message, several numbers and another warning.
describe('the warning about numbers', () => {
  const PARSED = { code: 'parsed_body', path: [] };
  const AMOUNTS = FIELDS.filter(({ kind }) => kind === 'amount');
  const strings = Object.fromEntries(AMOUNTS.map(({ name }) => [name, '"1"']));

  test.each(AMOUNTS)('is given once if $name of a $of is one', ({ of, name }) => {
    const [parse, make] =
      of === 'deposit'
        ? [safeParseDepositReceived, deposit]
        : [safeParseWithdrawalBroadcast, withdrawal];
    const warningsOf = (body: unknown) => issuesOf(parse(body as RawBody));
    const object = JSON.parse(make(strings));
    expect(warningsOf({ ...object, [name]: 1 })).toMatchObject([PARSED]);
    expect(warningsOf({ ...object, [name]: '1' })).toStrictEqual([]);
    expect(warningsOf(make({ ...strings, [name]: '1' }))).toStrictEqual([]);
  });

  test('comes first, and is given for one that could not be read', () => {
    const faults = { expectedDepositAmount: 'x', displayServiceFee: 1e300, onChainFee: Number.NaN };
    const body = { ...JSON.parse(deposit(strings)), ...faults };
    expect(read(safeParseDepositReceived(body)).warnings).toMatchObject([
      PARSED,
      { code: 'invalid_amount', path: ['expectedDepositAmount'] },
      { code: 'invalid_amount', path: ['displayServiceFee'], received: '1e+300' },
      { code: 'invalid_amount', path: ['onChainFee'], received: 'a string of length 3' },
    ]);
  });

  test('is given for a number that is in conflict with the other spelling', () => {
    const body = { ...WITHDRAWAL, deducedSettlementAmount: 250.32 };
    expect(read(safeParseWithdrawalBroadcast(body)).warnings).toMatchObject([
      PARSED,
      { code: 'conflicting_fields' },
    ]);
  });

  test('is not given for a time or an unknown number', () => {
    const body = { ...JSON.parse(deposit(strings)), expirationTime: 1790003600, unknown: 0.1 };
    expect(read(safeParseDepositReceived(body)).warnings).toStrictEqual([]);
  });
});

describe('a field is read as JSON.stringify writes it:', () => {
  test('a function or a symbol is left out', () => {
    for (const value of [() => 1, Symbol('x'), undefined]) {
      const { network, additionalFields } = parseDepositReceived({
        ...DEPOSIT,
        ...{ network: value, more: value },
      });
      expect({ network, additionalFields }).toStrictEqual({ network: null, additionalFields: {} });
    }
  });

  test('a date is a time, and a number without a rule is the text of its digits', () => {
    const expirationTime = new Date(1790003600000);
    const body = { ...DEPOSIT, expirationTime, more: [1e21, -0.5], 'a "b"': 5 };
    expect(read(safeParseDepositReceived(body))).toMatchObject({
      expirationTime,
      additionalFields: { more: ['1e+21', '-0.5'], 'a "b"': '5' },
    });
  });

  test('what JSON has no number for is text, with every digit', () => {
    const more = [Number.NaN, Number.POSITIVE_INFINITY, { a: Number.NEGATIVE_INFINITY, b: 5n }];
    const { additionalFields } = parseDepositReceived({ ...DEPOSIT, more });
    expect(additionalFields).toStrictEqual({
      more: ['NaN', 'Infinity', { a: '-Infinity', b: '5' }],
    });
    const refused = errorOf(safeParseDepositReceived({ ...DEPOSIT, settlementAmount: 1 / 0 }));
    expect(refused.issues).toMatchObject([{ code: 'invalid_amount', path: ['settlementAmount'] }]);
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
});

const LOOP: Record<string, unknown> = {};
LOOP.loop = LOOP;

test.each<[string, unknown]>([
  ['contains itself', LOOP],
  ['is nested too deeply', JSON.parse(`${'['.repeat(9999)}${']'.repeat(9999)}`)],
])('a body with a field that %s is refused as a whole, with the cause', (_, more) => {
  const error = errorOf(safeParseDepositReceived({ ...DEPOSIT, more }));
  expect(error.issues).toMatchObject([{ code: 'not_an_object', path: [] }]);
  expect(error.cause).toBeInstanceOf(Error);
});

test('a parsed body may be as large as any other', () => {
  const body = { ...DEPOSIT, more: 'x'.repeat(64 * 1024) };
  expect(errorOf(safeParseDepositReceived(body)).issues[0].code).toBe('body_too_large');
});
