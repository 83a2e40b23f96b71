import {
  idempotencyKey,
  type PaymentNotification,
  parseDepositReceived,
  parseWithdrawalBroadcast,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { deposit, errorOf, withdrawal } from './sample-bodies.js';

// The fixtures have a refused withdrawal, and bodies of which nothing tells the type.
test('a shared endpoint says that a deposit was refused', () => {
  const { notificationType } = errorOf(safeParseNotification(deposit({ status: '"X"' })));
  expect(notificationType).toBe('deposit.received');
});

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
      'an identifier that is no text',
      { type: 'withdrawal.broadcast', withdrawalId: 1, status: 'FAILED' },
      'an object',
    ],
  ])('is refused for %s, which would be the key of every event', (_, value, received) => {
    expect(() => idempotencyKey(value as PaymentNotification)).toThrow(
      new TypeError(`idempotencyKey: expected a notification, received ${received}`),
    );
  });
});

describe('the JSON of a notification, given to a parser,', () => {
  const json = JSON.stringify(parseDepositReceived(deposit()));
  const hint = 'received the JSON of a notification: read it with notificationFromJSON';

  test.each<[string, string | object]>([
    ['text', json],
    ['the notification itself', parseDepositReceived(deposit())],
  ])('is refused with the function that reads it: %s', (_, body) => {
    for (const parse of [
      safeParseDepositReceived,
      safeParseWithdrawalBroadcast,
      safeParseNotification,
    ]) {
      const { issues, reference } = errorOf(parse(body as RawBody));
      expect(issues.map(({ message }) => message)).toStrictEqual([
        `body: expected the body of a callback, ${hint}`,
      ]);
      expect(reference.clientPaymentId).toBe('order-10042');
    }
  });

  test('is recognized for either notification, whose type the error names', () => {
    const json = JSON.stringify(parseWithdrawalBroadcast(withdrawal()));
    expect(errorOf(safeParseNotification(json)).notificationType).toBe('withdrawal.broadcast');
    expect(errorOf(safeParseDepositReceived(json))).toMatchObject({
      notificationType: 'deposit.received',
      issues: [{ received: hint.replace('received ', '') }],
    });
  });

  test.each([
    { warnings: 'null' },
    { warnings: '{}' },
    { additionalFields: 'null' },
    { additionalFields: '"x"' },
    { type: '"x"' },
  ])('is not mistaken for a body with %j', (odd) => {
    const names = { type: '"deposit.received"', additionalFields: '{}', warnings: '[]' };
    expect(safeParseDepositReceived(deposit({ ...names, ...odd })).success).toBe(true);
  });
});
