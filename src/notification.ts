import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import { type Fields, refuse, type Source } from './internal/fields.js';
import { issue } from './internal/issues.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** Either notification; `type` tells which. */
export type Notification = DepositReceived | WithdrawalBroadcast;

/** The two notifications: `'deposit.received'` and `'withdrawal.broadcast'`. */
export type NotificationType = Notification['type'];

/** Which notification a body is, by the identifier that only one of the two has; null if unclear. */
export function detectType({ fields }: Source): NotificationType | null {
  const isDeposit = has(fields, 'depositId');
  const isWithdrawal = has(fields, 'withdrawalId');
  if (isDeposit === isWithdrawal) return null;
  return isDeposit ? 'deposit.received' : 'withdrawal.broadcast';
}

function has(fields: Fields, name: string): boolean {
  return fields[name] !== undefined && fields[name] !== null;
}

/** Reads whichever notification the body is. */
export function readNotification(source: Source): Notification {
  switch (detectType(source)) {
    case 'deposit.received':
      return readDepositReceived(source);
    case 'withdrawal.broadcast':
      return readWithdrawalBroadcast(source);
    case null:
      return refuse(
        source,
        issue(
          'unrecognized_notification',
          [],
          'either a depositId or a withdrawalId',
          has(source.fields, 'depositId') ? 'both' : 'neither',
        ),
      );
  }
}

/**
 * A key that is the same for every delivery of one event: the service repeats a deposit every 2
 * minutes for up to 24 hours until a delivery succeeds (service document, "Limits").
 *
 * Keep it under a unique constraint, in the transaction that credits or debits, for good: at the very
 * least for longer than those 24 hours. A withdrawal's key holds its status, since the document shows
 * no transitions: a later outcome of the same withdrawal must not be taken for a repetition.
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
export function idempotencyKey(notification: Notification): string {
  return notification.type === 'deposit.received'
    ? `${notification.type}:${notification.depositId.toLowerCase()}`
    : `${notification.type}:${notification.withdrawalId.toLowerCase()}:${notification.status}`;
}
