import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { DEPOSIT_RECEIVED, type DepositReceived } from '../../src/parser/deposit-received.js';
import { expected, object, optional, type RulesOf, required } from '../../src/parser/rules.js';
import { amount, type Decimal } from '../../src/parser/values/amount.js';
import { nonEmptyText, uuid } from '../../src/parser/values/text.js';
import {
  NOT_COMPLETED,
  WITHDRAWAL_BROADCAST,
  type WithdrawalFailed,
} from '../../src/parser/withdrawal-broadcast.js';
import { deposit, read, withdrawal } from '../sample-bodies.js';

test('the compiler finds a rule that contradicts the interface', () => {
  const { network: _, ...withoutNetwork } = DEPOSIT_RECEIVED;
  const deposits: readonly RulesOf<DepositReceived>[] = [
    // @ts-expect-error: a field that the interface doesn't have.
    { ...DEPOSIT_RECEIVED, netwrok: optional(nonEmptyText) },
    // @ts-expect-error: a field without a rule.
    withoutNetwork,
    // @ts-expect-error: a required field that may be null.
    { ...DEPOSIT_RECEIVED, depositId: optional(uuid) },
    // @ts-expect-error: a field that may be null can't be required.
    { ...DEPOSIT_RECEIVED, network: required(nonEmptyText) },
    // @ts-expect-error: an amount read as text.
    { ...DEPOSIT_RECEIVED, onChainFee: optional(nonEmptyText) },
  ];
  const { status: _status, ...rules } = WITHDRAWAL_BROADCAST;
  const { toTxAddress: _address, ...withoutAddress } = NOT_COMPLETED;
  const failed: readonly RulesOf<Omit<WithdrawalFailed, 'status'>>[] = [
    { ...rules, ...NOT_COMPLETED },
    // @ts-expect-error: without the exception for an address.
    { ...rules, ...withoutAddress },
    // @ts-expect-error: an exception for a field that is never null.
    { ...rules, ...NOT_COMPLETED, withdrawalId: expected(uuid) },
  ];
  const nested: RulesOf<{ readonly owner: { readonly amount: Decimal } | null }> = {
    // @ts-expect-error: a nested field that is required.
    owner: optional(object({ amount: required(amount('number')) }, 'an owner')),
  };
  expect([...deposits, ...failed, nested]).toHaveLength(9);
});

describe('a field that is nested deeply', () => {
  /** Arrays and objects, in turn. */
  const nested = (levels: number): string =>
    `${'[{"a":'.repeat(levels / 2)}${levels % 2 ? '[]' : '1'}${'}]'.repeat(levels / 2)}`;
  const leftOut = (path: string, name: string) =>
    `${path}: expected fields of at most 1000 levels of nesting, received more in ${name}. The field is left out`;
  const messages = ({ warnings }: { warnings: readonly { message: string }[] }) =>
    warnings.map(({ message }) => message);

  test.each([1000, 1001])('by %s levels costs no digit and no notification', (levels) => {
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

test('a notification has the order of the rules, and ends with its faults', () => {
  const names = Object.keys(read(safeParseDepositReceived(deposit({ extra: '1' }))));
  const rules = Object.keys(DEPOSIT_RECEIVED);
  expect(names).toStrictEqual(['type', ...rules, 'additionalFields', 'warnings']);
});

test('a field of an owner is not taken for one of the withdrawal', () => {
  const txAddressOwner = '{"name":[],"category":"x","displayFee":1.50}';
  const notification = read(
    safeParseWithdrawalBroadcast(withdrawal({ txAddressOwner, displayFee: '"2"' })),
  );
  expect(`${notification.displayFee}`).toBe('2');
  expect(notification.additionalFields).toStrictEqual({});
  expect(notification.txAddressOwner?.additionalFields).toStrictEqual({
    name: [],
    displayFee: '1.50',
  });
});
