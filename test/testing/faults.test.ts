import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { faultyBodies, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { errorOf } from '../sample-bodies.js';

describe('a faulty body', () => {
  const valid = fixtures.filter(({ expected }) => expected.notification?.warnings.length === 0);

  test.each(valid)('of $id is refused for its fault alone, by each parser', ({ body: good }) => {
    const isDeposit = good.includes('"depositId"');
    const parse = isDeposit ? safeParseDepositReceived : safeParseWithdrawalBroadcast;
    for (const { label, code, body } of faultyBodies(`${good}`)) {
      const { issues } = errorOf(safeParseNotification(body));
      expect(issues, label).toMatchObject([{ code }]);
      expect(parse(body).success, label).toBe(false);
    }
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

  test('may read well once its bytes were decoded without care', () => {
    const { body = '' } = faultyBodies().find(({ label }) => label.includes('UTF-8')) ?? {};
    expect(safeParseNotification(new TextDecoder().decode(Buffer.from(body))).success).toBe(true);
  });
});
