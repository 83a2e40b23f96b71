import { safeParseWithdrawalBroadcast } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { errorOf, FIELDS, messagesOf, parseWith, read, withdrawal } from './wire.js';

/**
 * What comes of each wire value in a field of each kind: the code of the issue, the JSON of the
 * output, or `=` where the value is kept as it came.
 */
const OUTCOMES = `
wire                                   | text       | id         | quantity        | signed amount | timestamp                  | deposit status | withdrawal status | rate type  | address            | owner
1.5                                    | wrong_type | wrong_type | "1.5"           | "1.5"         | "1970-01-01T00:00:01.500Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
-1.5                                   | wrong_type | wrong_type | negative_amount | "-1.5"        | invalid_timestamp          | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
0                                      | wrong_type | wrong_type | "0"             | "0"           | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
-0                                     | wrong_type | wrong_type | "0"             | "0"           | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
1E-8                                   | wrong_type | wrong_type | "0.00000001"    | "0.00000001"  | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
1e400                                  | wrong_type | wrong_type | invalid_amount  | invalid_amount| invalid_timestamp          | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
1790000000                             | wrong_type | wrong_type | "1790000000"    | "1790000000"  | "2026-09-21T14:13:20.000Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
99999999999                            | wrong_type | wrong_type | "99999999999"   | "99999999999" | "5138-11-16T09:46:39.000Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
100000000000                           | wrong_type | wrong_type | "100000000000"  | "100000000000"| "1973-03-03T09:46:40.000Z" | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
8640000000000000                       | wrong_type | wrong_type | "8640000000000000" | "8640000000000000" | "+275760-09-13T00:00:00.000Z" | wrong_type | wrong_type      | wrong_type | wrong_type         | wrong_type
8640000000000001                       | wrong_type | wrong_type | "8640000000000001" | "8640000000000001" | invalid_timestamp     | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
"1790000000"                           | =          | invalid_id | "1790000000"    | "1790000000"  | "2026-09-21T14:13:20.000Z" | unknown_value  | unknown_value     | null       | =                  | wrong_type
"1790000000123"                        | =          | invalid_id | "1790000000123" | "1790000000123" | "2026-09-21T14:13:20.123Z" | unknown_value | unknown_value    | null       | =                  | wrong_type
"1.5"                                  | =          | invalid_id | "1.5"           | "1.5"         | invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"-1.50"                                | =          | invalid_id | negative_amount | "-1.5"        | invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"-0.00"                                | =          | invalid_id | "0"             | "0"           | invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"0E+9999999999999999999999"            | =          | invalid_id | "0"             | "0"           | invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"1E-9999999999999999999999"            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"0.01E-9999999999999999999"            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"12,5"                                 | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"01"                                   | =          | invalid_id | invalid_amount  | invalid_amount| "1970-01-01T00:00:01.000Z" | unknown_value  | unknown_value     | null       | =                  | wrong_type
"1."                                   | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
".5"                                   | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"0x10"                                 | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"1_000"                                | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"NaN"                                  | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"-Infinity"                            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"1\\n"                                 | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
" 1"                                   | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"١"                                    | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
""                                     | wrong_type | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | invalid_tx_address | wrong_type
" "                                    | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"6f9619ff-8b86-0d01-042d-00cf4fc964ff" | =          | =          | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"6F9619FF-8B86-4D01-B42D-00CF4FC964FF" | =          | =          | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"6F9619FF-8B86-4D01-B42D-00CF4FC964FG" | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"6f9619ff-8b86-4d01-b42d-00cf4fc964ff0" | =         | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"6f9619ff-8b86-4d01-b42d-00cf4fc964ff\\n" | =       | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
" 6f9619ff-8b86-4d01-b42d-00cf4fc964ff" | =         | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
1790000000.0006                        | wrong_type | wrong_type | "1790000000.0006" | "1790000000.0006" | "2026-09-21T14:13:20.001Z" | wrong_type  | wrong_type        | wrong_type | wrong_type         | wrong_type
"{6F9619FF-8B86-4D01-B42D-00CF4FC964FF}" | =        | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"CONFIRMED"                            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | =              | unknown_value     | null       | =                  | wrong_type
"COMPLETED"                            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | =                 | null       | =                  | wrong_type
"FAILED"                               | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | =                 | null       | =                  | wrong_type
"BLOCKED"                              | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | =                 | null       | =                  | wrong_type
"confirmed"                            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"FIXED"                                | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | =          | =                  | wrong_type
"FLOATING"                             | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | =          | =                  | wrong_type
"constructor"                          | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"__proto__"                            | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
"\\u0000\\ud800\\u202e"                | =          | invalid_id | invalid_amount  | invalid_amount| invalid_timestamp          | unknown_value  | unknown_value     | null       | =                  | wrong_type
true                                   | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
false                                  | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
[]                                     | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
["CONFIRMED"]                          | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
{}                                     | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | missing_field
{"name":"","category":""}              | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | =
{"name":null,"category":"x"}           | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | missing_field
{"name":["x"],"category":5}            | wrong_type | wrong_type | wrong_type      | wrong_type    | wrong_type                 | wrong_type     | wrong_type        | wrong_type | wrong_type         | wrong_type
`;

const [head = [], ...rows] = OUTCOMES.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** What a value that is kept as it came looks like in the output. */
function kept(kind: string, value: unknown): unknown {
  if (kind === 'address') return { raw: value, address: value, destinationTag: null };
  if (kind === 'owner') return { ...(value as object), additionalFields: {} };
  return value;
}

describe.each(FIELDS)('$name of a $of', (field) => {
  const column = head.indexOf(field.kind);

  test.each(rows.map((row) => ({ wire: row[0] ?? '', outcome: row[column] ?? '' })))(
    'given $wire comes to $outcome',
    ({ wire, outcome }) => {
      const result = parseWith(field, wire);
      if (/^\w+_\w+$/.test(outcome)) {
        const { issues } = errorOf(result);
        expect([...new Set(issues.map(({ code }) => code))]).toStrictEqual([outcome]);
        for (const { path } of issues) expect(path[0]).toBe(field.name);
      } else {
        const output = JSON.parse(JSON.stringify(read(result)));
        const expected = outcome === '=' ? kept(field.kind, JSON.parse(wire)) : JSON.parse(outcome);
        expect(output[field.name]).toStrictEqual(expected);
      }
    },
  );

  test.each([{ wire: undefined }, { wire: 'null' }])('given $wire is no value', ({ wire }) => {
    const result = parseWith(field, wire);
    if (field.required) {
      expect(errorOf(result).issues).toMatchObject([{ code: 'missing_field', path: [field.name] }]);
    } else {
      expect(read(result)).toMatchObject({ [field.name]: null, additionalFields: {} });
    }
  });
});

describe('the owner of an address', () => {
  const owner = { of: 'withdrawal', name: 'txAddressOwner' } as const;

  test('counts only with its own fields', () => {
    const body = JSON.parse(withdrawal());
    body.txAddressOwner = Object.create({ name: 'inherited', category: 'x' });
    expect(messagesOf(safeParseWithdrawalBroadcast(body))).toStrictEqual([
      'txAddressOwner.name: expected a string, received nothing',
      'txAddressOwner.category: expected a string, received nothing',
    ]);
  });

  test('keeps its unknown fields', () => {
    expect(read(parseWith(owner, '{"name":"a","category":"b","x":[1]}'))).toMatchObject({
      txAddressOwner: { name: 'a', category: 'b', additionalFields: { x: [1] } },
      additionalFields: {},
    });
  });
});

test.each([
  ['true', 'a boolean'],
  ['5', 'a number'],
  ['[]', 'an array'],
  ['"x"', 'a string of length 1'],
])('an identifier given as %s is described, not quoted', (wire, received) => {
  expect(messagesOf(parseWith({ of: 'deposit', name: 'depositId' }, wire))).toStrictEqual([
    `depositId: expected a UUID, received ${received}`,
  ]);
});

test('two different deducted amounts are shown cut', () => {
  const wire = {
    deductedSettlementAmount: `"${'1'.repeat(78)}"`,
    deducedSettlementAmount: '2'.repeat(78),
  };
  expect(messagesOf(safeParseWithdrawalBroadcast(withdrawal(wire)))).toStrictEqual([
    `deductedSettlementAmount: expected the same amount as in deducedSettlementAmount (${'2'.repeat(40)}… (78 characters)), received ${'1'.repeat(40)}… (78 characters)`,
  ]);
});
