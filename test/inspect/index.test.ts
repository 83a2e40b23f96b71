import { safeParseNotification } from 'payment-notifications';
import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { judgeBody } from '../../src/inspect/judgement.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { OUTCOMES } from './outcomes.js';

/** The field of that name. */
function fieldOf(body: string, name: string) {
  const field = inspectBody(body).fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}

test.each(OUTCOMES)('%s: %s is %s, because of %s', (_, body, outcome, ...reasons) => {
  const { judgement, checks } = judgeBody(body, null);
  expect(inspectBody(body)).toMatchObject(judgement);
  expect({ outcome: judgement.outcome, checks }).toStrictEqual({ outcome, checks: reasons });
});

describe('an inspection', () => {
  test('of a valid body holds everything', () => {
    const body = deposit({
      depositId: '"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11"',
      clientPaymentId: '"\\u0061\\u202e"',
      actualDepositAmount: ' 0.1234567890123456780',
      settlementAmount: '"1.50"',
      settlementRateDepegLossAmount: undefined,
      later: ' { "a" : [ 1.0, "x y", -0 ] } ',
    });
    expect(inspectBody(body)).toStrictEqual({
      summary:
        'Order "a\\u202e": 0.123456789012345678 BTC arrived, 0.108226789012345678 BTC more than the 0.01523 BTC expected, but its value of 950.25 EUR is exactly what was expected.',
      outcome: 'check',
      type: 'deposit.received',
      idempotencyKey: 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
      fields: expect.arrayContaining([
        { name: 'status', raw: '"CONFIRMED"', parsed: 'CONFIRMED', quirks: [] },
        {
          name: 'depositId',
          raw: '"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11"',
          parsed: '0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11',
          quirks: [{ code: 'upper_case', note: 'the idempotency key has it in lower case' }],
        },
        { name: 'clientPaymentId', raw: '"\\u0061\\u202e"', parsed: 'a\u202e', quirks: [] },
        {
          name: 'actualDepositAmount',
          raw: '0.1234567890123456780',
          parsed: '0.123456789012345678',
          quirks: [
            { code: 'lost_digits', note: 'a plain JSON.parse would read 0.12345678901234568' },
          ],
        },
        {
          name: 'settlementAmount',
          raw: '"1.50"',
          parsed: '1.5',
          quirks: [{ code: 'encoding', note: 'unlike the sample, which has a number' }],
        },
        { name: 'displayRateDepegLossAmount', raw: 'null', parsed: null, quirks: [] },
        {
          name: 'later',
          raw: '{"a":[1.0,"x y",-0]}',
          parsed: { a: ['1.0', 'x y', '-0'] },
          quirks: [
            {
              code: 'additional',
              note: "the service doesn't document this field; kept in additionalFields",
            },
          ],
        },
      ]),
      absent: ['settlementRateDepegLossAmount'],
      warnings: [],
      issues: [],
      jsonFault: null,
      reference: {
        depositId: '0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11',
        paymentId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        transactionId: 'c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655',
      },
    });
  });

  test('of a refused body holds what could be read of it', () => {
    const body =
      '{"withdrawalId":"x","toTxAddress":"r?dt=7","status":"FAILED","withdrawFee":"free"}';
    const { fields, absent, warnings, issues, ...rest } = inspectBody(body);
    expect(rest).toStrictEqual({
      summary:
        'The body of withdrawal x is refused for 2 faults. The first: withdrawalId should be a UUID, but is a string of length 1. Ask the service about it. The endpoint should answer 400 and store the body.',
      outcome: 'refused',
      type: 'withdrawal.broadcast',
      idempotencyKey: null,
      jsonFault: null,
      reference: { withdrawalId: 'x' },
    });
    expect(fields.map(({ name, parsed }) => [name, parsed])).toStrictEqual([
      ['withdrawalId', null],
      ['toTxAddress', { raw: 'r?dt=7', address: 'r', destinationTag: '7' }],
      ['status', 'FAILED'],
      ['withdrawFee', null],
    ]);
    expect(absent).toContain('txAddressOwner');
    expect(warnings.map(({ path }) => path.join('.'))).toStrictEqual([
      ...['businessId', 'withdrawCurrency', 'estimatedWithdrawAmount', 'withdrawFee'],
      ...['displayCurrency', 'expectedDisplayAmount', 'settlementCurrency', 'txAddressOwner'],
    ]);
    expect(issues[0]).toMatchObject({ code: 'invalid_id', path: ['withdrawalId'] });
  });

  test('of a body of an unknown notification holds its fields as they came', () => {
    expect(inspectBody('{"a":1.0,"clientPaymentId":"order-1"}')).toStrictEqual({
      summary:
        'The body of order order-1 is refused: it should have either a depositId or a withdrawalId, but has neither. Ask the service about it. The endpoint should answer 400 and store the body.',
      outcome: 'refused',
      type: null,
      idempotencyKey: null,
      fields: [
        { name: 'a', raw: '1.0', parsed: null, quirks: [] },
        { name: 'clientPaymentId', raw: '"order-1"', parsed: null, quirks: [] },
      ],
      absent: [],
      warnings: [],
      issues: [
        {
          code: 'unrecognized_notification',
          path: [],
          message: 'body: expected either a depositId or a withdrawalId, received neither',
          expected: 'either a depositId or a withdrawalId',
          received: 'neither',
        },
      ],
      jsonFault: null,
      reference: { clientPaymentId: 'order-1' },
    });
  });

  test('of text that is not JSON has only the issue', () => {
    for (const as of [undefined, 'withdrawal.broadcast'] as const) {
      expect(inspectBody('hello', { as })).toStrictEqual({
        summary:
          'The body is refused: it should be a JSON object, but is 5 characters that are not JSON. Ask the service about it. The endpoint should answer 400 and store the body.',
        outcome: 'refused',
        type: as ?? null,
        idempotencyKey: null,
        fields: [],
        absent: [],
        warnings: [],
        issues: safeParseNotification('hello').error?.issues,
        jsonFault: { line: 1, column: 1, before: '', after: 'hello' },
        reference: {},
      });
    }
  });

  test('is the same of text and of bytes, with a byte-order mark or without', () => {
    const body = deposit({ network: '"Zürich"' });
    const bytes = new Uint8Array(Buffer.from(body)).buffer;
    for (const same of [`\uFEFF${body}`, bytes, Buffer.from(`\uFEFF${body}`)]) {
      expect(inspectBody(same)).toStrictEqual(inspectBody(body));
    }
    const broken = inspectBody('{x').jsonFault;
    expect(inspectBody(Buffer.from('\uFEFF{x')).jsonFault).toStrictEqual(broken);
  });

  test('follows the endpoint that the body was sent to', () => {
    const wrong = inspectBody(withdrawal(), { as: 'deposit.received' });
    expect(wrong).toMatchObject({ outcome: 'refused', type: 'deposit.received' });
    expect(wrong.issues[0]?.message).toContain('Check whether the callback URLs are swapped');
    expect(wrong.absent).toContain('depositId');
  });

  test('refuses a parsed body, whose digits are gone', () => {
    const parsed = JSON.parse(deposit());
    expect(() => inspectBody(parsed)).toThrow(
      new TypeError('body: expected text or bytes, received an object. Pass the raw body'),
    );
  });

  test.each<[unknown, string]>([
    ['toString', '"toString"'],
    [null, 'null'],
  ])('refuses to inspect a body as %j', (as, received) => {
    expect(() => inspectBody(deposit(), { as: as as 'deposit.received' })).toThrow(
      new TypeError(`as: expected deposit.received or withdrawal.broadcast, received ${received}`),
    );
  });

  test('gives each spelling of one amount what was sent under it', () => {
    for (const other of ['null', '""', '"free"']) {
      const both = withdrawal({ deducedSettlementAmount: other });
      expect(fieldOf(both, 'deductedSettlementAmount').parsed).toBe('250.31');
      expect(fieldOf(both, 'deducedSettlementAmount').parsed).toBeNull();
    }
    const deduced = withdrawal({
      deductedSettlementAmount: undefined,
      deducedSettlementAmount: '"1"',
    });
    expect(fieldOf(deduced, 'deducedSettlementAmount').parsed).toBe('1');
    expect(inspectBody(deduced).absent).toStrictEqual([]);
    expect(inspectBody(withdrawal()).absent).toStrictEqual([]);
    expect(inspectBody(withdrawal({ deductedSettlementAmount: undefined })).absent).toStrictEqual([
      'deductedSettlementAmount',
    ]);
  });
});
