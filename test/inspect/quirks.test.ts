import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { deposit, type Wire, withdrawal } from '../sample-bodies.js';

const OWNER = '{"name":"x","category":5,"level\u202e":1}';
const DEEP = `${'['.repeat(1001)}${']'.repeat(1001)}`;
const REFUSED = { paymentId: '"x"' };
const LOST = 'lost_digits: a plain JSON.parse would read 0.12345678901234568';
const UNDOCUMENTED = "additional: the service doesn't document this field";
const KEPT = `${UNDOCUMENTED}; kept in additionalFields`;
const OWNERS = 'additional: kept in its additionalFields: category, level\\u202e';
const UNREAD = 'additional: unknown or not read: category, level\\u202e';
const UNREADABLE = 'unreadable: not read; kept in additionalFields';
const MILLISECONDS = 'milliseconds: read as milliseconds, because it is too large for seconds';
const ZEROS = 'leading_zeros: a tag read as a number would lose its zeros';
const TOO_DEEP = 'deeply_nested: nested too deeply; left out of the notification';

function quirksIn(body: string, name: string): string[] {
  const field = inspectBody(body).fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field.quirks.map(({ code, note }) => `${code}: ${note}`);
}

test.each<[fields: Record<string, Wire>, ...quirks: string[]]>([
  [{ onChainFee: '0.1234567890123456789' }, LOST],
  [{ onChainFee: '"0.1234567890123456789"' }],
  [{ onChainFee: '0.00000001' }],
  [{ expirationTime: '"1790003600123"' }, MILLISECONDS],
  [{ expirationTime: '1790003600123.5' }, MILLISECONDS],
  [{ expirationTime: '1790003600.5' }],
  [{ expirationTime: '0' }],
  [{ expirationTime: '"2026-09-21T15:13:20Z"' }],
  [{ rateType: '"CAPPED"' }, UNREADABLE],
  [{ network: '""' }],
  [{ toString: '1' }, KEPT],
  [{ extra: 'null' }, KEPT],
  [{ extra: DEEP }, TOO_DEEP],
  [{ toString: DEEP }, TOO_DEEP],
  [JSON.parse(`{"__proto__":"${DEEP}"}`), TOO_DEEP],
  // Of a refused body, nothing is kept, and its unreadable fields have warnings.
  [{ later: '1', ...REFUSED }, UNDOCUMENTED],
  [{ rateType: '"CAPPED"', ...REFUSED }],
])('in a deposit with %j, the first field has the quirks %j', (fields, ...quirks) => {
  expect(quirksIn(deposit(fields), `${Object.keys(fields)[0]}`)).toStrictEqual(quirks);
});

test.each<[fields: Record<string, Wire>, ...quirks: string[]]>([
  [{ toTxAddress: '"rX?dt=007"' }, ZEROS],
  [{ toTxAddress: '"rX?dt=0"' }],
  [{ toTxAddress: '"rX"' }],
  [{ txAddressOwner: OWNER }, OWNERS],
  [{ txAddressOwner: '{"name":"x","category":"y"}' }],
  [{ txAddressOwner: OWNER, withdrawalId: '"x"' }, UNREAD],
])('in a withdrawal with %j, the first field has the quirks %j', (fields, ...quirks) => {
  expect(quirksIn(withdrawal(fields), `${Object.keys(fields)[0]}`)).toStrictEqual(quirks);
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
