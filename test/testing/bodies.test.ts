import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parse as parseLossless } from 'lossless-json';
import {
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixture, fixtures } from '../../fixtures/index.js';
import { inShort } from '../package/outcomes.js';

test.each([
  ['deposit-received/sample', depositReceivedBody()],
  ['withdrawal-broadcast/sample', withdrawalBroadcastBody({ status: 'COMPLETED' })],
  ['withdrawal-broadcast/failed', withdrawalBroadcastBody({ status: 'FAILED' })],
])('a body is that of %s', (name, body) => {
  const sample = fixture(name);
  expect(JSON.parse(body)).toStrictEqual(JSON.parse(sample.body.toString()));
  const notification = JSON.parse(JSON.stringify(parseNotification(body)));
  expect(inShort(notification)).toStrictEqual(sample.expected.notification);
});

test('a body that is BLOCKED says nothing of what moved, unless it is told to', () => {
  const blocked = withdrawalBroadcastBody({ status: 'BLOCKED', withdrawFee: '0.1' });
  const withdrawal = parseWithdrawalBroadcast(blocked);
  expect(withdrawal).toMatchObject({ status: 'BLOCKED', actualWithdrawAmount: null });
  expect(`${withdrawal.withdrawFee}`).toBe('0.1');
});

describe('overrides', () => {
  const documented = fixtures.filter(({ level, expected: { notification } }) => {
    const isKnown = isDeepStrictEqual(notification?.additionalFields, {});
    return level !== 'ours' && isKnown && notification?.warnings.length === 0;
  });

  test.each(documented)('are what the body parses to: $id', ({ body }) => {
    // Each number as text, so that no digit is lost.
    const fields = Object(parseLossless(`${body}`, null, String));
    const given = parseNotification(body);
    const write = given.type === 'deposit.received' ? depositReceivedBody : withdrawalBroadcastBody;
    const left = Object.keys(JSON.parse(write())).map((name) => [name, undefined]);
    const overrides = { ...Object.fromEntries(left), ...fields };
    expect(parseNotification(write(overrides))).toStrictEqual(given);
  });

  test('hold a text to the character', () => {
    const clientPaymentId = '"\\\n\u2028é';
    const body = depositReceivedBody({ clientPaymentId });
    expect(parseDepositReceived(body).clientPaymentId).toBe(clientPaymentId);
  });

  test.each(['0.100000000000000000001', '1e8', '1E-8', '-1.5e+10', '0e0'])(
    'hold %s as it is given, as a number or a string as the service sends it',
    (amount) => {
      const fields = { onChainFee: amount, displayDistributedUserServiceFee: amount };
      const body = depositReceivedBody(fields);
      expect(body).toContain(`"onChainFee":${amount},`);
      expect(body).toContain(`"displayDistributedUserServiceFee":"${amount}"`);
    },
  );

  test.each([
    [1790001260.5, '2026-09-21T14:34:20.500Z'],
    ['1790001260.5', '2026-09-21T14:34:20.500Z'],
    ['2026-09-21T14:34:20Z', '2026-09-21T14:34:20.000Z'],
  ])('that hold the time %j are written as it is given', (paymentReceivedAt, expected) => {
    const body = depositReceivedBody({ paymentReceivedAt });
    expect(body).toContain(`"paymentReceivedAt":${JSON.stringify(paymentReceivedAt)},`);
    expect(parseDepositReceived(body).paymentReceivedAt).toStrictEqual(new Date(expected));
  });

  const AMOUNT = 'expected a decimal number, given as a string such as "0.5", received';
  const TIME =
    'paymentReceivedAt: expected a UNIX time, as a number or a string, or a date-time such as "2026-09-21T14:34:20Z", received';
  const OWNER = 'txAddressOwner: expected an object with name and category, received';
  test.each<[Record<string, unknown>, string]>([
    [{ amount: '1' }, 'the body has no field "amount"'],
    [{ toString: '1' }, 'the body has no field "toString"'],
    [{ actualDepositAmount: ' 1' }, `actualDepositAmount: ${AMOUNT} " 1"`],
    [{ actualDepositAmount: 1.5 }, `actualDepositAmount: ${AMOUNT} 1.5`],
    [{ network: 5 }, 'network: expected a string, received 5'],
    [{ paymentReceivedAt: new Date(0) }, `${TIME} an object`],
    [{ paymentReceivedAt: 'in an hour' }, `${TIME} "in an hour"`],
    [{ txAddressOwner: 'Someone' }, `${OWNER} "Someone"`],
    [{ txAddressOwner: [] }, `${OWNER} an array`],
  ])('%j are refused: they can not be written', (overrides, message) => {
    const isWithdrawal = /^(withdraw|tx)/.test(message);
    const write = isWithdrawal ? withdrawalBroadcastBody : depositReceivedBody;
    expect(() => write(overrides)).toThrow(new TypeError(message));
  });
});

describe('an additional field', () => {
  const write = (additional: Readonly<Record<string, string>>) =>
    depositReceivedBody({ network: undefined }, { additional, seed: 7 });

  test('stands last in the body, as it is written', () => {
    const body = write({ networkFeeAmount: '0.10', note: '{ "a": [1e2] }' });
    expect(body.endsWith(',"networkFeeAmount":0.10,"note":{ "a": [1e2] }}')).toBe(true);
    expect(parseDepositReceived(body)).toMatchObject({
      clientPaymentId: 'order-7',
      additionalFields: { networkFeeAmount: '0.10', note: { a: ['1e2'] } },
    });
  });

  const JSON_TEXT = 'expected JSON text, such as 0.10 or "text" in quotation marks, received';
  test.each<[Record<string, unknown>, string]>([
    [{ memoText: 'hi' }, `memoText: ${JSON_TEXT} a string of length 2`],
    [{ fee: 0.1 }, `fee: ${JSON_TEXT} a number`],
    [{ network: '"x"' }, 'additional: expected unknown fields, received "network". Override it'],
  ])('%j is refused', (additional, message) => {
    expect(() => write(additional as Record<string, string>)).toThrow(new TypeError(message));
  });
});

describe('a seed', () => {
  const seed = fc.nat({ max: 2 ** 48 - 1 });
  const IDS = ['depositId', 'paymentId', 'clientPaymentId', 'transactionId'] as const;
  const WITHDRAWAL_IDS = ['withdrawalId', 'clientWithdrawalId', 'transactionId'] as const;

  test('makes another event of its own, every identifier of which is valid and differs', () => {
    fc.assert(
      fc.property(seed, seed, (one, other) => {
        fc.pre(one !== other);
        const [a, b] = [one, other].map((number) =>
          parseDepositReceived(depositReceivedBody({}, { seed: number })),
        );
        const [c, d] = [one, other].map((number) =>
          parseWithdrawalBroadcast(withdrawalBroadcastBody({}, { seed: number })),
        );
        for (const name of IDS) expect(a?.[name]).not.toBe(b?.[name]);
        for (const name of WITHDRAWAL_IDS) expect(c?.[name]).not.toBe(d?.[name]);
        expect(a?.actualDepositAmount).toStrictEqual(b?.actualDepositAmount);
        expect(c?.businessId).toBe(d?.businessId);
      }),
    );
  });

  test.each([0, 2 ** 48 - 1])('may be %i', (most) => {
    expect(depositReceivedBody({}, { seed: most })).toContain(`"order-${most}"`);
  });

  test.each<[unknown, string]>([
    [-1, '-1'],
    [0.5, '0.5'],
    [2 ** 48, '281474976710656'],
    ['7', '"7"'],
  ])('of %j is refused', (seed, received) => {
    expect(() => depositReceivedBody({}, { seed: seed as number })).toThrow(
      new RangeError(
        `seed: expected a whole number from 0 to 281474976710655, received ${received}`,
      ),
    );
  });
});
