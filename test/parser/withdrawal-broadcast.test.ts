import { safeParseWithdrawalBroadcast } from 'payment-notifications';
import { expect, test } from 'vitest';
import {
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/schemas/tables.js';
import { expectRules, testRules } from '../contract.js';
import { errorOf, issuesOf, read, withdrawal } from '../sample-bodies.js';

/** The contract in short, apart from the code: which fields may refuse a body or add a warning. */
const CONTRACT = `
required  enum       status
required  id         withdrawalId businessId
required  text       clientWithdrawalId withdrawCurrency displayCurrency settlementCurrency
required  amount     estimatedWithdrawAmount expectedDisplayAmount
required  address    toTxAddress
expected  object     txAddressOwner
`;

test('the rules of the reader are the contract', () => {
  expectRules(WITHDRAWAL_BROADCAST_FIELDS, CONTRACT);
  expectRules(NOT_COMPLETED_WITHDRAWAL_FIELDS, 'expected address     toTxAddress');
  expectRules(TX_ADDRESS_OWNER_FIELDS, 'expected  text       name category');
});

testRules('withdrawal');

test('an address is required if the status is faulty, too', () => {
  const body = withdrawal({ status: '"DONE"', toTxAddress: 'null' });
  const { issues } = errorOf(safeParseWithdrawalBroadcast(body));
  expect(issues.map(({ path }) => path[0])).toStrictEqual(['status', 'toTxAddress']);
});

test('two different deducted amounts are cut in the message', () => {
  const wire = {
    deductedSettlementAmount: `"${'1'.repeat(78)}"`,
    deducedSettlementAmount: '2'.repeat(78),
  };
  const [warning] = issuesOf(safeParseWithdrawalBroadcast(withdrawal(wire)));
  expect(warning?.message).toBe(
    `deductedSettlementAmount: expected the same amount as in deducedSettlementAmount (${'2'.repeat(40)}… (78 characters)), received ${'1'.repeat(40)}… (78 characters)`,
  );
});

test('the numbers of an owner lose no digit', () => {
  const owner = `{"name":"x","category":"y","score":0.123456789012345678,"more":[{"of":1e999}]}`;
  const { txAddressOwner } = read(
    safeParseWithdrawalBroadcast(withdrawal({ txAddressOwner: owner })),
  );
  expect(txAddressOwner?.additionalFields).toStrictEqual({
    score: '0.123456789012345678',
    more: [{ of: '1e999' }],
  });
});
