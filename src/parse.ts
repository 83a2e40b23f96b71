import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import { NotificationError, type NotificationIssue, type NotificationType } from './errors.js';
import { openBody } from './internal/body.js';
import type { Fields, ReadContext } from './internal/fields.js';
import { isArray, isNonEmpty, issue, referenceOf } from './internal/issues.js';
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

/** The body of a callback as it arrived: its text, or its bytes in UTF-8. A `Buffer` is a `Uint8Array`. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** A function that reads the body of a callback. */
export interface BodyParser<T> {
  (body: RawBody): T;
  /**
   * @deprecated Pass the raw body. In a parsed one, `JSON.parse` has rounded the numbers to 15 to 17
   * digits. Lost digits can't be recovered, and their loss can't always be detected.
   */
  (body: object & { readonly then?: never }): T;
}

/**
 * Reads the body of a deposit-received callback.
 *
 * @param body - The raw body of the request, at most 64 KiB. If a field is repeated, the last one
 * counts, as with `JSON.parse`.
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
export const parseDepositReceived: BodyParser<DepositReceived> = (body: unknown) =>
  unwrap(safeParse(body, 'deposit.received', readDepositReceived));

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
export const parseWithdrawalBroadcast: BodyParser<WithdrawalBroadcast> = (body: unknown) =>
  unwrap(safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast));

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
export const parseNotification: BodyParser<PaymentNotification> = (body: unknown) =>
  unwrap(safeParse(body, null, readDetected));

/** Like {@link parseDepositReceived}, but returns the error instead of throwing it. */
export const safeParseDepositReceived: BodyParser<ParseResult<DepositReceived>> = (body: unknown) =>
  safeParse(body, 'deposit.received', readDepositReceived);

/** Like {@link parseWithdrawalBroadcast}, but returns the error instead of throwing it. */
export const safeParseWithdrawalBroadcast: BodyParser<ParseResult<WithdrawalBroadcast>> = (
  body: unknown,
) => safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast);

/** Like {@link parseNotification}, but returns the error instead of throwing it. */
export const safeParseNotification: BodyParser<ParseResult<PaymentNotification>> = (
  body: unknown,
) => safeParse(body, null, readDetected);

/** The safe parser for one notification; without a type, for either. */
export function parserOf(
  type: NotificationType | undefined,
): BodyParser<ParseResult<PaymentNotification>> {
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
  if (context.fields === null) {
    return { success: false, error: new NotificationError({ notificationType: type, ...context }) };
  }
  const { fields, issues } = context;
  const detected = detectType(fields);
  if (isNotificationJSON(fields)) {
    const received = 'the JSON of a notification: read it with notificationFromJSON';
    return refuse(type ?? detected, [unrecognized('the body of a callback', received)], fields);
  }
  const notification = read(context);
  if (notification === null) {
    const received = hasValue(fields, 'depositId') ? 'both' : 'neither';
    return refuse(null, [unrecognized('either a depositId or a withdrawalId', received)], fields);
  }
  if (!isNonEmpty(issues)) return { success: true, notification };
  if (type === null || detected === null || detected === type) {
    return refuse(type ?? detected, issues, fields);
  }
  // Listed first, because it explains the missing fields that follow.
  const received = `a ${detected} one: are the two callback addresses mixed up?`;
  return refuse(type, [unrecognized(`a ${type} body`, received), ...issues], fields);
}

/** Reads the notification that the body's identifiers name; null if they don't tell. */
function readDetected(context: ReadContext): PaymentNotification | null {
  const type = detectType(context.fields);
  return type === null ? null : readNotification(type, context);
}

/** Whether a body is what `JSON.stringify` makes of a notification, e.g. from the merchant's own queue. */
function isNotificationJSON({ type, additionalFields, warnings }: Fields): boolean {
  return (
    (type === 'deposit.received' || type === 'withdrawal.broadcast') &&
    typeof additionalFields === 'object' &&
    additionalFields !== null &&
    isArray(warnings)
  );
}

function refuse(
  notificationType: NotificationType | null,
  issues: NotificationError['issues'],
  fields: Fields,
): { success: false; error: NotificationError } {
  const reference = referenceOf(fields);
  return { success: false, error: new NotificationError({ notificationType, issues, reference }) };
}

function unrecognized(expected: string, received: string): NotificationIssue {
  return issue('unrecognized_notification', [], expected, received);
}

function unwrap<T>(result: ParseResult<T>): T {
  if (result.success) return result.notification;
  throw result.error;
}
