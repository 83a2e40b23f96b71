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
  // First, so that a body of type `any` is struck through, too. The compiler's error for a wrong type names
  // the last one.
  /**
   * @deprecated Pass the raw body. In a parsed one, `JSON.parse` has rounded the numbers to 15 to 17
   * digits. Lost digits can't be recovered, and their loss can't always be detected.
   */
  (body: object & { readonly then?: never; readonly byteLength?: never }): T;
  (body: RawBody): T;
}

/**
 * Reads the body of a deposit-received callback.
 *
 * @param body - The raw body of the request, at most 64 KiB. If a field is repeated, the last one
 * counts, as with `JSON.parse`.
 * @returns The deposit, with exact amounts.
 * @throws A {@link NotificationError} that names every fault; no body makes it throw anything else.
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
 * @param body - The raw body of the request, at most 64 KiB. If a field is repeated, the last one
 * counts, as with `JSON.parse`.
 * @returns The withdrawal, a union discriminated by `status`, with exact amounts and a split address.
 * @throws A {@link NotificationError} that names every fault; no body makes it throw anything else.
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
 * @param body - The raw body of the request, at most 64 KiB. If a field is repeated, the last one
 * counts, as with `JSON.parse`.
 * @returns The notification; `type` tells which.
 * @throws A {@link NotificationError} that names every fault; no body makes it throw anything else.
 *
 * @example
 * ```ts
 * const notification = parseNotification(rawBody);
 * notification.type; // 'deposit.received'
 * ```
 */
export const parseNotification: BodyParser<PaymentNotification> = (body: unknown) =>
  unwrap(safeParse(body, null, readNotification));

/**
 * Like {@link parseDepositReceived}, but returns the error instead of throwing it.
 *
 * @param body - The raw body of the request, at most 64 KiB.
 * @returns `{ success: true, notification }` or `{ success: false, error }`.
 *
 * @example
 * ```ts
 * const { notification: deposit, error } = safeParseDepositReceived(rawBody);
 * if (error) console.error(error.message); // one line that names every fault
 * ```
 */
export const safeParseDepositReceived: BodyParser<ParseResult<DepositReceived>> = (body: unknown) =>
  safeParse(body, 'deposit.received', readDepositReceived);

/**
 * Like {@link parseWithdrawalBroadcast}, but returns the error instead of throwing it.
 *
 * @param body - The raw body of the request, at most 64 KiB.
 * @returns `{ success: true, notification }` or `{ success: false, error }`.
 *
 * @example
 * ```ts
 * const { notification: withdrawal, error } = safeParseWithdrawalBroadcast(rawBody);
 * if (error) console.error(error.reference.withdrawalId); // to reconcile it by hand
 * ```
 */
export const safeParseWithdrawalBroadcast: BodyParser<ParseResult<WithdrawalBroadcast>> = (
  body: unknown,
) => safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast);

/**
 * Like {@link parseNotification}, but returns the error instead of throwing it.
 *
 * @param body - The raw body of the request, at most 64 KiB.
 * @returns `{ success: true, notification }` or `{ success: false, error }`.
 *
 * @example
 * ```ts
 * const { notification, error } = safeParseNotification(rawBody);
 * if (error) console.error(error.notificationType); // 'deposit.received'; null if the body doesn't tell
 * ```
 */
export const safeParseNotification: BodyParser<ParseResult<PaymentNotification>> = (
  body: unknown,
) => safeParse(body, null, readNotification);

/** A function that reads a notification of the given type. */
type NotificationReader<T> = (context: ReadContext, type: NotificationType) => T;

function safeParse<T>(
  body: unknown,
  expectedType: NotificationType | null,
  read: NotificationReader<T>,
): ParseResult<T> {
  const context = openBody(body);
  if (context.fields === null) {
    const error = new NotificationError({ notificationType: expectedType, ...context });
    return { success: false, error };
  }
  const { notification, error } = readBody(context, expectedType, read);
  return error === null ? { success: true, notification } : { success: false, error };
}

/** The outcome of reading a body. The notification of a refused one is null where it can't be read. */
type Reading<T> =
  | { type: NotificationType; notification: T; error: null }
  | { type: NotificationType | null; notification: T | null; error: NotificationError };

/**
 * Reads an opened body.
 *
 * @param expectedType - Which notification the endpoint receives; null if the body's identifiers decide.
 */
export function readBody<T>(
  context: ReadContext,
  expectedType: NotificationType | null,
  read: NotificationReader<T>,
): Reading<T> {
  const { fields, issues } = context;
  const detected = detectType(fields);
  const type = expectedType ?? detected;
  const refuse = (found: NotificationError['issues'], notification: T | null): Reading<T> => {
    const details = { notificationType: type, issues: found, reference: referenceOf(fields) };
    return { type, notification, error: new NotificationError(details) };
  };
  if (isNotificationJSON(fields)) {
    const received = 'the JSON of a notification: read it with notificationFromJSON';
    return refuse([unrecognized('the body of a callback', received)], null);
  }
  if (type === null) {
    const received = hasValue(fields, 'depositId') ? 'both' : 'neither';
    return refuse([unrecognized('either a depositId or a withdrawalId', received)], null);
  }
  const notification = read(context, type);
  if (!isNonEmpty(issues)) return { type, notification, error: null };
  if (detected === null || detected === type) return refuse(issues, notification);
  // Listed first, because it explains the missing fields that follow.
  const received = `a ${detected} one: are the two callback addresses mixed up?`;
  return refuse([unrecognized(`a ${type} body`, received), ...issues], notification);
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

function unrecognized(expected: string, received: string): NotificationIssue {
  return issue('unrecognized_notification', [], expected, received);
}

function unwrap<T>(result: ParseResult<T>): T {
  if (result.success) return result.notification;
  throw result.error;
}
