import fc from 'fast-check';
import { idempotencyKey, parseNotification, safeParseNotification } from 'payment-notifications';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { bytesBody } from '../fuzz/bodies.js';
import { runs } from '../fuzz/runs.js';

const labelsOf = (body: string) => bodyVariants(body).map(({ label }) => label);
const variant = (body: string, label: string) =>
  JSON.parse(bodyVariants(body).find((one) => one.label === label)?.body ?? '');

const validBody = bytesBody.map(String).filter((body) => safeParseNotification(body).success);

describe('every variant', () => {
  /** A notification, but for the words of its warnings. */
  const read = (body: string) => {
    const notification = parseNotification(body);
    const warnings = notification.warnings.map(({ code, path }) => ({ code, path }));
    return { ...notification, warnings, key: idempotencyKey(notification) };
  };

  function expectEqual(body: string) {
    const variants = bodyVariants(body);
    expect(variants[0]).toStrictEqual({ label: 'as given', body });
    for (const { label, body: text } of variants) {
      expect(read(text), label).toStrictEqual(read(body));
    }
    expect(new Set(variants.map(({ label }) => label)).size).toBe(variants.length);
    expect(new Set(variants.map(({ body: text }) => text)).size).toBe(variants.length);
  }

  test('of any body has a label and a text of its own, and parses to an equal notification', () => {
    fc.assert(fc.property(validBody, expectEqual), { numRuns: runs(100) });
    const valid = fixtures.filter(({ expected }) => expected.notification);
    expect(valid.length).toBeGreaterThan(30);
    for (const unreadable of ['"-1"', '"n/a"'])
      expectEqual(withdrawalBroadcastBody().replace('"250.31000000"', unreadable));
    for (const { body } of valid) expectEqual(body.toString('utf8'));
  });
});

describe('the variants', () => {
  const deposit = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });
  const withdrawal = withdrawalBroadcastBody();

  test('have each amount in its other encoding, to the digit', () => {
    for (const spelling of ['deductedSettlementAmount', 'deducedSettlementAmount']) {
      const body = withdrawal.replace('deductedSettlementAmount', spelling);
      const numbers = bodyVariants(body).find(({ label }) => label.endsWith('as a number'));
      expect(numbers?.body).toContain('"actualWithdrawAmount":480.73000000,');
      expect(numbers?.body).toMatch(new RegExp(`"${spelling}":250\\.31000000[,}]`));
    }
  });

  test('have null left out and what is absent as null', () => {
    expect(variant(deposit, 'every missing value left out')).not.toHaveProperty(
      'displayRateDepegLossAmount',
    );
    const failed = withdrawalBroadcastBody({ status: 'FAILED' });
    expect(variant(failed, 'every missing value as null')).toMatchObject({
      ...{ transactionId: null, actualWithdrawAmount: null },
      ...{ deductedSettlementAmount: null, deducedSettlementAmount: null },
    });
  });

  test('say what is special about them', () => {
    expect(labelsOf(depositReceivedBody({ network: undefined }))).toStrictEqual([
      'as given',
      'every amount as a number',
      'every amount as a string',
      'every amount with an exponent',
      'every amount with trailing zeros',
      'every missing value as null',
      'every missing value left out',
      'fields in reverse order',
      'indented',
    ]);
    const spelled = (body: string) => labelsOf(body).filter((label) => /^spelled/.test(label));
    expect(spelled(withdrawalBroadcastBody({ withdrawFee: null }))).toStrictEqual([
      'spelled deducedSettlementAmount',
      'spelled both ways',
      'spelled deducedSettlementAmount, the other as null',
    ]);
    expect(spelled(withdrawal.replace('deducted', 'deduced'))).toStrictEqual([
      'spelled deductedSettlementAmount',
      'spelled both ways',
      'spelled deductedSettlementAmount, the other as null',
    ]);
  });

  test('of both spellings have the amounts in other forms, unless these conflict', () => {
    const formsWith = (deduced: string) =>
      labelsOf(withdrawal.replace('{', `{"deducedSettlementAmount":"${deduced}",`)).filter(
        (label) => label.startsWith('every amount'),
      );
    expect(formsWith('250.31000000')).toStrictEqual([
      'every amount as a number',
      'every amount with an exponent',
      'every amount with trailing zeros',
    ]);
    expect(formsWith('250.32000000')).toStrictEqual([]);
  });

  test('leave alone what the document does not know', () => {
    const body = `{"extra":[0.10,"\uFEFF"],"deducedSettlementAmount":"5","withdrawalId":null,${deposit.slice(1)}`;
    const notification = parseNotification(body);
    for (const { body: text } of bodyVariants(body)) {
      expect(text.replace('": [', '":[')).toContain('"extra":[0.10,"\uFEFF"]');
      expect(parseNotification(text)).toStrictEqual(notification);
    }
  });

  test('can not be made of what is no JSON object', () => {
    for (const [text, received] of [
      ['[1]', 'an array'],
      ['null', 'null'],
      ['1', '1'],
    ] as const) {
      expect(() => bodyVariants(text)).toThrow(
        new TypeError(`body: expected the JSON text of an object, received ${received}`),
      );
    }
    expect(() => bodyVariants('{')).toThrow(SyntaxError);
    expect(() => bodyVariants(Buffer.from(deposit) as unknown as string)).toThrow(
      new TypeError('body: expected text, received an object'),
    );
  });
});
