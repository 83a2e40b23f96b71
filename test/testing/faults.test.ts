import fc from 'fast-check';
import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { faultyBodies, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { runs } from '../fuzz/runs.js';
import { errorOf } from '../sample-bodies.js';
import { anyBody } from './overrides.js';

describe('a faulty body', () => {
  test('of any notification is refused for its fault alone, by the parser of either kind too', () => {
    fc.assert(
      fc.property(anyBody, (good) => {
        const isDeposit = good.includes('"depositId"');
        const parse = isDeposit ? safeParseDepositReceived : safeParseWithdrawalBroadcast;
        for (const { label, code, body } of faultyBodies(good)) {
          const { issues } = errorOf(safeParseNotification(body));
          expect(issues, label).toMatchObject([{ code }]);
          expect(parse(body).success, label).toBe(false);
        }
      }),
      { numRuns: runs(50) },
    );
  });

  test.each([
    ['deposit', faultyBodies(), []],
    ['withdrawal', faultyBodies(withdrawalBroadcastBody()), ['invalid_tx_address']],
  ])('of a %s is there for every code that refuses a raw body', (_, bodies, more) => {
    expect(new Set(bodies.map(({ code }) => code))).toStrictEqual(
      new Set([
        ...['invalid_json', 'body_too_large', 'not_an_object', 'unrecognized_notification'],
        ...['missing_field', 'wrong_type', 'invalid_amount', 'negative_amount', 'invalid_id'],
        ...['unknown_value', ...more],
      ]),
    );
    expect(new Set(bodies.map(({ label }) => label)).size).toBe(bodies.length);
    for (const { label } of bodies) expect(label).not.toBe('');
  });

  test('has its code, if the valid body begins with a byte-order mark', () => {
    for (const { label, code, body } of faultyBodies(`\ufeff${withdrawalBroadcastBody()}`)) {
      expect(errorOf(safeParseNotification(body)).issues, label).toMatchObject([{ code }]);
    }
  });

  test('may read well once its bytes were decoded without care', () => {
    const { body = '' } = faultyBodies().find(({ label }) => label.includes('UTF-8')) ?? {};
    expect(safeParseNotification(new TextDecoder().decode(Buffer.from(body))).success).toBe(true);
  });
});
