import {
  idempotencyKey,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { parserOf } from '../src/parse.js';
import { deposit, errorOf, withdrawal } from './wire.js';

describe('a shared endpoint', () => {
  test.each([
    ['deposit.received', deposit({ withdrawalId: 'null', status: '"X"' })],
    ['withdrawal.broadcast', withdrawal({ depositId: 'null', status: '"X"' })],
    [null, deposit({ depositId: 'null' })],
    [null, deposit({ withdrawalId: '"x"' })],
    [null, '{}'],
    [null, 'no JSON'],
  ])('says that %s was refused', (type, body) => {
    expect(errorOf(safeParseNotification(body)).notificationType).toBe(type);
  });
});

test('a field that is undefined in a parsed body is not there', () => {
  const body = { ...JSON.parse(deposit()), withdrawalId: undefined };
  expect(parseNotification(body).type).toBe('deposit.received');
});

test('there is a parser for each type, and one for whichever it is', () => {
  expect(parserOf('deposit.received')).toBe(safeParseDepositReceived);
  expect(parserOf('withdrawal.broadcast')).toBe(safeParseWithdrawalBroadcast);
  expect(parserOf(undefined)).toBe(safeParseNotification);
});

describe('the idempotency key', () => {
  const [id, other] = [
    '0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11',
    '1b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
  ];
  const depositKey = (fields = {}) => idempotencyKey(parseDepositReceived(deposit(fields)));
  const withdrawalKey = (fields = {}) =>
    idempotencyKey(parseWithdrawalBroadcast(withdrawal(fields)));

  test('is the deposit by its identifier', () => {
    expect(depositKey()).toBe('deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11');
    expect(depositKey({ depositId: JSON.stringify(other) })).not.toBe(depositKey());
  });

  test('is the same for a repetition in another encoding', () => {
    const again = { depositId: JSON.stringify(id), expectedDepositAmount: '"0.0152300"' };
    expect(depositKey(again)).toBe(depositKey());
  });

  test('of a withdrawal is the same in whatever case its identifier comes', () => {
    const upper = JSON.stringify('3D6C2C1E-52A5-4F0B-9A53-2F1D8C0B7E44');
    expect(withdrawalKey({ withdrawalId: upper })).toBe(withdrawalKey());
  });

  test('lets a later outcome of one withdrawal through', () => {
    expect(withdrawalKey({ status: '"BLOCKED"' })).not.toBe(withdrawalKey());
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'nothing'],
    ['a key', 'deposit.received:1', '"deposit.received:1"'],
    ['a parsed body', JSON.parse(deposit()), 'an object'],
    ['a result', safeParseDepositReceived(deposit()), 'an object'],
    ['a deposit without its identifier', { type: 'deposit.received' }, 'an object'],
    [
      'a withdrawal without its status',
      { ...JSON.parse(withdrawal()), type: 'withdrawal.broadcast', status: undefined },
      'an object',
    ],
    ['another type', { ...JSON.parse(deposit()), type: 'refund' }, 'an object'],
  ])('is refused for %s, which would be the key of every event', (_, value, received) => {
    expect(() => idempotencyKey(value as PaymentNotification)).toThrow(
      new TypeError(`idempotencyKey: expected a notification, received ${received}`),
    );
  });
});

describe('the JSON of a notification, given to a parser,', () => {
  const json = JSON.stringify(parseDepositReceived(deposit()));
  const hint = 'received the JSON of a notification: read it with notificationFromJSON';

  test.each([
    ['text', json],
    ['parsed', JSON.parse(json)],
    ['the notification itself', parseDepositReceived(deposit())],
  ])('is refused with the function that reads it: %s', (_, body) => {
    for (const parse of [
      safeParseDepositReceived,
      safeParseWithdrawalBroadcast,
      safeParseNotification,
    ]) {
      const { issues, reference } = errorOf(parse(body));
      expect(issues.map(({ message }) => message)).toStrictEqual([
        `body: expected the body of a callback, ${hint}`,
      ]);
      expect(reference.clientPaymentId).toBe('order-10042');
    }
  });

  test.each(['null', '{}', '"x"'])(
    'is not mistaken for a body whose warnings are %s',
    (warnings) => {
      const names = { type: '"deposit.received"', additionalFields: '{}', warnings };
      expect(safeParseDepositReceived(deposit(names)).success).toBe(true);
      const others = {
        type: '"deposit.received"',
        additionalFields: warnings === '{}' ? 'null' : warnings,
        warnings: '[]',
      };
      expect(safeParseDepositReceived(deposit(others)).success).toBe(true);
    },
  );
});
