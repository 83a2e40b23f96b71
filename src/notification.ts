import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import type { NotificationType } from './errors.js';
import type { Fields, ReadContext } from './internal/fields.js';
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

/** Whether an object has a field of its own that is neither null nor empty. */
export function hasValue(fields: Fields, name: string): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : null;
  return value !== undefined && value !== null && value !== '';
}

/** Reads a notification of a known type. */
export function readNotification(
  type: NotificationType,
  context: ReadContext,
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
 * @param notification - A notification that a parser returned.
 * @returns `deposit.received:<depositId>` or `withdrawal.broadcast:<withdrawalId>:<status>`, with the
 * identifier in lower case.
 *
 * @example
 * ```ts
 * idempotencyKey(notification); // 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'
 * ```
 */
export function idempotencyKey(notification: PaymentNotification): string {
  return notification.type === 'deposit.received'
    ? `${notification.type}:${notification.depositId.toLowerCase()}`
    : `${notification.type}:${notification.withdrawalId.toLowerCase()}:${notification.status}`;
}
