/** The two notifications: `'deposit.received'` and `'withdrawal.broadcast'`. */
export type NotificationType = 'deposit.received' | 'withdrawal.broadcast';

/** The kinds of faults of a body. The list is closed: a `switch` over it can be exhaustive. */
export type IssueCode =
  /** The body is not JSON text in UTF-8. */
  | 'invalid_json'
  /** The body is longer than 64 KiB, or JSON for `notificationFromJSON` than 1 MiB; it was not read. */
  | 'body_too_large'
  /** The body holds no JSON object: it is an array, a stream, a promise, nothing at all. */
  | 'not_an_object'
  /** The body has the identifier of the other notification, of both or of neither, or is not the body of a callback. */
  | 'unrecognized_notification'
  /** A field that the service should always send is absent or null. */
  | 'missing_field'
  /** A field holds a value of another JSON type, or text that is empty or not well-formed. */
  | 'wrong_type'
  /** An amount is not in the grammar of JSON numbers, or is beyond the limits. */
  | 'invalid_amount'
  /** An amount that says how much moved, or should move, is below zero. */
  | 'negative_amount'
  /** An amount of an already parsed body has so many digits that `JSON.parse` may have rounded it. */
  | 'inexact_number'
  /** A timestamp is neither a UNIX time nor a date-time of RFC 3339. */
  | 'invalid_timestamp'
  /** An identifier assigned by the service is not a UUID. */
  | 'invalid_id'
  /** A field holds a string outside its documented values. */
  | 'unknown_value'
  /** `toTxAddress` holds no address in front of `?dt=`. */
  | 'invalid_tx_address'
  /** Both spellings of one field are there, with different values. */
  | 'conflicting_fields';

/**
 * One fault of a body: a reason to refuse it, or a warning on a notification. Every text in it is a
 * single printable line, whatever the body held.
 */
export interface NotificationIssue {
  /** The kind of fault. */
  readonly code: IssueCode;
  /** The names from the body inwards, `['txAddressOwner', 'name']`; empty for the body itself. */
  readonly path: readonly string[];
  /** The whole sentence: `actualDepositAmount: expected a decimal number, received "12,5"`. */
  readonly message: string;
  /** The expected value: `a decimal number`. */
  readonly expected: string;
  /** The received value, quoted and cut at 40 characters; identifiers and addresses are only described. */
  readonly received: string;
}

/**
 * The identifiers that were found in a refused body, so that it can be traced and reconciled.
 *
 * They are unverified: any text of at most 128 printable characters is taken. A key is absent if the
 * body had no such text.
 */
export interface NotificationReference {
  readonly depositId?: string;
  readonly paymentId?: string;
  readonly clientPaymentId?: string;
  readonly withdrawalId?: string;
  readonly clientWithdrawalId?: string;
  readonly transactionId?: string;
}

/** The properties of a {@link NotificationError}. */
export interface NotificationErrorDetails {
  readonly notificationType: NotificationType | null;
  readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  readonly reference?: NotificationReference;
  /** The error that caused this one, e.g. the `SyntaxError` of `JSON.parse`. */
  readonly cause?: unknown;
}

/** More issues than this are counted in the error's message, not listed. */
const MAX_LISTED_ISSUES = 20;

/** Shared by every installed copy of this package through the symbol registry. */
const BRAND = Symbol.for('payment-notifications.NotificationError');

/**
 * A body was refused. `issues` says everything that is wrong with it, `reference` which payment or
 * withdrawal it was about.
 *
 * The message is one line, fit for a log. `JSON.stringify` gives the same as structured data.
 */
export class NotificationError extends Error {
  // On the prototype: own properties would cost every instance, and be set after the stack is captured.
  static {
    // biome-ignore lint/complexity/noThisInStatic: the build renames a class that names itself here, and Node.js prints _NotificationError.
    const { prototype } = this;
    Object.defineProperty(prototype, BRAND, { value: true });
    Object.defineProperty(prototype, 'name', { value: 'NotificationError' });
  }

  // `declare` avoids initializing them twice.
  declare readonly name: 'NotificationError';
  /** Which notification was being read; null if the body did not tell. */
  declare readonly notificationType: NotificationType | null;
  /** Every fault for which the body was refused, in the order of its fields. */
  declare readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  /** The identifiers that were found in the body. */
  declare readonly reference: NotificationReference;

  /** The parsers create it; your tests may, too. */
  constructor(details: NotificationErrorDetails) {
    const { notificationType, issues, reference = {} } = details;
    super(summarize(notificationType, issues, reference), details);
    this.notificationType = notificationType;
    this.issues = issues;
    this.reference = reference;
  }

  /** The error as plain data for structured logs, without stack and cause. */
  toJSON(): Pick<
    NotificationError,
    'name' | 'message' | 'notificationType' | 'issues' | 'reference'
  > {
    const { name, message, notificationType, issues, reference } = this;
    return { name, message, notificationType, issues, reference };
  }
}

/**
 * Whether a caught value is a {@link NotificationError}. Unlike `instanceof`, it also recognizes an
 * error of another installed copy of this package, e.g. of the ESM build beside the CJS one.
 *
 * @param value - Anything, as `catch` gives it.
 * @returns Whether it has the error's brand.
 */
export function isNotificationError(value: unknown): value is NotificationError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

function summarize(
  type: NotificationType | null,
  issues: readonly NotificationIssue[],
  reference: NotificationReference,
): string {
  const messages = issues.slice(0, MAX_LISTED_ISSUES).map((issue) => issue.message);
  const unlisted = issues.length - messages.length;
  if (unlisted > 0) messages.push(`and ${unlisted} more`);
  const ids = Object.entries(reference).map(([name, id]) => `${name} ${JSON.stringify(id)}`);
  const about = ids.length > 0 ? ` [${ids.join(', ')}]` : '';
  return `${type ?? 'notification'} refused: ${messages.join('; ')}${about}`;
}
