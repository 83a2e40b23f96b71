import type { DepositReceived } from '../parser/deposit-received.js';
import type { NotificationIssue, NotificationType } from '../parser/errors.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Decimal } from '../parser/values/amount.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { encodingOf, SAMPLES } from '../testing/sample.js';

/**
 * Whether support can stop reading: `good` went as expected, `review` needs someone to look at it,
 * and `bad` is refused.
 */
export type Outcome = 'good' | 'review' | 'bad';

/** What makes an accepted body one for review, by its name in the documentation. */
type Reviews<T> = Readonly<Record<string, (notification: T) => boolean>>;

export const DEPOSIT_REVIEWS: Reviews<DepositReceived> = {
  'an amount of 0': (deposit) => deposit.actualDepositAmount.isZero(),
  'more or fewer coins than expected': (deposit) =>
    differs(deposit.actualDepositAmount, deposit.expectedDepositAmount),
  'more or less value than expected': (deposit) =>
    differs(deposit.actualDisplayAmount, deposit.expectedDisplayAmount),
  'arrived after the link expired': isLate,
};

export const WITHDRAWAL_REVIEWS: Reviews<WithdrawalBroadcast> = {
  'FAILED or BLOCKED': ({ status }) => status !== 'COMPLETED',
  'an amount of 0': ({ actualWithdrawAmount }) => actualWithdrawAmount?.isZero() === true,
  'COMPLETED without the amount that was sent': ({ status, actualWithdrawAmount }) =>
    status === 'COMPLETED' && actualWithdrawAmount === null,
};

/**
 * Returns the outcome of an accepted body. A refused one is `bad`.
 *
 * @param repeated - The names of the fields that were sent more than once: another parser may take
 * the first value.
 */
export function outcomeOf(
  notification: PaymentNotification,
  repeated: readonly string[],
): 'good' | 'review' {
  const { type, warnings } = notification;
  const isForReview =
    repeated.length > 0 ||
    warnings.some((warning) => hidesMoney(type, warning)) ||
    (type === 'deposit.received'
      ? Object.values(DEPOSIT_REVIEWS).some((isSo) => isSo(notification))
      : Object.values(WITHDRAWAL_REVIEWS).some((isSo) => isSo(notification)));
  return isForReview ? 'review' : 'good';
}

/** Whether an amount or a time could not be read, so that nothing can be compared with it. */
export function hidesMoney(type: NotificationType, { path }: NotificationIssue): boolean {
  const [name = ''] = path;
  return ['number', 'string', 'time'].includes(encodingOf(SAMPLES[type], name));
}

export function isLate({ paymentReceivedAt: at, expirationTime: end }: DepositReceived): boolean {
  return at !== null && end !== null && at > end;
}

function differs(actual: Decimal, expected: Decimal | null): boolean {
  return expected !== null && !actual.equals(expected);
}
