import { type DepositReceived, readDepositReceived } from './deposit-received.js';
import { type Issue, NotificationError, type NotificationErrorDetails } from './errors.js';
import { openBody } from './internal/body.js';
import type { Source } from './internal/fields.js';
import { issue, referenceOf } from './internal/issues.js';
import {
  detectType,
  type Notification,
  type NotificationType,
  readNotification,
} from './notification.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** The outcome of a `safeParse…` function: `success` tells which. */
export type ParseResult<T> =
  | { readonly success: true; readonly notification: T }
  | { readonly success: false; readonly error: NotificationError };

/**
 * Reads the body of a deposit-received callback (service document, "Deposit received notification
 * body").
 *
 * @param body - The request's body: its raw text or bytes (`Uint8Array`, `Buffer`, `ArrayBuffer`; at
 * most 64 KiB of UTF-8), or the object that a framework has parsed already. Prefer raw: `JSON.parse`
 * has rounded the numbers of a parsed body to 15 to 17 digits, and nothing brings the others back.
 * @returns The deposit, with exact amounts.
 * @throws {@link NotificationError} with every fault of the body; never anything else.
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
 * Reads the body of a withdrawal callback (service document, "Withdrawal broadcast notification
 * body").
 *
 * @param body - As for {@link parseDepositReceived}.
 * @returns The withdrawal, a union discriminated by `status`, with exact amounts and a split address.
 * @throws {@link NotificationError} with every fault of the body; never anything else.
 *
 * @example
 * ```ts
 * const withdrawal = parseWithdrawalBroadcast(rawBody);
 * withdrawal.status; // 'COMPLETED'
 * withdrawal.toTxAddress.destinationTag; // '007'
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
 * @throws {@link NotificationError} with every fault of the body; never anything else.
 *
 * @example
 * ```ts
 * const notification = parseNotification(rawBody);
 * notification.type; // 'deposit.received'
 * ```
 */
export function parseNotification(body: unknown): Notification {
  return unwrap(safeParseNotification(body));
}

/** Like {@link parseDepositReceived}, but returns the error instead of throwing it; never throws. */
export function safeParseDepositReceived(body: unknown): ParseResult<DepositReceived> {
  return safeParse(body, 'deposit.received', readDepositReceived);
}

/** Like {@link parseWithdrawalBroadcast}, but returns the error instead of throwing it; never throws. */
export function safeParseWithdrawalBroadcast(body: unknown): ParseResult<WithdrawalBroadcast> {
  return safeParse(body, 'withdrawal.broadcast', readWithdrawalBroadcast);
}

/** Like {@link parseNotification}, but returns the error instead of throwing it; never throws. */
export function safeParseNotification(body: unknown): ParseResult<Notification> {
  return safeParse(body, null, readNotification);
}

/** Reads a body as the given type; null stands for whichever it is. */
function safeParse<T>(
  body: unknown,
  type: NotificationType | null,
  read: (source: Source) => T,
): ParseResult<T> {
  try {
    const source = openBody(body);
    if (!('fields' in source)) return failure({ notificationType: type, ...source });
    const notification = read(source);
    if (source.issues.length === 0) return { success: true, notification };
    return failure(refusal(source, type));
  } catch (cause) {
    // An object's getters or its proxy have thrown, or the caller's stack is used up.
    const fault = issue('not_an_object', [], 'a JSON object', 'a value that fails to be read');
    return failure({ notificationType: type, issues: [fault], cause });
  }
}

function refusal(source: Source, type: NotificationType | null): NotificationErrorDetails {
  const detected = detectType(source);
  const issues = [...source.issues];
  if (type !== null && detected !== null && detected !== type)
    issues.unshift(mixUp(type, detected));
  return { notificationType: type ?? detected, issues, reference: referenceOf(source.fields) };
}

/** The likeliest reason for a dozen missing fields, in front of them. */
function mixUp(type: NotificationType, detected: NotificationType): Issue {
  const received = `a ${detected} one: are the two callback addresses mixed up?`;
  return issue('unrecognized_notification', [], `a ${type} body`, received);
}

function failure(details: NotificationErrorDetails): {
  success: false;
  error: NotificationError;
} {
  return { success: false, error: new NotificationError(details) };
}

function unwrap<T>(result: ParseResult<T>): T {
  if (result.success) return result.notification;
  throw result.error;
}
