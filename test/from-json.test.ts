import {
  notificationFromJSON,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { ISSUE_CODES } from './codes.js';
import { fixtures, parsedFixtures } from './fixtures.js';
import { deposit, refusalOf, revoked, withdrawal } from './wire.js';

const PARSERS = { parseDepositReceived, parseWithdrawalBroadcast, parseNotification };

/** What JSON holds of the fields that are passed on as they are: Infinity is null there. */
function asJSON(notification: PaymentNotification): PaymentNotification {
  const additionalFields = JSON.parse(JSON.stringify(notification.additionalFields));
  return { ...notification, additionalFields };
}

/** A notification's JSON, with some of its fields replaced. */
function jsonOf(notification: PaymentNotification, fields: Record<string, unknown>): string {
  return JSON.stringify({ ...JSON.parse(JSON.stringify(notification)), ...fields });
}

const DEPOSIT = parseDepositReceived(deposit());
const WITHDRAWAL = parseWithdrawalBroadcast(withdrawal());

const WARNING = {
  code: 'wrong_type',
  path: ['network'],
  message: 'network: expected a non-empty string, received a number',
  expected: 'a non-empty string',
  received: 'a number',
};

const errorOf = (json: unknown) => refusalOf(() => notificationFromJSON(json));

describe('a notification that went through JSON', () => {
  const read = [...fixtures, ...parsedFixtures].filter(({ expected }) => expected.notification);
  test.each(read)('is the same as before: $name', ({ name, body, expected }) => {
    const given = name.startsWith('parsed/') ? JSON.parse(body.toString()) : body;
    const notification = PARSERS[expected.parser](given);
    const json = JSON.stringify(notification);
    for (const form of [json, Buffer.from(json), JSON.parse(json), notification]) {
      expect(notificationFromJSON(form)).toStrictEqual(asJSON(notification));
    }
    expect(JSON.stringify(notificationFromJSON(json))).toBe(json);
  });

  test('keeps an identifier that looks like a number', () => {
    const notification = parseDepositReceived(deposit({ clientPaymentId: '"0010042.50"' }));
    expect(notificationFromJSON(JSON.stringify(notification))).toStrictEqual(notification);
    const other = parseDepositReceived(deposit({ clientPaymentId: '"10042"' }));
    expect(notificationFromJSON(JSON.stringify(other))).toStrictEqual(other);
  });

  test('may hold an amount whose plain digits are longer than any literal may be', () => {
    for (const sign of ['-', '']) {
      const literal = `${sign}${'9'.repeat(78)}e-155`;
      const notification = parseDepositReceived(deposit({ onChainFee: literal }));
      expect(`${notification.onChainFee}`).toHaveLength(157 + sign.length);
      expect(notificationFromJSON(JSON.stringify(notification))).toStrictEqual(notification);
    }
  });

  test('may be longer than a body', () => {
    const notification = parseDepositReceived(
      deposit({ x: `[${Array.from({ length: 12_000 }, () => '1e20').join(',')}]` }),
    );
    const json = JSON.stringify(notification);
    expect(json.length).toBeGreaterThan(250_000);
    expect(notificationFromJSON(json)).toStrictEqual(notification);
  });

  test('keeps additional fields that are named like those of a notification', () => {
    const names = { type: '1', warnings: '2', additionalFields: '3', __proto: '4' };
    const body = deposit(names).replace('__proto', '__proto__');
    const notification = parseDepositReceived(body);
    expect(notificationFromJSON(JSON.stringify(notification))).toStrictEqual(notification);
    expect(Object.keys(notification.additionalFields)).toContain('__proto__');
  });

  test('takes a field that only a later version knows for an additional one', () => {
    const json = jsonOf(DEPOSIT, { memo: 'new', additionalFields: { old: 1 } });
    expect(notificationFromJSON(json).additionalFields).toStrictEqual({ memo: 'new', old: 1 });
  });
});

describe('what is no JSON of a notification', () => {
  test.each([
    ['nothing', undefined, 'not_an_object'],
    ['null', null, 'not_an_object'],
    ['a number', 5, 'not_an_object'],
    ['a BigInt inside', { type: 1n }, 'not_an_object'],
    ['a cycle', cycle(), 'not_an_object'],
    ['a promise', Promise.resolve(), 'not_an_object'],
    ['a revoked proxy', revoked(), 'not_an_object'],
    ['a toJSON that throws', { toJSON: fails }, 'not_an_object'],
    ['text that is no JSON', '{', 'invalid_json'],
    ['bytes that are no UTF-8', new Uint8Array([0xff]), 'invalid_json'],
    ['bytes that are no JSON', new ArrayBuffer(3), 'invalid_json'],
    ['a list', [DEPOSIT], 'not_an_object'],
    ['over a megabyte', ' '.repeat(2 ** 20 + 1), 'body_too_large'],
    ['a body of the wire', deposit(), 'unrecognized_notification'],
    ['another type', jsonOf(DEPOSIT, { type: 'refund' }), 'unrecognized_notification'],
  ])('is refused: %s', (_, json, code) => {
    const { issues, notificationType } = errorOf(json);
    expect(issues.map((issue) => issue.code)).toStrictEqual([code]);
    expect(notificationType).toBeNull();
  });

  test.each([
    [DEPOSIT, { depositId: null }, 'missing_field depositId'],
    [DEPOSIT, { actualDepositAmount: '1,5' }, 'invalid_amount actualDepositAmount'],
    [DEPOSIT, { onChainFee: 'x' }, 'invalid_amount onChainFee'],
    [DEPOSIT, { expirationTime: 'x' }, 'invalid_timestamp expirationTime'],
    [DEPOSIT, { additionalFields: null }, 'wrong_type additionalFields'],
    [DEPOSIT, { additionalFields: [] }, 'wrong_type additionalFields'],
    [DEPOSIT, { warnings: undefined }, 'wrong_type warnings'],
    [DEPOSIT, { warnings: [{ code: 'odd' }] }, 'wrong_type warnings'],
    [DEPOSIT, { warnings: [{ ...WARNING, path: ['x'.repeat(301)] }] }, 'wrong_type warnings'],
    [DEPOSIT, { onChainFee: undefined }, 'missing_field onChainFee'],
    [DEPOSIT, { network: '' }, 'missing_field network'],
    [WITHDRAWAL, { status: 'FAILED', toTxAddress: {} }, 'missing_field toTxAddress'],
    [DEPOSIT, { depositId: 'x' }, 'invalid_id depositId'],
    [DEPOSIT, { settlementAmount: '007' }, 'invalid_amount settlementAmount'],
    [DEPOSIT, { onChainFee: `0.${'0'.repeat(159)}` }, 'invalid_amount onChainFee'],
    [
      WITHDRAWAL,
      { deductedSettlementAmount: null, deducedSettlementAmount: 'x' },
      'invalid_amount deducedSettlementAmount',
    ],
    // The limit of an exponent holds before decimal.js rounds it down to nothing.
    [DEPOSIT, { settlementAmount: '1e-9000000000000001' }, 'invalid_amount settlementAmount'],
    [WITHDRAWAL, { toTxAddress: 'rAddress' }, 'invalid_tx_address toTxAddress'],
    [WITHDRAWAL, { toTxAddress: null }, 'missing_field toTxAddress'],
    [
      WITHDRAWAL,
      { toTxAddress: { raw: 'rA?dt=1', address: 'rB', destinationTag: '1' } },
      'invalid_tx_address toTxAddress',
    ],
    [
      WITHDRAWAL,
      { toTxAddress: { raw: 'rA?dt=1', address: 'rA', destinationTag: null } },
      'invalid_tx_address toTxAddress',
    ],
    [WITHDRAWAL, { txAddressOwner: null }, 'wrong_type txAddressOwner'],
    [WITHDRAWAL, { txAddressOwner: 'x' }, 'wrong_type txAddressOwner'],
    [
      WITHDRAWAL,
      { txAddressOwner: { name: 'a', additionalFields: {} } },
      'missing_field txAddressOwner.category',
    ],
    [
      WITHDRAWAL,
      { txAddressOwner: { name: 'a', category: 'b' } },
      'wrong_type txAddressOwner.additionalFields',
    ],
    [
      WITHDRAWAL,
      { txAddressOwner: { name: 5, category: 'b', additionalFields: {} } },
      'wrong_type txAddressOwner.name',
    ],
  ])('is refused for what is wrong, once: %#', (notification, fields, expected) => {
    const { issues, reference } = errorOf(jsonOf(notification, fields));
    expect(issues.map(({ code, path }) => `${code} ${path.join('.')}`)).toStrictEqual([expected]);
    expect(Object.keys(reference).length).toBeGreaterThan(0);
  });

  test('is refused with everything that is wrong', () => {
    const fields = { businessId: 5, transactionId: '', txAddressOwner: null, warnings: 5 };
    const { issues } = errorOf(jsonOf(WITHDRAWAL, fields));
    expect(issues.map(({ code, path }) => `${code} ${path.join('.')}`)).toStrictEqual([
      'wrong_type businessId',
      'missing_field transactionId',
      'wrong_type warnings',
      'wrong_type txAddressOwner',
    ]);
  });

  test('has no field that every object inherits', () => {
    const inherited = Object.defineProperty(Object.prototype, 'onChainFee', {
      value: '7',
      configurable: true,
      writable: true,
    });
    try {
      const { issues } = errorOf(jsonOf(DEPOSIT, { onChainFee: undefined }));
      expect(issues.map(({ message }) => message)).toStrictEqual([
        'onChainFee: expected a value or null, received nothing',
      ]);
    } finally {
      Reflect.deleteProperty(inherited, 'onChainFee');
    }
  });

  test("calls no message function of the host's", () => {
    v.setGlobalMessage(() => {
      throw new Error('called');
    });
    try {
      expect(errorOf(jsonOf(DEPOSIT, { warnings: 5 })).issues).toHaveLength(1);
    } finally {
      v.deleteGlobalMessage();
    }
  });
});

test('a notification keeps warnings, their sentences made anew', () => {
  const json = jsonOf(DEPOSIT, { warnings: [{ ...WARNING, message: 'forged' }] });
  expect(notificationFromJSON(json).warnings).toStrictEqual([WARNING]);
});

test('an exhausted stack is no fault of the JSON', () => {
  const json = {
    toJSON: () => {
      throw new RangeError('Maximum call stack size exceeded');
    },
  };
  expect(() => notificationFromJSON(json)).toThrow(RangeError);
});

function fails(): never {
  throw new Error('boom');
}

function cycle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

test('a warning of foreign JSON is made printable: it may forge no line of a log', () => {
  const [{ received } = WARNING] = notificationFromJSON(
    jsonOf(DEPOSIT, { warnings: [{ ...WARNING, received: 'two\nlines' }] }),
  ).warnings;
  expect(received).toBe('two\\u000alines');
});

describe('an error about the JSON of a notification says what it should be', () => {
  const cyclic: Record<string, unknown> = { ...JSON.parse(JSON.stringify(DEPOSIT)) };
  cyclic.additionalFields = cyclic;
  test.each([
    ['{}', 'type: expected the type of a notification, received nothing'],
    [cyclic, 'body: expected the JSON of a notification, received a value that JSON can not hold'],
    [
      jsonOf(DEPOSIT, { network: undefined }),
      'network: expected a value or null, received nothing',
    ],
    [jsonOf(DEPOSIT, { network: 5 }), 'network: expected a non-empty string, received a number'],
    [jsonOf(DEPOSIT, { additionalFields: 1 }), 'additionalFields: expected an object, received 1'],
    [jsonOf(DEPOSIT, { warnings: 1 }), 'warnings: expected a list of issues, received 1'],
    [
      jsonOf(DEPOSIT, { settlementAmount: '-0.5' }),
      'settlementAmount: expected zero or more, received "-0.5"',
    ],
    [
      jsonOf(WITHDRAWAL, { toTxAddress: 'rAddress' }),
      'toTxAddress: expected the raw address with its two parts, received a string of length 8',
    ],
    [
      jsonOf(WITHDRAWAL, { txAddressOwner: null }),
      'txAddressOwner: expected an object, received null',
    ],
    [
      jsonOf(WITHDRAWAL, { txAddressOwner: { category: 'b', additionalFields: {} } }),
      'txAddressOwner.name: expected a value or null, received nothing',
    ],
  ])('%#: %s', (json, message) => {
    const { issues } = errorOf(json);
    expect(issues.map((issue) => issue.message)).toStrictEqual([message]);
    const [where = ''] = message.split(':');
    expect(issues[0].path).toStrictEqual(where === 'body' ? [] : where.split('.'));
  });

  test('and takes warnings of every code', () => {
    const warnings = ISSUE_CODES.map((code) => ({ ...WARNING, code }));
    const copy = notificationFromJSON(jsonOf(DEPOSIT, { warnings }));
    expect(copy.warnings.map(({ code }) => code)).toStrictEqual(ISSUE_CODES);
  });
});
