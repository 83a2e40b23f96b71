import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import {
  NotificationError,
  type NotificationErrorDetails,
  type NotificationIssue,
  type NotificationType,
} from './errors.js';
import { openBody } from './internal/body.js';
import type { Fields, ReadContext } from './internal/fields.js';
import { isNonEmpty, issue, referenceOf } from './internal/issues.js';
import {
  detectType,
  hasValue,
  type PaymentNotification,
  readNotification,
} from './notification.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** The outcome of a `safeParse…` function; `success` tells which. It may be destructured. */
export type ParseResult<T> =
  | { readonly success: true; readonly notification: T; readonly error?: undefined }
  | {
      readonly success: false;
      readonly error: NotificationError;
      readonly notification?: undefined;
    };

/**
 * Reads the body of a deposit-received callback.
 *
 * @param body - The request's body: its raw text or bytes (`Uint8Array`, `Buffer`, `ArrayBuffer`; at
 * most 64 KiB of UTF-8), or the object that a framework has already parsed. Prefer raw: in a parsed
 * body `JSON.parse` has rounded the numbers to 15 to 17 digits. Lost digits can't be recovered,
 * and their loss can't always be detected. Of a repeated field the last one counts, as with `JSON.parse`.
 * @returns The deposit, with exact amounts.
 * @throws {@link NotificationError} with every fault for which the body is refused; nothing else,
 * whatever the body.
 *
 * @example
 * ```ts
 * const deposit = parseDepositReceived(rawBody);
 * deposit.actualDepositAmount.toString(); // '0.123456789012345678'
 * ```
 */
export function parseDepositReceived(body: unknown): DepositReceived {
  return unwrap(safeParseDepositReceived(body));
}

/**
 * Reads the body of a withdrawal callback.
 *
 * @param body - As for {@link parseDepositReceived}.
 * @returns The withdrawal, a union discriminated by `status`, with exact amounts and a split address.
 * @throws {@link NotificationError} with every fault for which the body is refused; nothing else,
 * whatever the body.
 *
 * @example
 * ```ts
 * const withdrawal = parseWithdrawalBroadcast(rawBody);
 * withdrawal.status; // 'COMPLETED'
 * withdrawal.toTxAddress?.destinationTag; // '007'
 * ```
 */
export function parseWithdrawalBroadcast(body: unknown): WithdrawalBroadcast {
  return unwrap(safeParseWithdrawalBroadcast(body));
}

/**
 * Reads the body of either callback, for one endpoint that serves both: a body with a `depositId` is
 * a deposit, one with a `withdrawalId` is a withdrawal.
 *
 * @param body - As for {@link parseDepositReceived}.
 * @returns The notification; `type` tells which.
 * @throws {@link NotificationError} with every fault for which the body is refused; nothing else,
 * whatever the body.
 *
 * @example
 * ```ts
 * const notification = parseNotification(rawBody);
 * notification.type; // 'deposit.received'
 * ```
 */
export function parseNotification(body: unknown): PaymentNotification {
  return unwrap(safeParseNotification(body));
}

/** Like {@link parseDepositReceived}, but returns the error instead of throwing it. */
export function safeParseDepositReceived(body: unknown): ParseResult<DepositReceived> {
  return safeParse(body, 'deposit.received', readDepositReceived);
}

/** Like {@link parseWithdrawalBroadcast}, but returns the error instead of throwing it. */
export function safeParseWithdrawalBroadcast(body: unknown): ParseResult<WithdrawalBroadcast> {
  return safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast);
}

/** Like {@link parseNotification}, but returns the error instead of throwing it. */
export function safeParseNotification(body: unknown): ParseResult<PaymentNotification> {
  return safeParse(body, null, readDetected);
}

/** The safe parser for one notification; without a type, for either. */
export function parserOf(
  type: NotificationType | undefined,
): (body: unknown) => ParseResult<PaymentNotification> {
  if (type === undefined) return safeParseNotification;
  return type === 'deposit.received' ? safeParseDepositReceived : safeParseWithdrawalBroadcast;
}

/** Reads a body as the given type; with null, detects it. */
function safeParse<T>(
  body: unknown,
  type: NotificationType | null,
  read: (context: ReadContext) => T | null,
): ParseResult<T> {
  const context = openBody(body);
  if (context.fields === null) return failure({ notificationType: type, ...context });

  const notification = read(context);
  const { fields, issues } = context;
  if (notification === null) return failure(describeUnrecognized(fields));
  if (!isNonEmpty(issues)) return { success: true, notification };

  const detected = detectType(fields);
  return failure({
    notificationType: type ?? detected,
    issues:
      type === null || detected === null || detected === type
        ? issues
        : [wrongNotificationIssue(type, detected), ...issues],
    reference: referenceOf(fields),
  });
}

/** Reads whichever notification the body is; null where its identifiers don't tell. */
function readDetected(context: ReadContext): PaymentNotification | null {
  const type = detectType(context.fields);
  return type === null ? null : readNotification(type, context);
}

function describeUnrecognized(fields: Fields): NotificationErrorDetails {
  const received = hasValue(fields, 'depositId') ? 'both' : 'neither';
  return {
    notificationType: null,
    issues: [
      issue('unrecognized_notification', [], 'either a depositId or a withdrawalId', received),
    ],
    reference: referenceOf(fields),
  };
}

/** Listed first, because it explains the missing fields behind it. */
function wrongNotificationIssue(
  type: NotificationType,
  detected: NotificationType,
): NotificationIssue {
  const received = `a ${detected} one: are the two callback addresses mixed up?`;
  return issue('unrecognized_notification', [], `a ${type} body`, received);
}

function failure(details: NotificationErrorDetails): { success: false; error: NotificationError } {
  return { success: false, error: new NotificationError(details) };
}

function unwrap<T>(result: ParseResult<T>): T {
  if (result.success) return result.notification;
  throw result.error;
}
