import { type Decimal, safeParseWithdrawalBroadcast, type TxAddress } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import {
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/pages/fields.js';
import { expectRules, testRules } from '../contract.js';
import { errorOf, read, withdrawal } from '../sample-bodies.js';

/** The contract in short, apart from the code: which fields may refuse a body or add a warning. */
const CONTRACT = `
required  enum       status
required  id         withdrawalId businessId
required  text       clientWithdrawalId withdrawCurrency displayCurrency settlementCurrency
required  amount     estimatedWithdrawAmount expectedDisplayAmount
required  address    toTxAddress
expected  object     txAddressOwner
`;

/** What is required of a completed withdrawal alone: all but its status and identifiers. */
const NOT_COMPLETED = `
expected  id         businessId
expected  text       withdrawCurrency displayCurrency settlementCurrency
expected  amount     estimatedWithdrawAmount expectedDisplayAmount
expected  address    toTxAddress
`;

test('the rules of the reader are the contract', () => {
  expectRules(WITHDRAWAL_BROADCAST_FIELDS, CONTRACT);
  expectRules(NOT_COMPLETED_WITHDRAWAL_FIELDS, NOT_COMPLETED);
  expectRules(TX_ADDRESS_OWNER_FIELDS, 'expected  text       name category');
});

testRules('withdrawal');

test('an address is also required if the status is faulty', () => {
  const body = withdrawal({ status: '"DONE"', toTxAddress: 'null' });
  const { issues } = errorOf(safeParseWithdrawalBroadcast(body));
  expect(issues.map(({ path }) => path[0])).toStrictEqual(['status', 'toTxAddress']);
});

test.each(['FAILED', 'BLOCKED'])(
  'a withdrawal that is %s needs its identifiers alone',
  (status) => {
    const ids = ['withdrawalId', 'clientWithdrawalId'];
    const { withdrawalId, clientWithdrawalId } = JSON.parse(withdrawal());
    const body = JSON.stringify({ status, withdrawalId, clientWithdrawalId });
    expect(read(safeParseWithdrawalBroadcast(body)).warnings).toHaveLength(8);
    for (const name of ['status', ...ids]) {
      const without = { ...JSON.parse(body), [name]: undefined };
      const { issues } = errorOf(safeParseWithdrawalBroadcast(JSON.stringify(without)));
      expect(issues.map(({ path }) => path[0])).toContain(name);
    }
  },
);

test('nothing more is null once a withdrawal is narrowed to COMPLETED', () => {
  const notification = read(safeParseWithdrawalBroadcast(withdrawal()));
  // @ts-expect-error: null if the withdrawal failed or was blocked.
  const maybe: string = notification.withdrawCurrency;
  if (notification.status !== 'COMPLETED') throw new Error('not completed');
  const { businessId, withdrawCurrency, displayCurrency, settlementCurrency } = notification;
  const texts: string[] = [businessId, withdrawCurrency, displayCurrency, settlementCurrency];
  const { estimatedWithdrawAmount, expectedDisplayAmount } = notification;
  const amounts: Decimal[] = [estimatedWithdrawAmount, expectedDisplayAmount];
  const address: TxAddress = notification.toTxAddress;
  expect([...texts, ...amounts, address, maybe]).not.toContain(null);
});

describe('an address', () => {
  const warningsOf = (toTxAddress: string) =>
    read(safeParseWithdrawalBroadcast(withdrawal({ toTxAddress: JSON.stringify(toTxAddress) })))
      .warnings;

  test.each([
    'rExample?tag=12',
    'rExample?memoId=12',
    'rExample?DT=12',
    'rExample?to=x&dt=12',
    'rExample?dt=12&amount=5',
    'rExample&dt=12',
    'rExample?dt=a=b',
  ])('with what may be a tag in another form gives a warning: %s', (address) => {
    expect(warningsOf(address)).toMatchObject([
      { code: 'invalid_tx_address', path: ['toTxAddress'] },
    ]);
  });

  test.each([
    'rExample',
    'rExample?dt=12',
    'rExample?dt=',
    'bitcoincash:qExample',
    'rExample?dt=a:b/c',
    'rExample?dt=bWVtbw==',
  ])('gives no warning otherwise: %s', (address) => {
    expect(warningsOf(address)).toStrictEqual([]);
  });
});
