import {
  idempotencyKey,
  type PaymentNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { deposit, withdrawal } from '../sample-bodies.js';

describe('the idempotency key', () => {
  test('is the same whatever the case of the identifier', () => {
    const keyOf = (withdrawalId: string) =>
      idempotencyKey(parseWithdrawalBroadcast(withdrawal({ withdrawalId })));
    const id = '"3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44"';
    expect(keyOf(id.toUpperCase())).toBe(keyOf(id));
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'nothing'],
    ['a parsed body', JSON.parse(deposit()), 'an object'],
    ['a deposit without its identifier', { type: 'deposit.received' }, 'an object'],
    [
      'a withdrawal without its status',
      { ...JSON.parse(withdrawal()), type: 'withdrawal.broadcast', status: undefined },
      'an object',
    ],
    ['another type', { ...JSON.parse(withdrawal()), type: 'withdrawal' }, 'an object'],
    [
      'an identifier that is not text',
      { type: 'withdrawal.broadcast', withdrawalId: 1, status: 'FAILED' },
      'an object',
    ],
  ])('is refused for %s, which would be the key of every event', (_, value, received) => {
    expect(() => idempotencyKey(value as PaymentNotification)).toThrow(
      new TypeError(`idempotencyKey: expected a notification, received ${received}`),
    );
  });
});
