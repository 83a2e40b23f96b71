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
import {
  DepositReceivedSchema,
  NotificationSchema,
  WithdrawalBroadcastSchema,
} from 'payment-notifications/valibot';
import { expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { inShort } from '../package/outcomes.js';
import { deposit, errorOf, refusalOf, withdrawal } from '../sample-bodies.js';

const ENDPOINTS = {
  deposit: {
    parse: parseDepositReceived,
    safeParse: safeParseDepositReceived,
    schema: DepositReceivedSchema,
  },
  withdrawal: {
    parse: parseWithdrawalBroadcast,
    safeParse: safeParseWithdrawalBroadcast,
    schema: WithdrawalBroadcastSchema,
  },
  either: {
    parse: parseNotification,
    safeParse: safeParseNotification,
    schema: NotificationSchema,
  },
};

test.each(fixtures)('$id', async ({ body, endpoint, expected }) => {
  const { parse, safeParse, schema } = ENDPOINTS[endpoint];
  const { success, notification, error } = safeParse(body);
  const outcome = inShort(JSON.parse(JSON.stringify(notification ?? error)));
  const judged = await schema['~standard'].validate(body);
  if (success) {
    const key = idempotencyKey(notification);
    expect({ notification: outcome, idempotencyKey: key }).toStrictEqual(expected);
    expect(parse(body)).toStrictEqual(notification);
    expect(parse(body.toString())).toStrictEqual(notification);
    expect(judged).toStrictEqual({ typed: true, value: notification });
    return;
  }
  expect(outcome).toStrictEqual(expected);
  expect(refusalOf(() => parse(body))).toStrictEqual(error);
  const keyOf = (item: PropertyKey | { readonly key: PropertyKey }) =>
    typeof item === 'object' ? item.key : item;
  expect(judged.issues?.map(({ message, path = [] }) => [message, path.map(keyOf)])).toStrictEqual(
    error.issues.map(({ message, path }) => [message, path]),
  );
});

// The fixtures have a refused withdrawal, and bodies of an unknown type.
test('a shared endpoint says that a deposit was refused', () => {
  const { notificationType } = errorOf(safeParseNotification(deposit({ status: '"X"' })));
  expect(notificationType).toBe('deposit.received');
});

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
