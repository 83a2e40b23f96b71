import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { deposit, withdrawal } from '../sample-bodies.js';

/** A field as an inspection has it. What its quirks say is tested apart. */
const field = (name: string, raw: string, parsed: unknown, ...codes: string[]) => {
  return { name, raw, parsed, quirks: codes.map((code) => expect.objectContaining({ code })) };
};
test('a valid body', () => {
  const id = '0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11';
  const amount = '0.123456789012345678';
  const body = deposit({
    depositId: `"${id}"`,
    clientPaymentId: '"\\u0061\\u202e"',
    actualDepositAmount: ` ${amount}0`,
    settlementAmount: '"1.50"',
    settlementRateDepegLossAmount: undefined,
    later: ' { "a" : [ 1.0, "x y", -0 ] } ',
  });
  expect(inspectBody(body)).toStrictEqual({
    summary: expect.stringContaining(`Order "a\\u202e": ${amount} BTC arrived, `),
    outcome: 'check',
    type: 'deposit.received',
    idempotencyKey: `deposit.received:${id.toLowerCase()}`,
    fields: expect.arrayContaining([
      field('status', '"CONFIRMED"', 'CONFIRMED'),
      field('depositId', `"${id}"`, id),
      field('clientPaymentId', '"\\u0061\\u202e"', 'a\u202e'),
      field('actualDepositAmount', `${amount}0`, amount, 'lost_digits'),
      field('settlementAmount', '"1.50"', '1.5'),
      field('displayRateDepegLossAmount', 'null', null),
      field('later', '{"a":[1.0,"x y",-0]}', { a: ['1.0', 'x y', '-0'] }, 'additional'),
    ]),
    absent: ['settlementRateDepegLossAmount'],
    warnings: [],
    issues: [],
    jsonFault: null,
    reference: {
      depositId: id,
      paymentId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      transactionId: 'c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655',
    },
  });
});

test('a refused body, as far as it could be read', () => {
  const body = '{"withdrawalId":"x","toTxAddress":"r?dt=7","status":"FAILED","withdrawFee":"free"}';
  const { absent, warnings, issues, ...rest } = inspectBody(body);
  expect(rest).toMatchObject({
    outcome: 'refused',
    type: 'withdrawal.broadcast',
    reference: { withdrawalId: 'x' },
    fields: [
      field('withdrawalId', '"x"', null),
      field('toTxAddress', '"r?dt=7"', { raw: 'r?dt=7', address: 'r', destinationTag: '7' }),
      field('status', '"FAILED"', 'FAILED'),
      field('withdrawFee', '"free"', null),
    ],
  });
  expect(absent).toContain('txAddressOwner');
  expect(warnings.map(({ path }) => path.join('.'))).toStrictEqual([
    ...['businessId', 'withdrawCurrency', 'estimatedWithdrawAmount', 'withdrawFee'],
    ...['displayCurrency', 'expectedDisplayAmount', 'settlementCurrency', 'txAddressOwner'],
  ]);
  expect(issues[0]).toMatchObject({ code: 'invalid_id', path: ['withdrawalId'] });
});

test('a field that is nested too deeply has no value', () => {
  const deep = `${'['.repeat(1001)}${']'.repeat(1001)}`;
  const { fields } = inspectBody(deposit({ extra: deep }));
  expect(fields).toContainEqual(field('extra', deep, null, 'deeply_nested'));
});

const NO_BODY = 'body: expected text or bytes, received';
const NO_TYPE = 'as: expected deposit.received or withdrawal.broadcast, received';

test.each<[body: unknown, as: unknown, message: string]>([
  [{}, undefined, `${NO_BODY} an object. Pass the raw body`],
  [null, undefined, `${NO_BODY} null. Pass the raw body`],
  ['', 'toString', `${NO_TYPE} "toString"`],
  ['', null, `${NO_TYPE} null`],
])('%j, as %j, throws', (body, as, message) => {
  const call = () => inspectBody(body as string, { as: as as 'deposit.received' });
  expect(call).toThrow(new TypeError(message));
});

const DEDUCTED = 'deductedSettlementAmount';
const DEDUCED = 'deducedSettlementAmount';

test.each([
  [{ [DEDUCED]: 'null' }, ['250.31', null], []],
  [{ [DEDUCED]: '"free"' }, [null, null], []],
  [{ [DEDUCED]: '"1"' }, [null, null], []],
  [{ [DEDUCED]: '"250.310"' }, ['250.31', '250.31'], []],
  [{ [DEDUCED]: '"1"', [DEDUCTED]: undefined }, [undefined, '1'], []],
  [{}, ['250.31', undefined], []],
  [{ [DEDUCTED]: undefined }, [undefined, undefined], [DEDUCTED]],
])('each spelling of one amount has what was sent under it: %j', (fields, read, missing) => {
  const { fields: found, absent } = inspectBody(withdrawal(fields));
  const parsedOf = (name: string) => found.find((one) => one.name === name)?.parsed;
  expect([DEDUCTED, DEDUCED].map(parsedOf)).toStrictEqual(read);
  expect(absent).toStrictEqual(missing);
});
