export type { DepositReceived } from './parser/deposit-received.js';
export { DepositStatus, RateType, WithdrawalStatus } from './parser/enums.js';
export {
  type IssueCode,
  isNotificationError,
  NotificationError,
  type NotificationIssue,
  type NotificationReference,
  type NotificationType,
} from './parser/errors.js';
export { idempotencyKey, type PaymentNotification } from './parser/notification.js';
export {
  type ParseResult,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from './parser/parse.js';
export { Decimal } from './parser/values/amount.js';
export { joinToTxAddress, splitToTxAddress, type TxAddress } from './parser/values/tx-address.js';
export type {
  TxAddressOwner,
  WithdrawalBlocked,
  WithdrawalBroadcast,
  WithdrawalCompleted,
  WithdrawalFailed,
} from './parser/withdrawal-broadcast.js';
