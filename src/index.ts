export { Decimal } from './amount.js';
export { type DepositReceived, DepositStatus, RateType } from './deposit-received.js';
export {
  type IssueCode,
  isNotificationError,
  NotificationError,
  type NotificationIssue,
  type NotificationReference,
  type NotificationType,
} from './errors.js';
export { notificationFromJSON } from './from-json.js';
export { idempotencyKey, type PaymentNotification } from './notification.js';
export {
  type BodyParser,
  type ParseResult,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from './parse.js';
export { joinToTxAddress, splitToTxAddress, type TxAddress } from './tx-address.js';
export {
  type TxAddressOwner,
  type WithdrawalBlocked,
  type WithdrawalBroadcast,
  type WithdrawalCompleted,
  type WithdrawalFailed,
  WithdrawalStatus,
} from './withdrawal-broadcast.js';
