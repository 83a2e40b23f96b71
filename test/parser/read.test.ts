import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { openBody } from '../../src/parser/body.js';
import { DEPOSIT_RECEIVED, type DepositReceived } from '../../src/parser/deposit-received.js';
import type { Fields } from '../../src/parser/objects.js';
import { notificationReader, type Reading } from '../../src/parser/read.js';
import { expected, object, optional, type RulesOf, required } from '../../src/parser/rules.js';
import { amount, type Decimal } from '../../src/parser/values/amount.js';
import { nonEmptyText, uuid } from '../../src/parser/values/text.js';
import { txAddress } from '../../src/parser/values/tx-address.js';
import {
  NOT_COMPLETED,
  WITHDRAWAL_BROADCAST,
  type WithdrawalFailed,
} from '../../src/parser/withdrawal-broadcast.js';
import { deposit, read, withdrawal } from '../sample-bodies.js';

test('the compiler finds a rule that contradicts the interface', () => {
  const { network: _, ...withoutNetwork } = DEPOSIT_RECEIVED;
  const { status: _status, ...withdrawal } = WITHDRAWAL_BROADCAST;
  type Failed = RulesOf<Omit<WithdrawalFailed, 'status'>>;
  const faulty: readonly RulesOf<DepositReceived>[] = [
    // @ts-expect-error: a field that the interface doesn't have.
    { ...DEPOSIT_RECEIVED, netwrok: optional(nonEmptyText) },
    // @ts-expect-error: a field without a rule.
    withoutNetwork,
    // @ts-expect-error: a required field that may be null.
    { ...DEPOSIT_RECEIVED, depositId: optional(uuid) },
    // @ts-expect-error: the same, with a warning.
    { ...DEPOSIT_RECEIVED, depositId: expected(uuid) },
    // @ts-expect-error: a field that may be null can't be required.
    { ...DEPOSIT_RECEIVED, network: required(nonEmptyText) },
    // @ts-expect-error: an amount read as text.
    { ...DEPOSIT_RECEIVED, onChainFee: optional(nonEmptyText) },
  ];
  const exceptions: readonly (typeof NOT_COMPLETED)[] = [
    // @ts-expect-error: an exception for a field that is never null.
    { ...NOT_COMPLETED, withdrawalId: expected(uuid) },
    // @ts-expect-error: an exception that refuses what may be null.
    { ...NOT_COMPLETED, toTxAddress: required(txAddress) },
    // @ts-expect-error: without one of the exceptions.
    (({ toTxAddress: _, ...others }) => others)(NOT_COMPLETED),
  ];
  const merged: readonly Failed[] = [
    { ...withdrawal, ...NOT_COMPLETED },
    // @ts-expect-error: without the exception.
    withdrawal,
    // @ts-expect-error: with one that the type of the exceptions would allow.
    { ...withdrawal, ...NOT_COMPLETED, withdrawalId: expected(uuid) },
  ];
  const nested: RulesOf<{ readonly owner: { readonly amount: Decimal } | null }> = {
    // @ts-expect-error: a nested field that is required.
    owner: optional(object({ amount: required(amount('number')) }, 'an owner')),
  };
  expect([faulty, exceptions, merged, nested].flat()).toHaveLength(13);
});

interface Refund {
  readonly type: 'refund';
  readonly amount: Decimal | null;
  readonly payee: Payee | null;
  readonly additionalFields: Fields;
}

interface Payee {
  readonly amount: Decimal | null;
  readonly additionalFields: Fields;
}

const PAYEE: RulesOf<Payee> = { amount: optional(amount('number')) };

const REFUND: RulesOf<Refund> = {
  amount: optional(amount('number')),
  payee: expected(object(PAYEE, 'a payee')),
};

function readRefund(text: string): Reading<Refund> {
  const body = openBody(text);
  if (body.fields === null) throw new Error('not opened');
  return notificationReader<Refund>('refund', REFUND)(body);
}

test('an amount of a nested object is read to the digit, and its unknown fields as sent', () => {
  const body = '{"payee":{"amount":0.12345678901234567890,"later":[1.50]},"amount":1e-20}';
  const { issues, notification } = readRefund(body);
  expect(issues).toStrictEqual([]);
  // As text, because the fields have the order of the rules.
  expect(JSON.stringify(notification)).toBe(
    '{"type":"refund","amount":"0.00000000000000000001","payee":{"amount":"0.1234567890123456789","additionalFields":{"later":["1.50"]}},"additionalFields":{},"warnings":[]}',
  );
});

test('an unreadable field of a nested object is not taken for one of the object around it', () => {
  const { notification } = readRefund('{"payee":{"amount":[]},"amount":1}');
  expect(notification.additionalFields).toStrictEqual({});
  expect(notification.payee?.additionalFields).toStrictEqual({ amount: [] });
});

describe('a field that is nested deeply', () => {
  /** Arrays and objects, in turn. */
  const nested = (levels: number): string =>
    `${'[{"a":'.repeat(levels / 2)}${levels % 2 ? '[]' : '1'}${'}]'.repeat(levels / 2)}`;
  const leftOut = (path: string, name: string) =>
    `${path}: expected fields of at most 1000 levels of nesting, received more in ${name}. The field is left out`;
  const messages = ({ warnings }: { warnings: readonly { message: string }[] }) =>
    warnings.map(({ message }) => message);

  test.each([1000, 1001, 10_000])('by %s levels costs no digit and no notification', (levels) => {
    const body = deposit({ deep: nested(levels), also: '1.50', actualDepositAmount: '1e-18' });
    const notification = read(safeParseDepositReceived(body));
    expect(notification.actualDepositAmount.toString()).toBe('0.000000000000000001');
    const isKept = levels === 1000;
    const names = isKept ? ['deep', 'also'] : ['also'];
    expect(Object.keys(notification.additionalFields)).toStrictEqual(names);
    expect(messages(notification)).toStrictEqual(isKept ? [] : [leftOut('body', '"deep"')]);
    for (const { code } of notification.warnings) expect(code).toBe('wrong_type');
  });

  test('is left out if it is documented, or of an owner', () => {
    const txAddressOwner = `{"name":"x","category":"y","risk":${nested(1001)}}`;
    const body = withdrawal({ transactionId: nested(1002), txAddressOwner });
    const notification = read(safeParseWithdrawalBroadcast(body));
    expect(messages(notification)).toStrictEqual([
      leftOut('txAddressOwner', '"risk"'),
      'transactionId: expected a non-empty string, received an array',
      leftOut('body', '"transactionId"'),
    ]);
    expect(notification).toMatchObject({ transactionId: null, additionalFields: {} });
  });

  test.each([
    ['risk_Score', '"risk_Score"'],
    ['rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY', 'a string of length 34'],
    ['Alice Example', 'a string of length 13'],
    ['x'.repeat(41), 'a string of length 41'],
  ])('is quoted by its name only if that looks like one: %s', (name, received) => {
    const body = deposit({ [name]: nested(1001) });
    expect(messages(read(safeParseDepositReceived(body)))).toStrictEqual([
      leftOut('body', received),
    ]);
  });
});
