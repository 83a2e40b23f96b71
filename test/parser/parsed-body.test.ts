import {
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  type RawBody,
  safeParseDepositReceived,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import {
  deposit,
  errorOf,
  FIELDS,
  issuesOf,
  messagesOf,
  read,
  revoked,
  withdrawal,
} from '../sample-bodies.js';

const DEPOSIT = JSON.parse(deposit());
const WITHDRAWAL = JSON.parse(withdrawal());

test.each([
  ['a parsed object', WITHDRAWAL],
  ['a frozen object', Object.freeze({ ...WITHDRAWAL })],
  ['an object without a prototype', Object.assign(Object.create(null), WITHDRAWAL)],
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

const PARSED = {
  code: 'parsed_body',
  path: [],
  message:
    'body: expected the raw text or bytes, received a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body',
  expected: 'the raw text or bytes',
  received: 'a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body',
};

// The fixture parsed/rounded-amounts has several numbers, and another warning.
describe('the warning about numbers', () => {
  const AMOUNTS = FIELDS.filter(({ kind }) => kind === 'amount');
  const strings = Object.fromEntries(AMOUNTS.map(({ name }) => [name, '"1"']));

  test.each(AMOUNTS)('is given once if $name of a $of is one', ({ of, name }) => {
    const [parse, make] =
      of === 'deposit'
        ? [safeParseDepositReceived, deposit]
        : [safeParseWithdrawalBroadcast, withdrawal];
    const warningsOf = (body: unknown) => issuesOf(parse(body as RawBody));
    const object = JSON.parse(make(strings));
    expect(warningsOf({ ...object, [name]: 1 })).toStrictEqual([PARSED]);
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

  test('is not given for a time or an unknown number', () => {
    const body = { ...JSON.parse(deposit(strings)), expirationTime: 1790003600, unknown: 0.1 };
    expect(read(safeParseDepositReceived(body)).warnings).toStrictEqual([]);
  });
});

const LOOP: Record<string, unknown> = {};
LOOP.loop = LOOP;

const fails = () => {
  throw new Error('boom');
};

describe('a field is read as JSON.stringify writes it:', () => {
  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['undefined', undefined],
  ])('%s is left out', (_, value) => {
    const body = { ...DEPOSIT, network: value, rateType: value, more: value, withdrawalId: value };
    expect(parseNotification(body)).toMatchObject({
      ...{ type: 'deposit.received', network: null, rateType: null, warnings: [PARSED] },
      additionalFields: {},
    });
    expect(parseDepositReceived(body).additionalFields).toStrictEqual({});
  });

  test('a date is a time, and an unknown number the text of its digits', () => {
    const body = {
      ...DEPOSIT,
      expirationTime: new Date(1790003600000),
      more: [1e21, -0.5],
      'a "b"': 5,
    };
    expect(read(safeParseDepositReceived(body))).toMatchObject({
      expirationTime: new Date(1790003600000),
      additionalFields: { more: ['1e+21', '-0.5'], 'a "b"': '5' },
    });
  });

  test('what JSON has no number for is text, with every digit', () => {
    const more = [Number.NaN, Number.POSITIVE_INFINITY, { a: Number.NEGATIVE_INFINITY, b: 5n }];
    const body = { ...DEPOSIT, actualDepositAmount: 12345678901234567890n, more };
    const { actualDepositAmount, additionalFields } = read(safeParseDepositReceived(body));
    expect(`${actualDepositAmount}`).toBe('12345678901234567890');
    expect(additionalFields).toStrictEqual({
      more: ['NaN', 'Infinity', { a: '-Infinity', b: '5' }],
    });
    const refused = errorOf(safeParseDepositReceived({ ...DEPOSIT, settlementAmount: 1 / 0 }));
    expect(refused.issues).toMatchObject([{ code: 'invalid_amount', path: ['settlementAmount'] }]);
  });

  test.each<[string, object]>([
    ['contains itself', LOOP],
    ['has a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: fails })],
    ['is a proxy that was revoked', revoked()],
    ['is nested too deeply', JSON.parse(`${'['.repeat(9999)}${']'.repeat(9999)}`)],
  ])('one that %s counts as an empty object', (_, value) => {
    const body = { ...DEPOSIT, network: value, more: value };
    const empty = { ...DEPOSIT, network: {}, more: {} };
    expect(parseDepositReceived(body)).toStrictEqual(parseDepositReceived(empty));
    expect(parseDepositReceived(body).additionalFields).toStrictEqual({ network: {}, more: {} });
    const refused = errorOf(safeParseDepositReceived({ ...DEPOSIT, clientPaymentId: value }));
    expect(refused.issues).toMatchObject([{ path: ['clientPaymentId'], received: 'an object' }]);
  });

  test('an object that writes itself, except for the body', () => {
    const writesItself = { toJSON: () => ({ name: 'x', category: 'y' }) };
    const body = { ...WITHDRAWAL, txAddressOwner: writesItself, toJSON: () => 'z' };
    const { txAddressOwner, additionalFields } = parseWithdrawalBroadcast(body);
    expect(txAddressOwner).toStrictEqual({ name: 'x', category: 'y', additionalFields: {} });
    expect(additionalFields).toStrictEqual({});
  });
});
