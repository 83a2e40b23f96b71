import { test } from 'vitest';
import { DEPOSIT_RECEIVED_FIELDS } from '../scripts/schemas/tables.js';
import { expectRules, testRules } from './contract.js';

/** The contract in short, apart from the code: the cost of a fault of each field. */
const CONTRACT = `
required  enum       status
required  id         depositId paymentId
required  text       clientPaymentId depositCurrency displayCurrency settlementCurrency
required  amount     actualDepositAmount actualDisplayAmount settlementAmount
optional  amount     expectedDepositAmount expectedDisplayAmount displayServiceFee
optional  amount     settlementServiceFee onChainFee displayRateDepegLossAmount
optional  amount     settlementRateDepegLossAmount displayDistributedUserServiceFee
optional  amount     settlementDistributedUserServiceFee
optional  text       network depositAddress fromAddress transactionId
optional  enum       rateType
optional  timestamp  paymentRequestedAt paymentReceivedAt expirationTime
`;

test('the rules of the reader are the contract', () => {
  expectRules(DEPOSIT_RECEIVED_FIELDS, CONTRACT);
});

testRules('deposit');
