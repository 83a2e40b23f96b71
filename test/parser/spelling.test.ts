import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from 'payment-notifications';
import { expect, test } from 'vitest';
import { parseLiterally } from '../../src/parser/json.js';
import { deposit, read, type Wire, withdrawal } from '../sample-bodies.js';

const LONG = '0.123456789012345678';

/** What was sent as `deductedSettlementAmount` and as `deducedSettlementAmount`, and the amount. */
const READ: [deducted: Wire, deduced: Wire, amount: string | null][] = [
  [undefined, LONG, LONG],
  ['""', '"250.31"', '250.31'],
  [LONG, '""', LONG],
  ['"250.31"', 'null', '250.31'],
  ['"250.31000000"', '2.5031e2', '250.31'],
  ['null', 'null', null],
];

test.each(READ)('%s and %s are the amount %s', (deductedSettlementAmount, other, amount) => {
  const body = withdrawal({ deductedSettlementAmount, deducedSettlementAmount: other });
  const notification = read(safeParseWithdrawalBroadcast(body));
  expect(notification.deductedSettlementAmount?.toString() ?? null).toBe(amount);
  expect(notification).toMatchObject({ warnings: [], additionalFields: {} });
  expect(notification).not.toHaveProperty('deducedSettlementAmount');
});

const CONFLICTS: [deducted: string, deduced: string, expected: string, received: string][] = [
  ['0.1', '0.100000000000000001', '0.100000000000000001', '0.1'],
  ['"250.31"', '-999', "-999, which can't be used", '250.31'],
  ['"250.31"', '1e99', "1e99, which can't be used", '250.31'],
  ['"250.31"', '"free"', "a string of length 4, which can't be used", '250.31'],
  ['[250.31]', '"250.31"', '250.31', "an array, which can't be used"],
  [`"${'1'.repeat(78)}"`, '0', '0', `${'1'.repeat(40)}… (78 characters)`],
];

test.each(CONFLICTS)('%s and %s are in conflict', (deducted, deduced, expected, received) => {
  const wire = { deductedSettlementAmount: deducted, deducedSettlementAmount: deduced };
  const { deductedSettlementAmount, additionalFields, warnings } = read(
    safeParseWithdrawalBroadcast(withdrawal({ ...wire, displayFee: '"x"', toTxAddress: '"a&b"' })),
  );
  expect(deductedSettlementAmount).toBeNull();
  const [first, second] = [deducted, deduced].map(
    (json) => parseLiterally(`{"sent":${json}}`).sent,
  );
  expect(additionalFields).toStrictEqual({
    ...{ deductedSettlementAmount: first, deducedSettlementAmount: second },
    displayFee: 'x',
  });
  // In the order of the fields.
  expect(warnings.map(({ path, message }) => [path[0], message])).toStrictEqual([
    ['displayFee', expect.any(String)],
    [
      'deductedSettlementAmount',
      `deductedSettlementAmount: expected the same amount as in deducedSettlementAmount (${expected}), received ${received}`,
    ],
    ['toTxAddress', expect.any(String)],
  ]);
});

test.each(['null', '""', undefined])(
  'a second spelling that is unreadable stays under its name, beside %s',
  (deductedSettlementAmount) => {
    const body = withdrawal({ deductedSettlementAmount, deducedSettlementAmount: '1e99' });
    const { additionalFields, warnings } = read(safeParseWithdrawalBroadcast(body));
    expect(additionalFields).toStrictEqual({ deducedSettlementAmount: '1e99' });
    expect(warnings).toMatchObject([
      { code: 'invalid_amount', path: ['deducedSettlementAmount'], received: '1e99' },
    ]);
  },
);

test('in a deposit, neither name has a rule', () => {
  const sent = { deductedSettlementAmount: '1', deducedSettlementAmount: '2.50' };
  const { additionalFields, warnings } = read(safeParseDepositReceived(deposit(sent)));
  expect({ additionalFields, warnings }).toStrictEqual({ additionalFields: sent, warnings: [] });
});
