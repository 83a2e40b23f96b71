import { randomUUID } from 'node:crypto';
import {
  isNotificationError,
  NotificationError,
  safeParseDepositReceived,
  safeParseNotification,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { deposit, errorOf } from '../sample-bodies.js';

const error = errorOf(
  safeParseDepositReceived(deposit({ actualDepositAmount: '"12,5"', depositId: '"x y"' })),
);

describe('a NotificationError', () => {
  test('says in one line what was refused, why, and which payment it was about', () => {
    expect(error.message).toBe(
      'deposit.received refused: depositId: expected a UUID, received a string of length 3; ' +
        'actualDepositAmount: expected a decimal number, received "12,5" ' +
        '[paymentId 6f9619ff-8b86-4d01-b42d-00cf4fc964ff]',
    );
  });

  test('is an Error with a name and a stack, and with nothing else that a console would print', () => {
    expect(error).toBeInstanceOf(NotificationError);
    expect(String(error)).toBe(`NotificationError: ${error.message}`);
    expect(error.stack?.startsWith(`${error}\n`)).toBe(true);
    expect(error.stack).toContain('errors.test.ts');
    expect(Object.keys(error).sort()).toStrictEqual(['issues', 'notificationType', 'reference']);
  });

  test('becomes plain data for a structured log', () => {
    expect(JSON.parse(JSON.stringify(error))).toStrictEqual({
      name: 'NotificationError',
      message: error.message,
      notificationType: 'deposit.received',
      issues: error.issues,
      reference: error.reference,
    });
  });

  test.each([
    [20, ''],
    [27, '; and 7 more'],
  ])('lists at most 20 of %s issues in its message, and counts the rest', (count, rest) => {
    const [issue] = error.issues;
    const others = Array.from({ length: count - 1 }, () => issue);
    const long = new NotificationError({ notificationType: null, issues: [issue, ...others] });
    expect(long.issues).toHaveLength(count);
    expect(long.message).toBe(
      `notification refused: ${Array.from({ length: 20 }, () => issue.message).join('; ')}${rest}`,
    );
  });

  test('names only identifiers that the service assigned: a merchant may use email addresses', () => {
    const [depositId, paymentId] = [randomUUID(), randomUUID().toUpperCase()];
    const [withdrawalId, own] = [randomUUID(), randomUUID()];
    const named = { depositId, paymentId, withdrawalId };
    const others = { clientPaymentId: own, clientWithdrawalId: 'jane.doe@example.com' };
    const ids = { ...named, ...others, transactionId: own };
    const { message, reference } = errorOf(safeParseNotification(JSON.stringify(ids)));
    expect(message).toBe(
      'notification refused: body: expected either a depositId or a withdrawalId, received both ' +
        `[depositId ${depositId}, paymentId ${paymentId}, withdrawalId ${withdrawalId}]`,
    );
    expect(reference).toStrictEqual(ids);
  });
});

describe('isNotificationError', () => {
  test('recognizes the error, also of another copy of the package', async () => {
    const other = await import('../../src/parser/errors.js?copy' as string);
    const foreign = new other.NotificationError({ ...error });
    expect(foreign).not.toBeInstanceOf(NotificationError);
    expect(isNotificationError(foreign)).toBe(true);
    expect(isNotificationError(error)).toBe(true);
    // By a brand that any version of the package has, under the same name.
    const brand = Symbol.for('payment-notifications.NotificationError');
    expect(Reflect.get(error, brand)).toBe(true);
  });

  test.each([undefined, null, 'NotificationError', new Error('x'), { name: 'NotificationError' }])(
    'rejects %s',
    (value) => {
      expect(isNotificationError(value)).toBe(false);
    },
  );
});
