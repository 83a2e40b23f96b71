import { test } from 'vitest';
import { DEPOSIT_RECEIVED_FIELDS } from '../../scripts/pages/fields.js';
import { expectRules, testRules } from '../contract.js';

/** The contract in short, apart from the code: which fields may refuse a body or add a warning. */
const CONTRACT = `
required  enum       status
required  id         depositId paymentId
required  text       clientPaymentId depositCurrency displayCurrency settlementCurrency
required  amount     actualDepositAmount actualDisplayAmount settlementAmount
`;

test('the rules of the reader are the contract', () => {
  expectRules(DEPOSIT_RECEIVED_FIELDS, CONTRACT);
});

testRules('deposit');
