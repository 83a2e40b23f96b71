import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { deposit, type Wire, withdrawal } from '../sample-bodies.js';

const OWNER = '{"name":"x","category":5,"level\u202e":1}';
const DEEP = `${'['.repeat(1001)}${']'.repeat(1001)}`;
const REFUSED = { paymentId: '"x"' };
const UNDOCUMENTED = "additional: the service doesn't document this field";
const UNREADABLE = 'unreadable: not read; kept in additionalFields';
const MILLISECONDS = 'milliseconds: read as milliseconds, because it is too large for seconds';
const ZEROS = 'leading_zeros: a tag read as a number would lose its zeros';

function quirksIn(body: string, name: string): string[] {
  const field = inspectBody(body).fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field.quirks.map(({ code, note }) => `${code}: ${note}`);
}

test.each<[of: 'deposit' | 'withdrawal', fields: Record<string, Wire>, quirk: string | undefined]>([
  [
    'deposit',
    { onChainFee: '0.1234567890123456789' },
    'lost_digits: a plain JSON.parse would read 0.12345678901234568',
  ],
  ['deposit', { onChainFee: '"0.1234567890123456789"' }, undefined],
  ['deposit', { onChainFee: '0.00000001' }, undefined],
  ['deposit', { expirationTime: '"1790003600123"' }, MILLISECONDS],
  ['deposit', { expirationTime: '1790003600123.5' }, MILLISECONDS],
  ['deposit', { expirationTime: '1790003600.5' }, undefined],
  ['deposit', { expirationTime: '0' }, undefined],
  ['deposit', { expirationTime: '"2026-09-21T15:13:20Z"' }, undefined],
  ['withdrawal', { toTxAddress: '"rX?dt=007"' }, ZEROS],
  ['withdrawal', { toTxAddress: '"rX?dt=0"' }, undefined],
  ['withdrawal', { toTxAddress: '"rX"' }, undefined],
  ['deposit', { rateType: '"CAPPED"' }, UNREADABLE],
  ['deposit', { network: '""' }, undefined],
  ['deposit', { network: '"X"' }, undefined],
  ['deposit', { toString: '1' }, `${UNDOCUMENTED}; kept in additionalFields`],
  ['deposit', { extra: 'null' }, `${UNDOCUMENTED}; kept in additionalFields`],
  [
    'withdrawal',
    { txAddressOwner: OWNER },
    'additional: kept in its additionalFields: category, level\\u202e',
  ],
  ['withdrawal', { txAddressOwner: '{"name":"x","category":"y"}' }, undefined],
  // Of a refused body, nothing is kept, and its unreadable fields have warnings.
  ['deposit', { later: '1', ...REFUSED }, UNDOCUMENTED],
  ['deposit', { rateType: '"CAPPED"', ...REFUSED }, undefined],
  [
    'withdrawal',
    { txAddressOwner: OWNER, withdrawalId: '"x"' },
    'additional: unknown or not read: category, level\\u202e',
  ],
  ...['extra', 'toString', '__proto__'].map((name): ['deposit', Record<string, Wire>, string] => [
    'deposit',
    JSON.parse(`{"${name}":"${DEEP}"}`),
    'deeply_nested: nested too deeply; left out of the notification',
  ]),
])('in a %s with %j, the first field has the quirk %s', (of, fields, quirk) => {
  const body = of === 'deposit' ? deposit(fields) : withdrawal(fields);
  expect(quirksIn(body, `${Object.keys(fields)[0]}`)).toStrictEqual(
    quirk === undefined ? [] : [quirk],
  );
});

test.each([
  [deposit().replace('{', '{"network":"X",'), 'network'],
  // Of an unknown notification, nothing else is known.
  ['{"onChainFee":"1","onChainFee":"2","depositId":null}', 'onChainFee'],
])('a field that was sent more than once says so: %s', (body, name) => {
  expect(quirksIn(body, name)).toStrictEqual([
    'repeated: sent more than once; the last value counts',
  ]);
});
