import type {
  NotificationIssue,
  NotificationReference,
  NotificationType,
} from '../parser/errors.js';
import type { JsonFault } from './json-fault.js';
import type { Quirk } from './quirks.js';
import type { Verdict } from './verdict.js';

/**
 * A body, field by field, as plain data: `JSON.stringify` and `JSON.parse` change nothing in it.
 */
export interface Inspection {
  /**
   * One printable line for support. It says what arrived or was sent, and what to check. For a
   * refused body, it says why, what to do and to answer. The wording may change in any version.
   */
  readonly summary: string;
  /**
   * - `good`: accepted, and as expected
   * - `refused`: refused by the parser
   * - `check`: accepted, but someone should look at it, for one of these reasons:
   *   - an amount of 0, or no amount in a COMPLETED withdrawal
   *   - a deposit that is late, or more or less than expected
   *   - a withdrawal that is FAILED or BLOCKED
   *   - an address in an unusual form, which may lack its tag
   *   - an unreadable amount or time, or a field that was sent twice
   */
  readonly outcome: Verdict;
  /**
   * The notification's type: the one that `as` names. Without `as`, it is detected, and null if the
   * body has both identifiers or neither, or can't be read.
   */
  readonly type: NotificationType | null;
  /** The event's key (see `idempotencyKey`); null for a refused body. */
  readonly idempotencyKey: string | null;
  /** All fields in the order in which they were sent; none if the body isn't a JSON object. */
  readonly fields: readonly InspectedField[];
  /** The documented fields that were not sent. */
  readonly absent: readonly string[];
  /** The faults for which the body is not refused. */
  readonly warnings: readonly NotificationIssue[];
  /** The faults for which the body is refused; empty if it is accepted. */
  readonly issues: readonly NotificationIssue[];
  /** The position of the first error in the body's JSON syntax; null if there is none. */
  readonly jsonFault: JsonFault | null;
  /** The identifiers that are safe to print. */
  readonly reference: NotificationReference;
}

/** A field, raw and parsed, with its quirks. */
export interface InspectedField {
  readonly name: string;
  /** The value as JSON text, with every digit, without white space between its parts. */
  readonly raw: string;
  /**
   * The value as in the notification's JSON: an amount in plain digits, a time in ISO 8601, an
   * address split into its parts, an unknown field as `additionalFields` has it. Null if there is
   * no value.
   */
  readonly parsed: unknown;
  /** What a receiver may misread. */
  readonly quirks: readonly Quirk[];
}
