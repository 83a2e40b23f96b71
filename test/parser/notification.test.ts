import {
  idempotencyKey,
  type PaymentNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import { expect, test } from 'vitest';
import { deposit, withdrawal } from '../sample-bodies.js';

test('the idempotency key is the same whatever the case of the identifier', () => {
  const keyOf = (withdrawalId: string) =>
    idempotencyKey(parseWithdrawalBroadcast(withdrawal({ withdrawalId })));
  const id = '"3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44"';
  expect(keyOf(id.toUpperCase())).toBe(keyOf(id));
});

const WITHDRAWAL = { type: 'withdrawal.broadcast', withdrawalId: 'x', status: 'FAILED' };

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'no value'],
  ['a parsed body', JSON.parse(deposit()), 'an object'],
  ['a deposit without its identifier', { type: 'deposit.received' }, 'an object'],
  ['a withdrawal without its status', { ...WITHDRAWAL, status: undefined }, 'an object'],
  ['another type', { ...WITHDRAWAL, type: 'withdrawal' }, 'an object'],
  ['an identifier that is not text', { ...WITHDRAWAL, withdrawalId: 1 }, 'an object'],
])('there is no key of %s, which would be the key of every event', (_, value, received) => {
  expect(() => idempotencyKey(value as PaymentNotification)).toThrow(
    new TypeError(`idempotencyKey: expected a notification, received ${received}`),
  );
});
