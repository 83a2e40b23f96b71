import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { deposit, type Wire, withdrawal } from '../sample-bodies.js';

const OWNER = '{"name":"x","category":5,"level\u202e":1}';
const DEDUCTED = { deductedSettlementAmount: undefined };
const REFUSED = { paymentId: '"x"' };

/** The codes of the quirks of the first of some fields, in a sample that has all of them. */
const ROWS: [of: 'deposit' | 'withdrawal', fields: Record<string, Wire>, codes: string][] = [
  ['deposit', { onChainFee: '0.00000001' }, 'exponent'],
  ['deposit', { onChainFee: '0.1234567890123456789' }, 'lost_digits'],
  ['withdrawal', { withdrawFee: '0.5' }, 'encoding'],
  ['withdrawal', { withdrawFee: 'null' }, ''],
  ['deposit', { displayRateDepegLossAmount: '"0.12"' }, ''],
  ['withdrawal', { deductedSettlementAmount: '"250.31"' }, 'spelling'],
  ['withdrawal', { deducedSettlementAmount: 'null' }, 'spelling'],
  ['withdrawal', { deducedSettlementAmount: '"1"' }, 'spelling unreadable'],
  ['withdrawal', { deducedSettlementAmount: '""' }, 'spelling empty_text'],
  ['withdrawal', { deducedSettlementAmount: '1.00', ...DEDUCTED }, 'spelling encoding'],
  ['deposit', { expirationTime: '"1790003600123"' }, 'encoding milliseconds'],
  ['deposit', { expirationTime: '"2026-09-21T15:13:20Z"' }, 'date_time'],
  ['deposit', { expirationTime: '1790003600.5' }, ''],
  ['deposit', { expirationTime: '1790003600123.5' }, 'milliseconds'],
  ['deposit', { expirationTime: '0' }, ''],
  ['withdrawal', { withdrawalId: '"3D6C2C1E-52A5-4F0B-9A53-2F1D8C0B7E44"' }, 'upper_case'],
  ['deposit', { depositId: '"0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11"' }, ''],
  ['deposit', { depositId: '"0b0f1f0e\\u002D9d0c-4f9e-8d4a-0c3f6f3b5a11"' }, ''],
  ['deposit', { depositId: '"X"' }, ''],
  ['withdrawal', { toTxAddress: '"rX?dt=007"' }, 'leading_zeros'],
  ['withdrawal', { toTxAddress: '"rX?dt\\u003d007"' }, 'leading_zeros'],
  ['withdrawal', { toTxAddress: '"rX?dt=100"' }, ''],
  ['withdrawal', { toTxAddress: '"rX?dt="' }, 'empty_tag'],
  ['withdrawal', { toTxAddress: '"rX?dt=12?dt="' }, ''],
  ['withdrawal', { toTxAddress: '"rX?dt=0"' }, ''],
  ['withdrawal', { toTxAddress: '"rX"' }, ''],
  ['withdrawal', { status: '"COMPLETED"', toTxAddress: '"rX?dt=07"' }, ''],
  ['deposit', { rateType: '"CAPPED"' }, 'unreadable'],
  ['deposit', { network: '""' }, 'empty_text'],
  ['deposit', { toString: '1' }, 'additional'],
  ['deposit', { extra: 'null' }, 'additional'],
  ['withdrawal', { txAddressOwner: OWNER }, 'additional'],
  ['withdrawal', { transactionId: '"x"', txAddressOwner: OWNER }, ''],
  ['withdrawal', { txAddressOwner: '{"name":"x","category":"y"}' }, ''],
  // Of a refused body, nothing is kept, and its unreadable fields have warnings.
  ['deposit', { onChainFee: '"1"', ...REFUSED }, 'encoding'],
  ['deposit', { later: '1', ...REFUSED }, 'additional'],
  ['deposit', { rateType: '"CAPPED"', ...REFUSED }, ''],
  ['withdrawal', { txAddressOwner: OWNER, withdrawalId: '"x"' }, 'additional'],
];

function fieldOf(body: string, name: string) {
  const field = inspectBody(body).fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}

const quirksIn = ([of, fields]: (typeof ROWS)[number]) =>
  fieldOf(of === 'deposit' ? deposit(fields) : withdrawal(fields), `${Object.keys(fields)[0]}`)
    .quirks;

test.each(ROWS)('in a %s with %j, the first field is: %s', (...row) => {
  const codes = quirksIn(row).map(({ code }) => code);
  expect(codes.join(' ')).toBe(row[2]);
});

test('each quirk says in words what a receiver may misread', () => {
  const notes = ROWS.flatMap((row) => quirksIn(row).map(({ code, note }) => `${code}: ${note}`));
  expect([...new Set(notes)]).toStrictEqual([
    'exponent: JavaScript prints this number as 1e-8',
    'lost_digits: a plain JSON.parse would read 0.12345678901234568',
    'encoding: unlike the sample, which has a string',
    'spelling: the service also documents the spelling deducedSettlementAmount',
    'spelling: the service also documents the spelling deductedSettlementAmount',
    'unreadable: not read; kept in additionalFields',
    'empty_text: an empty string counts as no value',
    'encoding: unlike the sample, which has a number',
    'milliseconds: read as milliseconds, because it is too large for seconds',
    'date_time: a date-time; the sample has a UNIX time',
    'upper_case: the idempotency key has it in lower case',
    'leading_zeros: a tag read as a number would lose its zeros',
    'empty_tag: an empty tag counts as no tag',
    "additional: the service doesn't document this field; kept in additionalFields",
    'additional: kept in its additionalFields: category, level\\u202e',
    "additional: the service doesn't document this field",
    'additional: unknown or not read: category, level\\u202e',
  ]);
});

test.each(['extra', 'toString', 'constructor', 'valueOf', '__proto__'])(
  'a value of %s that is nested too deeply is left out, and one within the limit is not',
  (name) => {
    const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const objects = `${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`;
    const note = 'nested too deeply; left out of the notification';
    for (const deep of [arrays(1001), objects]) {
      expect(fieldOf(deposit({ [name]: deep }), name)).toMatchObject({
        ...{ parsed: null, quirks: [{ code: 'deeply_nested', note }] },
      });
    }
    const { quirks } = fieldOf(deposit({ [name]: arrays(1000) }), name);
    expect(quirks).toMatchObject([{ code: 'additional' }]);
  },
);

test.each([
  [deposit().replace('{', '{"network":"X",'), 'network'],
  // Of an unknown notification, nothing else is known.
  ['{"onChainFee":"1","onChainFee":"2","depositId":null}', 'onChainFee'],
])('a field that was sent more than once says so: %s', (body, name) => {
  const note = 'sent more than once; the last value counts';
  expect(fieldOf(body, name).quirks).toStrictEqual([{ code: 'repeated', note }]);
});
