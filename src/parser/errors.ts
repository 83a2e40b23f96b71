import { UUID_REGEX } from 'valibot';

/** The `type` of a notification. */
export type NotificationType = 'deposit.received' | 'withdrawal.broadcast';

/** What can be wrong with a body. TypeScript can check that a `switch` over it is exhaustive. */
export type IssueCode =
  /** The body is not valid JSON in UTF-8. */
  | 'invalid_json'
  /** The body is larger than 64 KiB. */
  | 'body_too_large'
  /** The body is not a JSON object, but an array or a promise, for example. */
  | 'not_an_object'
  /**
   * The body is not of the parser's type. For `parseNotification`, it has the identifiers of both
   * types or of neither.
   */
  | 'unrecognized_notification'
  /** A required or expected field is missing. */
  | 'missing_field'
  /**
   * A value has the wrong JSON type, is an empty string in a required field, or is free text with
   * invalid Unicode (a lone surrogate). Or a field has over 1,000 levels of nesting.
   */
  | 'wrong_type'
  /** An amount is not a number in JSON syntax, or exceeds the limits. */
  | 'invalid_amount'
  /** An amount is negative, but must be zero or more. */
  | 'negative_amount'
  /** An amount in an already parsed body is a number, which `JSON.parse` may have rounded. */
  | 'parsed_body'
  /** A time is neither a UNIX time nor an RFC 3339 date-time. */
  | 'invalid_timestamp'
  /** An identifier assigned by the service is not a UUID. */
  | 'invalid_id'
  /** A string is not one of the documented values. */
  | 'unknown_value'
  /**
   * `toTxAddress` has no address before `?dt=`, or has invalid Unicode. As a warning, it has a
   * parameter other than `dt`, such as `?tag=12`, which may be a destination tag.
   */
  | 'invalid_tx_address'
  /**
   * The two spellings of `deductedSettlementAmount` have different amounts, or one is unreadable.
   * The field is null.
   */
  | 'conflicting_fields';

/**
 * A fault in a body: a reason to refuse it, or a warning. All strings are single printable lines,
 * whatever the body contained.
 */
export interface NotificationIssue {
  /** What kind of fault this is. */
  readonly code: IssueCode;
  /** Path to the field, such as `['txAddressOwner', 'name']`; empty for the body itself. */
  readonly path: readonly string[];
  /** The complete message: `actualDepositAmount: expected a decimal number, received "12,5"`. */
  readonly message: string;
  /** What was expected: `a decimal number`. */
  readonly expected: string;
  /**
   * What was received. Text is quoted only if it is short and looks like a value of this field. Any
   * other text may be personal data, and is only described.
   */
  readonly received: string;
}

/**
 * Identifiers from a refused body. Use them only to find the payment.
 *
 * They are not validated. Each is a printable string of up to 128 characters. A key is missing if
 * the body has no such string.
 */
export interface NotificationReference {
  readonly depositId?: string;
  readonly paymentId?: string;
  readonly clientPaymentId?: string;
  readonly withdrawalId?: string;
  readonly clientWithdrawalId?: string;
  readonly transactionId?: string;
}

/** The arguments of {@link NotificationError}. */
export interface NotificationErrorDetails {
  readonly notificationType: NotificationType | null;
  readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  readonly reference?: NotificationReference;
  /**
   * What was refused: the first word of the message, such as `address`. By default, the
   * notification's type, or `notification` if that is null.
   */
  readonly refused?: string;
  /** What was thrown when a parsed body was written as JSON. */
  readonly cause?: unknown;
}

/** The message lists at most this many issues, and counts the rest. */
const MAX_LISTED_ISSUES = 20;

/**
 * The identifiers that the message may name. Any other may be personal data, such as an email
 * address.
 */
const SERVICE_IDS = ['depositId', 'paymentId', 'withdrawalId'] as const;

/** All copies of this package in a process share this symbol. */
const ERROR_BRAND = Symbol.for('payment-notifications.NotificationError');

/**
 * The error for a refused body. `issues` lists every fault; `reference` identifies the payment or
 * withdrawal.
 *
 * The message is a single line for your log. It names only the identifiers that the service
 * assigned. `JSON.stringify` writes structured data, with every identifier in `reference`.
 */
export class NotificationError extends Error {
  // `declare` emits no field. A field would be initialized twice, and hide the prototype's `name`.
  declare readonly name: 'NotificationError';
  /** The type that the parser expects. For `parseNotification`, the body's; null if unknown. */
  declare readonly notificationType: NotificationType | null;
  /** The faults for which the body was refused. */
  declare readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  /** The identifiers from the body. */
  declare readonly reference: NotificationReference;

  /** The parsers create these errors. Construct one yourself only in tests. */
  constructor(details: NotificationErrorDetails) {
    const { notificationType, issues, reference = {} } = details;
    const refused = details.refused ?? notificationType ?? 'notification';
    super(composeMessage(refused, issues, reference), details);
    this.notificationType = notificationType;
    this.issues = issues;
    this.reference = reference;
  }

  /** The error as plain data for structured logs, without `stack` and `cause`. */
  toJSON(): Pick<
    NotificationError,
    'name' | 'message' | 'notificationType' | 'issues' | 'reference'
  > {
    const { name, message, notificationType, issues, reference } = this;
    return { name, message, notificationType, issues, reference };
  }
}

// On the prototype: an own `name` would be set only after the stack is captured. Not in a static
// block, which Metro, the bundler of React Native, refuses.
Object.defineProperties(NotificationError.prototype, {
  [ERROR_BRAND]: { value: true },
  name: { value: 'NotificationError' },
});

/**
 * Whether a caught value is a {@link NotificationError}. Unlike `instanceof`, this also recognizes
 * errors from another copy of the package, such as its CommonJS build.
 */
export function isNotificationError(value: unknown): value is NotificationError {
  return Object(value)[ERROR_BRAND] === true;
}

function composeMessage(
  refused: string,
  issues: readonly NotificationIssue[],
  reference: NotificationReference,
): string {
  const messages = issues.slice(0, MAX_LISTED_ISSUES).map((issue) => issue.message);
  const unlisted = issues.length - messages.length;
  if (unlisted > 0) messages.push(`and ${unlisted} more`);
  const ids = SERVICE_IDS.filter((name) => UUID_REGEX.test(reference[name] ?? '')).map(
    (name) => `${name} ${reference[name]}`,
  );
  const about = ids.length > 0 ? ` [${ids.join(', ')}]` : '';
  return `${refused} refused: ${messages.join('; ')}${about}`;
}
