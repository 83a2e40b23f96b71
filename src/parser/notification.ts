import type { OpenBody } from './body.js';
import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import type { NotificationType } from './errors.js';
import { describe } from './messages.js';
import { type Fields, hasValue } from './objects.js';
import type { Reading } from './read.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** Either notification, discriminated by `type`. */
export type PaymentNotification = DepositReceived | WithdrawalBroadcast;

/**
 * Detects the type by `depositId` or `withdrawalId`. Returns null if the body has both or neither.
 */
export function detectType(fields: Fields): NotificationType | null {
  const isDeposit = hasValue(fields, 'depositId');
  const isWithdrawal = hasValue(fields, 'withdrawalId');
  if (isDeposit === isWithdrawal) return null;
  return isDeposit ? 'deposit.received' : 'withdrawal.broadcast';
}

export function readNotification(
  body: OpenBody,
  type: NotificationType,
): Reading<PaymentNotification> {
  return type === 'deposit.received' ? readDepositReceived(body) : readWithdrawalBroadcast(body);
}

/**
 * Returns a key that is the same for every delivery of an event. If a delivery of a deposit fails,
 * the service sends the webhook again every 2 minutes for up to 24 hours.
 *
 * Insert the key into a unique column, in the transaction that credits or debits, and never delete
 * it. A withdrawal's key contains its status, so that a later status is not taken for a repeat.
 *
 * @param notification - A notification that a parser returned.
 * @returns `deposit.received:<depositId>` or `withdrawal.broadcast:<withdrawalId>:<status>`, with
 * the identifier in lower case.
 * @throws TypeError if the argument is not a notification.
 *
 * @example
 * ```ts
 * idempotencyKey(notification); // 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'
 * ```
 */
export function idempotencyKey(notification: PaymentNotification): string {
  const { type, depositId, withdrawalId, status } = Object(notification);
  if (type === 'deposit.received' && typeof depositId === 'string') {
    return `${type}:${depositId.toLowerCase()}`;
  }
  if (type === 'withdrawal.broadcast' && typeof withdrawalId === 'string' && status) {
    return `${type}:${withdrawalId.toLowerCase()}:${status}`;
  }
  throw new TypeError(
    `idempotencyKey: expected a notification, received ${describe(notification)}`,
  );
}
