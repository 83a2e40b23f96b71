import { type OpenBody, openBody } from './body.js';
import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import { NotificationError, type NotificationIssue, type NotificationType } from './errors.js';
import { isNonEmpty, issue, referenceOf } from './messages.js';
import { detectType, type PaymentNotification, readNotification } from './notification.js';
import { hasValue } from './objects.js';
import type { Reading } from './read.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/**
 * The result of a `safeParse…` function, discriminated by `success`. You can also destructure it.
 */
export type ParseResult<T> =
  | { readonly success: true; readonly notification: T; readonly error?: undefined }
  | {
      readonly success: false;
      readonly error: NotificationError;
      readonly notification?: undefined;
    };

/** A raw request body: text, or bytes in UTF-8. A `Buffer` is a `Uint8Array`. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Members of promises, bytes, arrays, maps, dates, streams, requests and responses. */
type Foreign =
  | 'then'
  | 'byteLength'
  | 'length'
  | 'size'
  | 'getTime'
  | 'pipe'
  | 'getReader'
  | 'text';
type ParsedBody = object & { readonly [Name in Foreign]?: never };

// Of the two signatures of each parser, the deprecated one comes first, because a body of type
// `any` takes the first one, and editors should strike that call through. `RawBody` comes last,
// because the compiler's error for a wrong type names the last one.

/**
 * @deprecated Pass the raw body. `JSON.parse` has rounded the numbers in a parsed body to 15 to 17
 * digits, and the lost digits can't be recovered.
 */
export function parseDepositReceived(body: ParsedBody): DepositReceived;
/**
 * Parses the body of a deposit webhook.
 *
 * @param body - The raw body, at most 64 KiB. If a field is repeated, the last value counts.
 * @returns The deposit, with exact amounts.
 * @throws A {@link NotificationError} that lists every fault. No body causes any other error.
 *
 * @example
 * ```ts
 * const deposit = parseDepositReceived(rawBody);
 * deposit.actualDepositAmount.toString(); // '0.123456789012345678'
 * ```
 */
export function parseDepositReceived(body: RawBody): DepositReceived;
export function parseDepositReceived(body: unknown): DepositReceived {
  return unwrap(safeParse(body, 'deposit.received', readDepositReceived));
}

/** @deprecated Pass the raw body, as for {@link parseDepositReceived}. */
export function parseWithdrawalBroadcast(body: ParsedBody): WithdrawalBroadcast;
/**
 * Parses the body of a withdrawal webhook.
 *
 * @param body - The raw body, at most 64 KiB. If a field is repeated, the last value counts.
 * @returns The withdrawal, discriminated by `status`, with exact amounts and a split address.
 * @throws A {@link NotificationError} that lists every fault. No body causes any other error.
 *
 * @example
 * ```ts
 * const withdrawal = parseWithdrawalBroadcast(rawBody);
 * withdrawal.status; // 'COMPLETED'
 * withdrawal.toTxAddress?.destinationTag; // '007'
 * ```
 */
export function parseWithdrawalBroadcast(body: RawBody): WithdrawalBroadcast;
export function parseWithdrawalBroadcast(body: unknown): WithdrawalBroadcast {
  return unwrap(safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast));
}

/** @deprecated Pass the raw body, as for {@link parseDepositReceived}. */
export function parseNotification(body: ParsedBody): PaymentNotification;
/**
 * Parses the body of either webhook. A body with a `depositId` is a deposit, and a body with a
 * `withdrawalId` is a withdrawal.
 *
 * @param body - The raw body, at most 64 KiB. If a field is repeated, the last value counts.
 * @returns The notification, discriminated by `type`.
 * @throws A {@link NotificationError} that lists every fault. No body causes any other error.
 *
 * @example
 * ```ts
 * const notification = parseNotification(rawBody);
 * notification.type; // 'deposit.received'
 * ```
 */
export function parseNotification(body: RawBody): PaymentNotification;
export function parseNotification(body: unknown): PaymentNotification {
  return unwrap(safeParse(body, null, readNotification));
}

/** @deprecated Pass the raw body, as for {@link parseDepositReceived}. */
export function safeParseDepositReceived(body: ParsedBody): ParseResult<DepositReceived>;
/**
 * Like {@link parseDepositReceived}, but returns the error instead of throwing it.
 *
 * @example
 * ```ts
 * const { notification: deposit, error } = safeParseDepositReceived(rawBody);
 * if (error) console.error(error.message); // one line that names every fault
 * ```
 */
export function safeParseDepositReceived(body: RawBody): ParseResult<DepositReceived>;
export function safeParseDepositReceived(body: unknown): ParseResult<DepositReceived> {
  return safeParse(body, 'deposit.received', readDepositReceived);
}

/** @deprecated Pass the raw body, as for {@link parseDepositReceived}. */
export function safeParseWithdrawalBroadcast(body: ParsedBody): ParseResult<WithdrawalBroadcast>;
/** Like {@link parseWithdrawalBroadcast}, but returns the error instead of throwing it. */
export function safeParseWithdrawalBroadcast(body: RawBody): ParseResult<WithdrawalBroadcast>;
export function safeParseWithdrawalBroadcast(body: unknown): ParseResult<WithdrawalBroadcast> {
  return safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast);
}

/** @deprecated Pass the raw body, as for {@link parseDepositReceived}. */
export function safeParseNotification(body: ParsedBody): ParseResult<PaymentNotification>;
/** Like {@link parseNotification}, but returns the error instead of throwing it. */
export function safeParseNotification(body: RawBody): ParseResult<PaymentNotification>;
export function safeParseNotification(body: unknown): ParseResult<PaymentNotification> {
  return safeParse(body, null, readNotification);
}

type ReadByType<T> = (body: OpenBody, type: NotificationType) => Reading<T>;

function safeParse<T>(
  body: unknown,
  expectedType: NotificationType | null,
  read: ReadByType<T>,
): ParseResult<T> {
  const opened = openBody(body);
  if (opened.fields === null) {
    const error = new NotificationError({ notificationType: expectedType, ...opened });
    return { success: false, error };
  }
  const { type, issues, reading } = readOpenBody(opened, expectedType, read);
  // Without an issue, there is a reading, in which no required field is null.
  if (!isNonEmpty(issues)) return { success: true, notification: reading?.notification as T };
  const reference = referenceOf(opened.fields);
  const error = new NotificationError({ notificationType: type, issues, reference });
  return { success: false, error };
}

/** What was read of a body. If there is an issue, the body is refused. */
interface BodyReading<T> {
  readonly type: NotificationType | null;
  readonly issues: readonly NotificationIssue[];
  /** Null if no rules apply, because the body's type is unknown. */
  readonly reading: Reading<T> | null;
}

/**
 * @param expectedType - The type that the endpoint receives, or null to detect it by the body's
 * identifiers.
 */
export function readOpenBody<T>(
  body: OpenBody,
  expectedType: NotificationType | null,
  read: ReadByType<T>,
): BodyReading<T> {
  const { fields } = body;
  const detected = detectType(fields);
  const type = expectedType ?? detected;
  if (type === null) {
    const received = hasValue(fields, 'depositId') ? 'both' : 'neither';
    const issues = [unrecognized('either a depositId or a withdrawalId', received)];
    return { type, issues, reading: null };
  }
  const reading = read(body, type);
  const { issues } = reading;
  if (detected === null || detected === type) return { type, issues, reading };
  // Listed first, because it explains the missing fields that follow: at least the identifier.
  const received = `a ${detected} body. Check whether the callback URLs are swapped`;
  return { type, issues: [unrecognized(`a ${type} body`, received), ...issues], reading };
}

function unrecognized(expected: string, received: string): NotificationIssue {
  return issue('unrecognized_notification', [], expected, received);
}

function unwrap<T>(result: ParseResult<T>): T {
  if (result.success) return result.notification;
  throw result.error;
}
