import { readFileSync } from 'node:fs';
import {
  type DepositReceived,
  notificationFromJSON,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { fixture, fixtures, ISSUE_CODES, parsedFixtures } from './fixtures.js';
import { deposit, FIELDS, refusalOf, revoked, withdrawal } from './wire.js';

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
    for (const form of [json, Buffer.from(json), JSON.parse(json)]) {
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

  test('may hold the longest plain digits that an amount has', () => {
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

describe('JSON of another version', () => {
  const lines = readFileSync(new URL('../fixtures/json/0.0.0.jsonl', import.meta.url), 'utf8');
  const stored = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  test.each(stored)('is read: $fixture', ({ fixture: name, notification }) => {
    const { body, expected } = fixture(name);
    // The words of a warning are those of the version that read the body.
    const { warnings } = notification;
    const read = { ...asJSON(PARSERS[expected.parser](body)), warnings };
    expect(notificationFromJSON(notification)).toStrictEqual(read);
    expect(notificationFromJSON(JSON.stringify(notification))).toStrictEqual(read);
  });

  const NOTHING: Record<string, unknown> = {
    additionalFields: {},
    warnings: [],
    txAddressOwner: { name: null, category: null, additionalFields: {} },
  };

  test.each([
    ['deposit', DEPOSIT],
    ['withdrawal', WITHDRAWAL],
  ])('of a %s may lack any key that is not required: it holds no value', (of, notification) => {
    const required = FIELDS.filter((field) => field.of === of && field.need === 'required');
    const isRequired = new Set(['type', ...required.map(({ name }) => name)]);
    for (const name of Object.keys(notification)) {
      const json = jsonOf(notification, { [name]: undefined });
      if (isRequired.has(name)) {
        expect(errorOf(json).issues[0].path).toStrictEqual([name]);
      } else {
        const expected = { ...notification, [name]: NOTHING[name] ?? null };
        expect(notificationFromJSON(json)).toStrictEqual(expected);
      }
    }
  });

  test('may lack parts of an address and of its owner', () => {
    const { raw } = WITHDRAWAL.toTxAddress ?? {};
    const json = jsonOf(WITHDRAWAL, { toTxAddress: { raw }, txAddressOwner: { name: 'a' } });
    expect(notificationFromJSON(json)).toStrictEqual({
      ...WITHDRAWAL,
      txAddressOwner: { name: 'a', category: null, additionalFields: {} },
    });
  });

  test('may have codes, fields and values that this version does not know', () => {
    const later = { ...WARNING, code: 'implausible_amount' };
    const json = jsonOf(DEPOSIT, { warnings: [later], rateType: 'CAPPED', memo: { of: 'later' } });
    const { rateType, additionalFields, warnings } = notificationFromJSON(json) as DepositReceived;
    expect(rateType).toBeNull();
    expect(additionalFields).toStrictEqual({ rateType: 'CAPPED', memo: { of: 'later' } });
    expect(warnings).toMatchObject([later, { code: 'unknown_value', path: ['rateType'] }]);
  });
});

describe('what is no JSON of a notification', () => {
  test.each([
    ['nothing', undefined, 'not_an_object'],
    ['null', null, 'not_an_object'],
    ['a number', 5, 'not_an_object'],
    ['a promise', Promise.resolve(), 'not_an_object'],
    ['a revoked proxy', revoked(), 'not_an_object'],
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
    [DEPOSIT, { additionalFields: [] }, 'wrong_type additionalFields'],
    [DEPOSIT, { warnings: [{ code: 'odd' }] }, 'wrong_type warnings'],
    [WITHDRAWAL, { status: 'FAILED', toTxAddress: {} }, 'wrong_type toTxAddress'],
    [DEPOSIT, { depositId: 'x' }, 'invalid_id depositId'],
    [DEPOSIT, { settlementAmount: '007' }, 'invalid_amount settlementAmount'],
    [DEPOSIT, { onChainFee: `0.${'0'.repeat(159)}` }, 'invalid_amount onChainFee'],
    [DEPOSIT, { network: 5 }, 'wrong_type network'],
    [DEPOSIT, { clientPaymentId: 'order-\ud800' }, 'wrong_type clientPaymentId'],
    [
      WITHDRAWAL,
      { deductedSettlementAmount: null, deducedSettlementAmount: 'x' },
      'invalid_amount deducedSettlementAmount',
    ],
    // The limit of an exponent holds before decimal.js rounds it down to nothing.
    [DEPOSIT, { settlementAmount: '1e-9000000000000001' }, 'invalid_amount settlementAmount'],
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
    [WITHDRAWAL, { txAddressOwner: 'x' }, 'wrong_type txAddressOwner'],
    [
      WITHDRAWAL,
      { txAddressOwner: { name: 'a', category: 'b', additionalFields: 1 } },
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
    const fields = { businessId: 5, transactionId: 6, txAddressOwner: 7, warnings: 8 };
    const { issues } = errorOf(jsonOf(WITHDRAWAL, fields));
    expect(issues.map(({ code, path }) => `${code} ${path.join('.')}`)).toStrictEqual([
      'wrong_type businessId',
      'wrong_type txAddressOwner',
      'wrong_type transactionId',
      'wrong_type warnings',
    ]);
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

test('a warning of foreign JSON is made printable: it may forge no line of a log', () => {
  const [{ received } = WARNING] = notificationFromJSON(
    jsonOf(DEPOSIT, { warnings: [{ ...WARNING, received: 'two\nlines' }] }),
  ).warnings;
  expect(received).toBe('two\\u000alines');
});

describe('an error about the JSON of a notification says what it should be', () => {
  test.each([
    ['{}', 'type: expected the type of a notification, received nothing'],
    [jsonOf(DEPOSIT, { network: 5 }), 'network: expected a non-empty string, received a number'],
    [jsonOf(DEPOSIT, { additionalFields: 1 }), 'additionalFields: expected an object, received 1'],
    [jsonOf(DEPOSIT, { warnings: 1 }), 'warnings: expected a list of issues, received 1'],
    [
      jsonOf(DEPOSIT, { settlementAmount: '-0.5' }),
      'settlementAmount: expected zero or more, received "-0.5"',
    ],
    [
      jsonOf(WITHDRAWAL, { toTxAddress: { raw: 'rA', address: 'rB' } }),
      'toTxAddress: expected the raw address with its two parts, received an object',
    ],
    [
      jsonOf(WITHDRAWAL, { txAddressOwner: 5 }),
      'txAddressOwner: expected an object with name and category, received a number',
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
