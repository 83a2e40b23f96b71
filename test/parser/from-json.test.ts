import { readFileSync } from 'node:fs';
import {
  isNotificationError,
  notificationFromJSON,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../fixtures/index.js';
import { deposit, FIELDS, refusalOf, withdrawal } from '../sample-bodies.js';

/** A notification's JSON, with some of its fields replaced. */
function jsonOf(notification: PaymentNotification, fields: Record<string, unknown> = {}): string {
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

// The fuzz reads the JSON of every notification that it meets: test/hostile.test.ts.
describe('a notification that went through JSON', () => {
  test('reaches a worker, as an error does: neither can be cloned', () => {
    expect(() => structuredClone(DEPOSIT)).toThrow('could not be cloned');
    expect(notificationFromJSON(structuredClone(jsonOf(DEPOSIT)))).toStrictEqual(DEPOSIT);
    const error = errorOf('{}');
    expect(isNotificationError(structuredClone(error))).toBe(false);
    expect(JSON.parse(JSON.stringify(error)).issues).toStrictEqual(error.issues);
  });

  test('keeps the longest plain digits that an amount has', () => {
    const onChainFee = `-${'9'.repeat(78)}e-155`;
    const notification = parseDepositReceived(deposit({ onChainFee }));
    expect(`${notification.onChainFee}`).toHaveLength(158);
    expect(notificationFromJSON(jsonOf(notification))).toStrictEqual(notification);
  });

  test('may be longer than a body, and read from bytes', () => {
    // JSON.stringify escapes a lone surrogate.
    const notification = parseDepositReceived(deposit({ x: `"${'\ud800'.repeat(20_000)}"` }));
    const json = jsonOf(notification);
    expect(json.length).toBeGreaterThan(100_000);
    expect(notificationFromJSON(Buffer.from(json))).toStrictEqual(notification);
  });

  test('has warnings of one printable line, whatever the JSON says', () => {
    const warnings = [{ ...WARNING, message: 'forged', received: 'two\nlines' }];
    const received = 'two\\u000alines';
    const message = `network: expected a non-empty string, received ${received}`;
    expect(notificationFromJSON(jsonOf(DEPOSIT, { warnings })).warnings).toStrictEqual([
      { ...WARNING, message, received },
    ]);
  });
});

describe('JSON of another version', () => {
  const lines = readFileSync(new URL('../../fixtures/json/1.0.0.jsonl', import.meta.url), 'utf8');
  const stored = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  test.each(stored)('is read: $id', ({ id, notification }) => {
    // A field may have been unknown to the version that read the body, and a warning may have had
    // other words.
    const { additionalFields, warnings } = notification;
    const today = parseNotification(fixture(id).body);
    const later = Object.keys(today).filter((key) => !Object.hasOwn(notification, key));
    const noValues = Object.fromEntries(later.map((key) => [key, null]));
    const read = { ...today, ...noValues, additionalFields, warnings };
    expect(notificationFromJSON(notification)).toStrictEqual(read);
    expect(notificationFromJSON(JSON.stringify(notification))).toStrictEqual(read);
  });

  const NOTHING: Record<string, unknown> = {
    additionalFields: {},
    warnings: [],
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

  test.each([
    { toTxAddress: { raw: 'rA?dt=1', address: 'rA', destinationTag: '1' } },
    { txAddressOwner: { name: 'x', additionalFields: { a: 'b' } } },
  ])('may have a field of a withdrawal in a deposit: %j', (additionalFields) => {
    const json = jsonOf(DEPOSIT, additionalFields);
    expect(notificationFromJSON(json)).toStrictEqual({ ...DEPOSIT, additionalFields });
  });

  test('may lack parts of an address and of its owner', () => {
    const { raw } = WITHDRAWAL.toTxAddress ?? {};
    const json = jsonOf(WITHDRAWAL, { toTxAddress: { raw }, txAddressOwner: { name: 'a' } });
    expect(notificationFromJSON(json)).toStrictEqual({
      ...WITHDRAWAL,
      txAddressOwner: { name: 'a', category: null, additionalFields: {} },
    });
    expect(notificationFromJSON(jsonOf(WITHDRAWAL, { toTxAddress: raw }))).toStrictEqual(
      WITHDRAWAL,
    );
  });

  test('may have codes, fields and values that this version does not know', () => {
    const later = { ...WARNING, code: 'implausible_amount' };
    const fields = { warnings: [later], rateType: 'CAPPED', later: 'new' };
    const json = jsonOf(DEPOSIT, { ...fields, additionalFields: { old: 1 } });
    expect(notificationFromJSON(json)).toMatchObject({
      rateType: null,
      additionalFields: { old: 1, rateType: 'CAPPED', later: 'new' },
      warnings: [later, { code: 'unknown_value', path: ['rateType'] }],
    });
  });
});

describe('JSON that is not of a notification is refused:', () => {
  test.each([
    ['nothing', undefined, 'not_an_object'],
    ['other text', '{', 'invalid_json'],
    ['over a megabyte', ' '.repeat(2 ** 20 + 1), 'body_too_large'],
    ['a body of the wire', deposit(), 'unrecognized_notification'],
    ['another type', jsonOf(DEPOSIT, { type: 'refund' }), 'unrecognized_notification'],
  ])('%s', (_, json, code) => {
    const { issues, notificationType } = errorOf(json);
    expect(issues.map((issue) => issue.code)).toStrictEqual([code]);
    expect(notificationType).toBeNull();
  });

  const ALONE = { raw: 'rA?dt=1', address: 'rA', destinationTag: null };
  const OTHERS = { name: 'a', category: 'b', additionalFields: 1 };

  test.each<[PaymentNotification, Record<string, unknown>, string]>([
    [DEPOSIT, { depositId: null }, 'missing_field depositId: null'],
    [DEPOSIT, { network: 5 }, 'wrong_type network: a number'],
    [DEPOSIT, { additionalFields: [] }, 'wrong_type additionalFields: an array'],
    [DEPOSIT, { warnings: ['odd'] }, 'wrong_type warnings: an array'],
    [DEPOSIT, { warnings: [{ ...WARNING, path: 'network' }] }, 'wrong_type warnings: an array'],
    [DEPOSIT, { warnings: [{ ...WARNING, received: 5 }] }, 'wrong_type warnings: an array'],
    [WITHDRAWAL, { status: 'FAILED', toTxAddress: {} }, 'wrong_type toTxAddress: an object'],
    [WITHDRAWAL, { toTxAddress: ALONE }, 'invalid_tx_address toTxAddress: an object'],
    [
      WITHDRAWAL,
      { status: 'FAILED', toTxAddress: '?dt=1' },
      'invalid_tx_address toTxAddress: a tag without an address',
    ],
    [
      WITHDRAWAL,
      { txAddressOwner: OTHERS },
      'wrong_type txAddressOwner.additionalFields: a number',
    ],
    [WITHDRAWAL, { txAddressOwner: { name: 5 } }, 'wrong_type txAddressOwner.name: a number'],
  ])('for a fault of a field, which is named once: %#', (notification, fields, fault) => {
    const { issues, reference } = errorOf(jsonOf(notification, fields));
    const faults = issues.map(
      ({ code, path, received }) => `${code} ${path.join('.')}: ${received}`,
    );
    expect(faults).toStrictEqual([fault]);
    expect(Object.keys(reference).length).toBeGreaterThan(0);
  });

  test('with everything that is wrong', () => {
    const toTxAddress = { raw: 'rA', address: 'rB' };
    const fields = { toTxAddress, txAddressOwner: 7, transactionId: 6, additionalFields: 5 };
    const { issues } = errorOf(jsonOf(WITHDRAWAL, { ...fields, businessId: 4, warnings: 3 }));
    expect(issues.map(({ message }) => message)).toStrictEqual([
      'businessId: expected a UUID, received a number',
      'txAddressOwner: expected an object with name and category, received a number',
      'transactionId: expected a non-empty string, received a number',
      'toTxAddress: expected the raw address with its two parts, received an object',
      'additionalFields: expected an object, received a number',
      'warnings: expected a list of issues, received a number',
    ]);
  });

  test('without a type, and the parser named that reads a body', () => {
    expect(errorOf(deposit()).issues[0].message).toBe(
      'type: expected the type of a notification, received nothing. Parse the body of a callback with parseNotification',
    );
  });

  test.each([
    ['deposit.refunded', '"deposit.refunded"'],
    ['Jane.doe', 'a string of length 8'],
    ['jane.doe@example.com', 'a string of length 20'],
  ])('with the type %s', (type, received) => {
    expect(errorOf(JSON.stringify({ type })).issues[0].received).toBe(
      `${received}. Parse the body of a callback with parseNotification`,
    );
  });
});
