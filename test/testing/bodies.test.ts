import fc from 'fast-check';
import { parseDepositReceived, parseWithdrawalBroadcast } from 'payment-notifications';
import {
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures.js';
import { runs } from '../fuzz/random.js';
import { depositOverrides, withdrawalOverrides } from './overrides.js';

describe('a deposit body', () => {
  test('without overrides is the sample deposit', () => {
    const sample = fixture('deposit-received/sample');
    expect(JSON.parse(depositReceivedBody())).toStrictEqual(JSON.parse(sample.body.toString()));
    expect(JSON.parse(JSON.stringify(parseDepositReceived(depositReceivedBody())))).toStrictEqual(
      sample.expected.notification,
    );
  });

  test('parses to its overrides, whatever they are', () => {
    fc.assert(
      fc.property(depositOverrides, (overrides) => {
        const notification = parseDepositReceived(depositReceivedBody(overrides));
        expectOverrides(notification, overrides);
      }),
      { numRuns: runs(250) },
    );
  });

  test('holds an amount digit by digit, as a number or a string as the service sends it', () => {
    const body = depositReceivedBody({
      actualDepositAmount: '0.100000000000000000001',
      displayDistributedUserServiceFee: '1.00',
    });
    expect(body).toContain('"actualDepositAmount":0.100000000000000000001,');
    expect(body).toContain('"displayDistributedUserServiceFee":"1.00"');
  });

  test.each(['1e8', '1E-8', '-1.5e+10', '0e0'])('holds %s as it is given', (onChainFee) => {
    expect(depositReceivedBody({ onChainFee })).toContain(`"onChainFee":${onChainFee},`);
  });

  test.each(['1e', '1e+', '1ex', '01', '1.', '+1', ' 1', '1 ', '.5'])(
    'refuses %j',
    (onChainFee) => {
      expect(() => depositReceivedBody({ onChainFee })).toThrow('onChainFee: expected a decimal');
    },
  );
});

describe('a withdrawal body', () => {
  test.each([
    ['COMPLETED', 'sample'],
    ['FAILED', 'failed'],
  ] as const)('that is %s is the sample withdrawal', (status, name) => {
    const sample = fixture(`withdrawal-broadcast/${name}`);
    const body = withdrawalBroadcastBody({ status });
    expect(JSON.parse(body)).toStrictEqual(JSON.parse(sample.body.toString()));
    expect(JSON.parse(JSON.stringify(parseWithdrawalBroadcast(body)))).toStrictEqual(
      sample.expected.notification,
    );
  });

  test('that is BLOCKED says nothing of what moved, unless it is told to', () => {
    const blocked = withdrawalBroadcastBody({ status: 'BLOCKED', withdrawFee: '0.1' });
    const withdrawal = parseWithdrawalBroadcast(blocked);
    expect(withdrawal).toMatchObject({ status: 'BLOCKED', actualWithdrawAmount: null });
    expect(`${withdrawal.withdrawFee}`).toBe('0.1');
  });

  test('parses to its overrides, whatever they are', () => {
    fc.assert(
      fc.property(withdrawalOverrides, (overrides) => {
        const notification = parseWithdrawalBroadcast(withdrawalBroadcastBody(overrides));
        expectOverrides(notification, overrides);
      }),
      { numRuns: runs(250) },
    );
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
    const { clientPaymentId } = parseDepositReceived(depositReceivedBody({}, { seed: most }));
    expect(clientPaymentId).toBe(`order-${most}`);
  });

  test.each<[unknown, string]>([
    [-1, '-1'],
    [0.5, '0.5'],
    [2 ** 48, '281474976710656'],
    [Number.NaN, 'NaN'],
    ['7', '"7"'],
  ])('of %j is refused', (seed, received) => {
    expect(() => depositReceivedBody({}, { seed: seed as number })).toThrow(
      new RangeError(
        `seed: expected a whole number from 0 to 281474976710655, received ${received}`,
      ),
    );
  });
});

const AMOUNT = 'expected a decimal number, given as a string such as "0.5", received';
const TIME = 'paymentReceivedAt: expected a UNIX time, given as a number, received';
test.each<[Record<string, unknown>, string]>([
  [{ amount: '1' }, 'the body has no field "amount"'],
  [{ toString: '1' }, 'the body has no field "toString"'],
  [{ actualDepositAmount: '1,5' }, `actualDepositAmount: ${AMOUNT} "1,5"`],
  [{ actualDepositAmount: 1.5 }, `actualDepositAmount: ${AMOUNT} 1.5`],
  [
    { displayDistributedUserServiceFee: '' },
    `displayDistributedUserServiceFee: ${AMOUNT} an empty string`,
  ],
  [{ network: 5 }, 'network: expected a string, received 5'],
  [{ paymentReceivedAt: new Date(0) }, `${TIME} an object`],
  [{ paymentReceivedAt: Number.NaN }, `${TIME} NaN`],
])('%j is refused: it can not be written', (overrides, message) => {
  expect(() => depositReceivedBody(overrides as DepositReceivedOverrides)).toThrow(
    new TypeError(message),
  );
});

test('an owner that is no object is refused', () => {
  const overrides = { txAddressOwner: 'Someone' } as unknown as WithdrawalBroadcastOverrides;
  expect(() => withdrawalBroadcastBody(overrides)).toThrow(
    'txAddressOwner: expected an object with name and category, received "Someone"',
  );
});

/** What was given is what was parsed: amounts to the digit, times to the second. */
function expectOverrides(notification: object, overrides: Readonly<Record<string, unknown>>): void {
  const parsed = new Map(Object.entries(notification));
  for (const [name, given] of Object.entries(overrides)) {
    const value: unknown = parsed.get(name);
    if (given === undefined || given === null) expect(value).toBeNull();
    else if (value instanceof Date) expect(value.getTime()).toBe(Number(given) * 1000);
    else if (name === 'toTxAddress') expect(value).toMatchObject({ raw: given });
    else if (name === 'txAddressOwner') expect(value).toMatchObject(given);
    else if (typeof value === 'object') expect(String(value)).toBe(plain(String(given)));
    else expect(value).toBe(given);
  }
}

/** A decimal without its trailing zeros. */
function plain(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
