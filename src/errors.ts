import type { NotificationType } from './notification.js';

/** What can be wrong with a body. The list is closed: a `switch` over it can be exhaustive. */
export type IssueCode =
  /** The body is not JSON text in UTF-8, or is nested too deeply to be read exactly. */
  | 'invalid_json'
  /** The body is longer than 64 KiB; it was not read. */
  | 'body_too_large'
  /** The body holds no JSON object: it is an array, a stream, a promise, nothing at all. */
  | 'not_an_object'
  /** The body is another notification than was asked for or, by its identifiers, neither or both. */
  | 'unrecognized_notification'
  /** A required field is absent or null. */
  | 'missing_field'
  /** A field holds a value of another JSON type, or an empty string where text must be. */
  | 'wrong_type'
  /** An amount is not in the grammar of JSON numbers, or beyond the limits. */
  | 'invalid_amount'
  /** An amount that says how much moved, or should move, is below zero. */
  | 'negative_amount'
  /** A timestamp is not a UNIX time. */
  | 'invalid_timestamp'
  /** An identifier assigned by the service is not a UUID. */
  | 'invalid_id'
  /** A field holds a string outside its documented values. */
  | 'unknown_value'
  /** `toTxAddress` holds no address in front of `?dt=`. */
  | 'invalid_tx_address'
  /** Both spellings of one field are there, with different values. */
  | 'conflicting_fields';

/** One fault of a body. Every text in it is a single printable line, whatever the body held. */
export interface Issue {
  readonly code: IssueCode;
  /** Where: the names from the body inwards, `['txAddressOwner', 'name']`; empty for the body itself. */
  readonly path: readonly string[];
  /** The whole sentence: `actualDepositAmount: expected a decimal number, received "12,5"`. */
  readonly message: string;
  /** What should have come: `a decimal number`. */
  readonly expected: string;
  /** What came, quoted and cut at 40 characters; identifiers and addresses are only described. */
  readonly received: string;
}

/**
 * The identifiers that a refused body still yielded, so that it can be found and reconciled.
 *
 * They are unverified: only text of at most 128 printable characters is taken, and no more is known
 * of it. A key is absent where the body had no such text.
 */
export interface NotificationReference {
  readonly depositId?: string;
  readonly paymentId?: string;
  readonly clientPaymentId?: string;
  readonly withdrawalId?: string;
  readonly clientWithdrawalId?: string;
  readonly transactionId?: string;
}

/** What a {@link NotificationError} is made of. */
export interface NotificationErrorDetails {
  readonly notificationType: NotificationType | null;
  readonly issues: readonly Issue[];
  readonly reference?: NotificationReference;
  /** What was thrown underneath: the reason of `JSON.parse`, say. */
  readonly cause?: unknown;
}

/** More issues than this are counted in the error's message, not told one by one. */
const TOLD_ISSUES = 20;

/** Shared by every installed copy of this package through the registry of symbols. */
const BRAND = Symbol.for('payment-notifications.NotificationError');

/**
 * A body was refused. Says everything that is wrong with it, in `issues`, and which payment or
 * withdrawal it was about, in `reference`.
 *
 * The message is one line, fit for a log. `JSON.stringify` gives the same as structured data.
 */
export class NotificationError extends Error {
  override readonly name = 'NotificationError';
  /** Which notification was being read; null where the body did not tell. */
  readonly notificationType: NotificationType | null;
  /** Every fault of the body, in the order of its fields; never empty. */
  readonly issues: readonly Issue[];
  /** The identifiers that could be read all the same. */
  readonly reference: NotificationReference;

  /**
   * Made by the parsers; your tests may make one, too.
   *
   * @param details - What the properties of the same names will hold.
   */
  constructor(details: NotificationErrorDetails) {
    const { notificationType, issues, reference = {} } = details;
    super(summary(notificationType, issues, reference), details);
    this.notificationType = notificationType;
    this.issues = issues;
    this.reference = reference;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The error as plain data for structured logs: without stack and cause. */
  toJSON(): {
    name: string;
    message: string;
    notificationType: NotificationType | null;
    issues: readonly Issue[];
    reference: NotificationReference;
  } {
    const { name, message, notificationType, issues, reference } = this;
    return { name, message, notificationType, issues, reference };
  }
}

/**
 * Whether a caught value is a {@link NotificationError}, also one of another installed copy of this
 * package (the ESM beside the CJS build, say), for which `instanceof` fails.
 *
 * @param value - Anything, as `catch` gives it.
 * @returns Whether it has the error's brand.
 */
export function isNotificationError(value: unknown): value is NotificationError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

function summary(
  type: NotificationType | null,
  issues: readonly Issue[],
  reference: NotificationReference,
): string {
  const told = issues.slice(0, TOLD_ISSUES).map((issue) => issue.message);
  if (issues.length > TOLD_ISSUES) told.push(`and ${issues.length - TOLD_ISSUES} more`);
  const ids = Object.entries(reference).map(([name, id]) => `${name} ${JSON.stringify(id)}`);
  const about = ids.length > 0 ? ` [${ids.join(', ')}]` : '';
  return `${type ?? 'notification'} refused: ${told.join('; ')}${about}`;
}
