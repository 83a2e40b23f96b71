import { describe, expect, test } from 'vitest';
import { FIELDS, issuesOf, parseWith, read } from '../../sample-bodies.js';

/**
 * The outcome of each wire value in a field of each kind: the code of the issue or warning, the
 * JSON of the output, or `=` where the value is kept as it was sent.
 */
const OUTCOMES = `
wire                                      | text       | id         | non-negative           | amount                 | timestamp                  | deposit status | withdrawal status | rate type     | address            | owner
1.5                                       | wrong_type | wrong_type | "1.5"                  | "1.5"                  | "1970-01-01T00:00:01.500Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
-0.0004                                   | wrong_type | wrong_type | negative_amount        | "-0.0004"              | invalid_timestamp          | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
0                                         | wrong_type | wrong_type | "0"                    | "0"                    | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
-0                                        | wrong_type | wrong_type | "0"                    | "0"                    | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
1E-8                                      | wrong_type | wrong_type | "0.00000001"           | "0.00000001"           | "1970-01-01T00:00:00.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
1e400                                     | wrong_type | wrong_type | invalid_amount         | invalid_amount         | invalid_timestamp          | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
0.123456789012345678                      | wrong_type | wrong_type | "0.123456789012345678" | "0.123456789012345678" | "1970-01-01T00:00:00.123Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
1790000000                                | wrong_type | wrong_type | "1790000000"           | "1790000000"           | "2026-09-21T14:13:20.000Z" | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
"1790000000123"                           | =          | invalid_id | "1790000000123"        | "1790000000123"        | "2026-09-21T14:13:20.123Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1.5"                                     | =          | invalid_id | "1.5"                  | "1.5"                  | "1970-01-01T00:00:01.500Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"-0.00"                                   | =          | invalid_id | "0"                    | "0"                    | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"0E+9999999999999999999999"               | =          | invalid_id | "0"                    | "0"                    | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1E-9999999999999999999999"               | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"01"                                      | =          | invalid_id | invalid_amount         | invalid_amount         | "1970-01-01T00:00:01.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1."                                      | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"1\\n"                                    | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
""                                        | wrong_type | wrong_type | wrong_type             | null                   | null                       | wrong_type     | wrong_type        | null          | wrong_type         | missing_field
" "                                       | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"6f9619ff-8b86-0d01-042d-00cf4fc964ff"    | =          | =          | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"6F9619FF-8B86-4D01-B42D-00CF4FC964FF"    | =          | =          | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"6f9619ff-8b86-4d01-b42d-00cf4fc964ff\\n" | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"CONFIRMED"                               | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | =              | unknown_value     | unknown_value | =                  | wrong_type
"constructor"                             | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"\\u0000\\ud800\\u202e"                   | wrong_type | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | invalid_tx_address | wrong_type
"\\u0000\\ud83d\\ude00\\u202e"            | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"2024-02-29T00:00:00Z"                    | =          | invalid_id | invalid_amount         | invalid_amount         | "2024-02-29T00:00:00.000Z" | unknown_value  | unknown_value     | unknown_value | =                  | wrong_type
"?dt=1"                                   | =          | invalid_id | invalid_amount         | invalid_amount         | invalid_timestamp          | unknown_value  | unknown_value     | unknown_value | invalid_tx_address | wrong_type
true                                      | wrong_type | wrong_type | wrong_type             | wrong_type             | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
["CONFIRMED"]                             | wrong_type | wrong_type | wrong_type             | wrong_type             | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
{}                                        | wrong_type | wrong_type | wrong_type             | wrong_type             | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | missing_field
{"name":"","category":""}                 | wrong_type | wrong_type | wrong_type             | wrong_type             | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | =
{"name":null,"category":"x"}              | wrong_type | wrong_type | wrong_type             | wrong_type             | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | missing_field
{"name":["x"],"category":5}               | wrong_type | wrong_type | wrong_type             | wrong_type             | wrong_type                 | wrong_type     | wrong_type        | wrong_type    | wrong_type         | wrong_type
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

/** What a customer may have written, and the service may send in the wrong field. */
const PERSONAL = [
  'alice@example.com rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=48291',
  '12 Example Street',
];

test.each(FIELDS)('no message about the $name of a $of shows what a customer wrote', (field) => {
  for (const personal of PERSONAL) {
    for (const text of [personal, ` ${personal}`, `1.5 ${personal}`, `${personal}\nEND`]) {
      for (const wire of [text, [text], { [text]: text }].map((value) => JSON.stringify(value))) {
        const shown = JSON.stringify(issuesOf(parseWith(field, wire)));
        for (const word of text.split(/[\s?]+/)) {
          if (word.length > 3) expect(shown).not.toContain(word);
        }
      }
    }
  }
});

test.each([
  ['deposit status', '"confirmed"', '"confirmed"'],
  ['deposit status', '"CONFIRMED_ONCE_MORE_"', '"CONFIRMED_ONCE_MORE_"'],
  ['deposit status', '"CONFIRMED_ONCE_MORE_X"', 'a string of length 21'],
  ['deposit status', '"CONFIRMED 2"', 'a string of length 11'],
  ['deposit status', '"1"', 'a string of length 1'],
  ['deposit status', '4915112345678', 'a number'],
  ['rate type', '"Fixed"', '"Fixed"'],
  ['non-negative', '"-1.234,50e+7 _"', '"-1.234,50e+7 _"'],
  ['non-negative', '"0x10"', 'a string of length 4'],
  ['non-negative', `"${'1,'.repeat(20)}"`, `"${'1,'.repeat(20)}"`],
  ['non-negative', `"${'1,'.repeat(20)}1"`, 'a string of length 41'],
  ['timestamp', '"2026-09-21T14:34:20.5+99:00Z "', '"2026-09-21T14:34:20.5+99:00Z "'],
  ['timestamp', '"in an hour"', 'a string of length 10'],
  ['timestamp', 'true', 'true'],
  ['timestamp', `"${'1 '.repeat(20)}"`, `"${'1 '.repeat(20)}"`],
  ['timestamp', `"${'1 '.repeat(20)}1"`, 'a string of length 41'],
])('a message about a %s quotes what looks like one: %s', (kind, wire, received) => {
  const field = SPECIMENS[kind] ?? { of: 'deposit', name: '' };
  expect(issuesOf(parseWith(field, wire)).map((issue) => issue.received)).toStrictEqual([received]);
});
