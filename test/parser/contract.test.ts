import { describe, expect, test } from 'vitest';
import { DEPOSIT_RECEIVED } from '../../src/parser/deposit-received.js';
import type { Rules } from '../../src/parser/rules.js';
import { nameOfRule } from '../../src/parser/spelling.js';
import {
  NOT_COMPLETED,
  TX_ADDRESS_OWNER,
  WITHDRAWAL_BROADCAST,
} from '../../src/parser/withdrawal-broadcast.js';
import { FIELDS, issuesOf, parseWith } from '../sample-bodies.js';

/**
 * The contract in short, apart from the code: which fields may refuse a body or add a warning. All
 * others are optional. The rules of a withdrawal that is not completed differ in some fields.
 */
const CONTRACT = `
deposit        required  enum     status
deposit        required  id       depositId paymentId
deposit        required  text     clientPaymentId depositCurrency displayCurrency settlementCurrency
deposit        required  amount   actualDepositAmount actualDisplayAmount settlementAmount
withdrawal     required  enum     status
withdrawal     required  id       withdrawalId businessId
withdrawal     required  text     clientWithdrawalId withdrawCurrency displayCurrency settlementCurrency
withdrawal     required  amount   estimatedWithdrawAmount expectedDisplayAmount
withdrawal     required  address  toTxAddress
withdrawal     expected  object   txAddressOwner
not completed  expected  id       businessId
not completed  expected  text     withdrawCurrency displayCurrency settlementCurrency
not completed  expected  amount   estimatedWithdrawAmount expectedDisplayAmount
not completed  expected  address  toTxAddress
owner          expected  text     name category
`;

const TABLES: Readonly<Record<string, Rules>> = {
  deposit: DEPOSIT_RECEIVED,
  withdrawal: WITHDRAWAL_BROADCAST,
  'not completed': NOT_COMPLETED,
  owner: TX_ADDRESS_OWNER,
};

test('the rules of the reader are the contract', () => {
  const rules = Object.entries(TABLES).flatMap(([of, table]) =>
    Object.entries(table).map(([name, { need, type }]) => `${of} ${need} ${type.kind} ${name}`),
  );
  const contract = CONTRACT.trim()
    .split('\n')
    .flatMap((line) => {
      const [of, need, kind, names = ''] = line.split(/ {2,}/);
      return names.split(' ').map((name) => `${of} ${need} ${kind} ${name}`);
    });
  expect(rules.filter((rule) => !/ optional /.test(rule)).sort()).toStrictEqual(contract.sort());
});

describe.each(FIELDS)('$name of a $of', (field) => {
  const { name, need } = field;
  const rest = { deductedSettlementAmount: undefined };

  test('follows its rule if it is unreadable', () => {
    const result = parseWith(field, '[]', rest);
    expect(issuesOf(result)).toMatchObject([{ code: 'wrong_type', path: [name] }]);
    expect(result.success).toBe(need !== 'required');
    if (result.success) {
      expect(result.notification).toMatchObject({ additionalFields: { [name]: [] } });
    }
  });

  test.each([undefined, 'null', '""'])('follows its rule if it is %s', (wire) => {
    const result = parseWith(field, wire, rest);
    const code = need === 'required' && wire === '""' ? 'wrong_type' : 'missing_field';
    const faults = need === 'optional' ? [] : [{ code, path: [name] }];
    expect(issuesOf(result)).toMatchObject(faults);
    expect(result.success).toBe(need !== 'required');
    if (result.success) {
      const fields = { [nameOfRule(name)]: null, additionalFields: {} };
      expect(result.notification).toMatchObject(fields);
    }
  });
});

test('an address is also required if the status is faulty', () => {
  const result = parseWith({ of: 'withdrawal', name: 'status' }, '"DONE"', { toTxAddress: 'null' });
  expect(issuesOf(result).map(({ path }) => path[0])).toStrictEqual(['status', 'toTxAddress']);
});

const AMOUNTS = FIELDS.filter(({ kind }) => kind === 'amount');

test.each(AMOUNTS)('$name of a $of may be negative only if it is a fee or a loss', (field) => {
  const faults = /(?:Fee|LossAmount)$/.test(field.name) ? [] : [{ code: 'negative_amount' }];
  const rest = { deductedSettlementAmount: undefined };
  const statuses = field.of === 'deposit' ? ['"CONFIRMED"'] : ['"COMPLETED"', '"FAILED"'];
  for (const status of statuses) {
    expect(issuesOf(parseWith(field, '-1.5', { ...rest, status }))).toMatchObject(faults);
  }
});
