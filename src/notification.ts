import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import type { NotificationType } from './errors.js';
import type { Fields, ReadContext } from './internal/fields.js';
import { quote } from './internal/issues.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** Either notification; `type` tells which. */
export type PaymentNotification = DepositReceived | WithdrawalBroadcast;

/** Which notification a body is, by the identifier that only one of the two has; null if unclear. */
export function detectType(fields: Fields): NotificationType | null {
  const isDeposit = hasValue(fields, 'depositId');
  const isWithdrawal = hasValue(fields, 'withdrawalId');
  if (isDeposit === isWithdrawal) return null;
  return isDeposit ? 'deposit.received' : 'withdrawal.broadcast';
}

/** Whether an object has a field that is neither null nor empty. */
export function hasValue(fields: Fields, name: string): boolean {
  const value = fields[name];
  return value !== undefined && value !== null && value !== '';
}

/** Reads a notification of a known type. */
export function readNotification(
  context: ReadContext,
  type: NotificationType,
): PaymentNotification {
  return type === 'deposit.received'
    ? readDepositReceived(context)
    : readWithdrawalBroadcast(context);
}

/**
 * A key that is the same for every delivery of one event. The service delivers a deposit again
 * every 2 minutes for up to 24 hours, until a delivery succeeds.
 *
 * Store it under a unique constraint, in the transaction that credits or debits, and keep it for good.
 * A withdrawal's key contains its status: how a withdrawal goes from one status to another is
 * undocumented, and a later outcome must not be mistaken for a repetition.
 *
 * @param notification - A notification that a parser or `notificationFromJSON` returned.
 * @returns `deposit.received:<depositId>` or `withdrawal.broadcast:<withdrawalId>:<status>`, with the
 * identifier in lower case.
 * @throws TypeError if it is not a notification: a key of `undefined` would be the same for every event.
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
  throw new TypeError(`idempotencyKey: expected a notification, received ${quote(notification)}`);
}
