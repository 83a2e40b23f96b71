import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from 'payment-notifications';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  DEPOSIT_RECEIVED_FIELDS,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../scripts/schemas/tables.js';
import {
  deposit,
  errorOf,
  FIELDS,
  issuesOf,
  parseWith,
  read,
  withdrawal,
} from './sample-bodies.js';

/** The contract in short, apart from the code: the cost of a fault of each field. */
const CONTRACT = `
deposit     required  enum       status
deposit     required  id         depositId paymentId
deposit     required  text       clientPaymentId depositCurrency displayCurrency settlementCurrency
deposit     required  amount     actualDepositAmount actualDisplayAmount settlementAmount
deposit     optional  amount     expectedDepositAmount expectedDisplayAmount displayServiceFee
deposit     optional  amount     settlementServiceFee onChainFee displayRateDepegLossAmount
deposit     optional  amount     settlementRateDepegLossAmount displayDistributedUserServiceFee
deposit     optional  amount     settlementDistributedUserServiceFee
deposit     optional  text       network depositAddress fromAddress transactionId
deposit     optional  enum       rateType
deposit     optional  timestamp  paymentRequestedAt paymentReceivedAt expirationTime
withdrawal  required  enum       status
withdrawal  required  id         withdrawalId businessId
withdrawal  required  text       clientWithdrawalId withdrawCurrency displayCurrency settlementCurrency
withdrawal  required  amount     estimatedWithdrawAmount expectedDisplayAmount
withdrawal  optional  amount     actualWithdrawAmount withdrawFee actualDisplayAmount displayFee
withdrawal  optional  amount     deductedSettlementAmount deducedSettlementAmount
withdrawal  optional  amount     displayRateDepegLossAmount settlementRateDepegLossAmount
withdrawal  required  address    toTxAddress
withdrawal  expected  object     txAddressOwner
withdrawal  optional  text       transactionId
notCompleted expected address     toTxAddress
owner       expected  text       name category
`;

test('the rules of the readers are the contract', () => {
  const tables = {
    deposit: DEPOSIT_RECEIVED_FIELDS,
    withdrawal: WITHDRAWAL_BROADCAST_FIELDS,
    notCompleted: NOT_COMPLETED_WITHDRAWAL_FIELDS,
    owner: TX_ADDRESS_OWNER_FIELDS,
  };
  const rules = Object.entries(tables).flatMap(([of, table]) =>
    Object.entries(table).map(([name, field]) => `${of} ${field.need} ${field.type.kind} ${name}`),
  );
  const contract = CONTRACT.trim()
    .split('\n')
    .flatMap((line) => {
      const [of, need, kind, ...names] = line.split(/ +/);
      return names.map((name) => `${of} ${need} ${kind} ${name}`);
    });
  expect(rules.sort()).toStrictEqual(contract.sort());
});

/**
 * The outcome of each wire value in a field of each kind: the code of the issue or warning, the JSON of
 * the output, or `=` where the value is kept as it was sent.
 */
const OUTCOMES = `
wire                                      | text       | id         | non-negative       | amount             | timestamp                  | deposit status | withdrawal status | rate type     | address            | owner
1.5                                       | wrong_type | wrong_type | "1.5"              | "1.5"              | "1970-01-01T00:00:01.500Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
-0.0004                                   | wrong_type | wrong_type | negative_amount    | "-0.0004"          | invalid_timestamp          | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
0                                         | wrong_type | wrong_type | "0"                | "0"                | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
-0                                        | wrong_type | wrong_type | "0"                | "0"                | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
1E-8                                      | wrong_type | wrong_type | "0.00000001"       | "0.00000001"       | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
1e400                                     | wrong_type | wrong_type | invalid_amount     | invalid_amount     | invalid_timestamp          | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
1790000000                                | wrong_type | wrong_type | "1790000000"       | "1790000000"       | "2026-09-21T14:13:20.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
99999999999                               | wrong_type | wrong_type | "99999999999"      | "99999999999"      | "5138-11-16T09:46:39.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
100000000000                              | wrong_type | wrong_type | "100000000000"     | "100000000000"     | "1973-03-03T09:46:40.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
"1790000000123"                           | =          | invalid_id | "1790000000123"    | "1790000000123"    | "2026-09-21T14:13:20.123Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1.5"                                     | =          | invalid_id | "1.5"              | "1.5"              | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"-0.00"                                   | =          | invalid_id | "0"                | "0"                | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"0E+9999999999999999999999"               | =          | invalid_id | "0"                | "0"                | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1E-9999999999999999999999"               | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"01"                                      | =          | invalid_id | invalid_amount     | invalid_amount     | "1970-01-01T00:00:01.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1."                                      | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
".5"                                      | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"0x10"                                    | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1\\n"                                    | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
" 1"                                      | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"١"                                       | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
""                                        | wrong_type | wrong_type | wrong_type         | null               | null                       | wrong_type     | wrong_type        | null          | wrong_type         | missing_field
" "                                       | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"6f9619ff-8b86-0d01-042d-00cf4fc964ff"    | =          | =          | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"6F9619FF-8B86-4D01-B42D-00CF4FC964FF"    | =          | =          | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"6f9619ff-8b86-4d01-b42d-00cf4fc964ff\\n" | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
" 6f9619ff-8b86-4d01-b42d-00cf4fc964ff"   | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
1790000000.0006                           | wrong_type | wrong_type | "1790000000.0006"  | "1790000000.0006"  | "2026-09-21T14:13:20.001Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
"CONFIRMED"                               | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | =              | unknown_value     | unknown_value | =                  | wrong_type
"constructor"                             | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"\\u0000\\ud800\\u202e"                   | wrong_type | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | invalid_tx_address | wrong_type
"\\u0000\\ud83d\\ude00\\u202e"            | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2026-09-21t16:13:20.1239+02:00"          | =          | invalid_id | invalid_amount     | invalid_amount     | "2026-09-21T14:13:20.123Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2026-02-30T00:00:00Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2024-02-29T00:00:00Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | "2024-02-29T00:00:00.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"9999-12-31T23:59:59Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | "9999-12-31T23:59:59.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
99999999999.9999                          | wrong_type | wrong_type | "99999999999.9999" | "99999999999.9999" | "5138-11-16T09:46:40.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
"1970-01-01T00:00:00Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | "1970-01-01T00:00:00.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1969-12-31T23:59:59-01:00"               | =          | invalid_id | invalid_amount     | invalid_amount     | "1970-01-01T00:59:59.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1970-01-01T00:59:59+01:00"               | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2026-09-05T23:00:00+23:00"               | =          | invalid_id | invalid_amount     | invalid_amount     | "2026-09-05T00:00:00.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"9999-12-31T23:59:59-01:00"               | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2016-12-31T23:59:60Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2026-09-21T14:13:20"                     | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2026-09-21 14:13:20Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2026-09-21T24:00:00Z"                    | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
99999999999999                            | wrong_type | wrong_type | "99999999999999"   | "99999999999999"   | "5138-11-16T09:46:39.999Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
100000000000000                           | wrong_type | wrong_type | "100000000000000"  | "100000000000000"  | invalid_timestamp          | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
"?dt=1"                                   | =          | invalid_id | invalid_amount     | invalid_amount     | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | invalid_tx_address | wrong_type
true                                      | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
[]                                        | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
["CONFIRMED"]                             | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
{}                                        | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | missing_field
{"name":"","category":""}                 | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | =
{"name":null,"category":"x"}              | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | missing_field
{"name":["x"],"category":5}               | wrong_type | wrong_type | wrong_type         | wrong_type         | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
`;

/** A field of each kind. */
const SPECIMENS: Record<string, { of: 'deposit' | 'withdrawal'; name: string }> = {
  text: { of: 'deposit', name: 'clientPaymentId' },
  id: { of: 'deposit', name: 'depositId' },
  'non-negative': { of: 'deposit', name: 'actualDepositAmount' },
  amount: { of: 'deposit', name: 'onChainFee' },
  timestamp: { of: 'deposit', name: 'expirationTime' },
  'deposit status': { of: 'deposit', name: 'status' },
  'withdrawal status': { of: 'withdrawal', name: 'status' },
  'rate type': { of: 'deposit', name: 'rateType' },
  address: { of: 'withdrawal', name: 'toTxAddress' },
  owner: { of: 'withdrawal', name: 'txAddressOwner' },
};

const [head = [], ...rows] = OUTCOMES.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** The output for a value that is kept as it was sent. */
function kept(kind: string, value: unknown): unknown {
  if (kind === 'address') return { raw: value, address: value, destinationTag: null };
  if (kind === 'owner') return { ...(value as object), additionalFields: {} };
  return value;
}

describe.each(Object.entries(SPECIMENS))('%s', (kind, field) => {
  const column = head.indexOf(kind);

  test.each(rows.map((row) => ({ wire: row[0] ?? '', outcome: row[column] ?? '' })))(
    'given $wire: $outcome',
    ({ wire, outcome }) => {
      const result = parseWith(field, wire);
      if (/^\w+_\w+$/.test(outcome)) {
        const faults = issuesOf(result);
        expect([...new Set(faults.map(({ code }) => code))]).toStrictEqual([outcome]);
        for (const { path } of faults) expect(path[0]).toBe(field.name);
      } else {
        const output = JSON.parse(JSON.stringify(read(result)));
        const expected = outcome === '=' ? kept(kind, JSON.parse(wire)) : JSON.parse(outcome);
        expect(output[field.name]).toStrictEqual(expected);
        expect(output.warnings).toStrictEqual([]);
        expect(output.additionalFields).toStrictEqual({});
      }
    },
  );
});

describe.each(FIELDS)('$name of a $of', (field) => {
  const { name, need } = field;
  const outputName = name === 'deducedSettlementAmount' ? 'deductedSettlementAmount' : name;
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
      expect(result.notification).toMatchObject({ [outputName]: null, additionalFields: {} });
    }
  });
});

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

test("the host's settings of valibot change nothing, and none of its functions is called", () => {
  const hosts = vi.fn(() => {
    throw new Error("the host's");
  });
  const body = deposit({ depositId: '"x"', status: '"x"', actualDepositAmount: '"x"' });
  const { issues } = errorOf(safeParseDepositReceived(body));
  onTestFinished(() => {
    v.deleteGlobalConfig();
    v.deleteGlobalMessage();
    v.deleteSchemaMessage();
    v.deleteSpecificMessage(v.uuid);
  });
  v.setGlobalConfig({ lang: 'en', abortEarly: true });
  for (const lang of [undefined, 'en']) {
    v.setGlobalMessage(hosts, lang);
    v.setSchemaMessage(hosts, lang);
    v.setSpecificMessage(v.uuid, hosts, lang);
  }
  expect(errorOf(safeParseDepositReceived(body)).issues).toStrictEqual(issues);
  expect(hosts).not.toHaveBeenCalled();
});
