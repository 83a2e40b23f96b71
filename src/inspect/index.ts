import type { NotificationIssue, NotificationReference, NotificationType } from '../errors.js';
import { openBody } from '../internal/body.js';
import type { Partly } from '../internal/fields.js';
import { quote } from '../internal/quote.js';
import type { PaymentNotification } from '../notification.js';
import type { RawBody } from '../parse.js';
import { type Member, readMembers } from '../wire/members.js';
import { DEDUCED, DEDUCTED, SAMPLES } from '../wire/sample.js';
import { findJsonFault, type JsonFault } from './json-fault.js';
import { judgeBody } from './judgement.js';
import type { Outcome } from './outcome.js';
import { findQuirks, type Quirk, quirk } from './quirks.js';

export type { JsonFault } from './json-fault.js';
export type { Outcome } from './outcome.js';
export type { Quirk, QuirkCode } from './quirks.js';

/**
 * A body, field by field, as plain data: `JSON.stringify` and `JSON.parse` change nothing in it.
 */
export interface Inspection {
  /**
   * One printable line for support: what arrived or was sent, and what to review; of a refused
   * body, why it is refused, which amount it reports, what to do and what to answer. Its words may
   * change in any version.
   */
  readonly summary: string;
  /**
   * The judgement. `good`: an event that went as expected, maybe with a warning that hides no
   * amount. `review`: more, less or nothing arrived or was sent, too late, or the body doesn't say
   * how much. `bad`: refused.
   */
  readonly outcome: Outcome;
  /**
   * The notification's type; null if the body has both identifiers or neither, or can't be read.
   */
  readonly type: NotificationType | null;
  /** The event's key (see `idempotencyKey`); null for a refused body. */
  readonly idempotencyKey: string | null;
  /**
   * All fields in the order in which they were sent; of a refused body, as far as they could be
   * read.
   */
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

/** Options of {@link inspectBody}. */
export interface InspectOptions {
  /**
   * The type that the endpoint expects. By default, it is detected by the identifier of the body.
   */
  readonly as?: NotificationType | undefined;
}

/**
 * Shows how the parser reads a body: a summary for support; every field, raw and parsed, with its
 * quirks; absent fields; warnings; and the issues of a refused body. Use it in tools and
 * dashboards. To handle a notification, call a parser.
 *
 * @param body - The raw body, as text or bytes.
 * @param options - `as` sets the expected type.
 * @returns Plain data. Nothing is redacted: it contains every value of the body, including personal
 * data.
 * @throws TypeError if the body is already parsed, or `as` is unknown.
 *
 * @example
 * ```ts
 * const { outcome, fields } = inspectBody(rawBody);
 * fields[0]; // { name: 'onChainFee', raw: '1.2E-7', parsed: '0.00000012', quirks: [...] }
 * ```
 */
export function inspectBody(body: RawBody, { as }: InspectOptions = {}): Inspection {
  if (as !== undefined && !Object.hasOwn(SAMPLES, as)) {
    throw new TypeError(`as: expected ${Object.keys(SAMPLES).join(' or ')}, received ${quote(as)}`);
  }
  const opened = openBody(body);
  if (opened.fields !== null && opened.text === null) {
    throw new TypeError('body: expected text or bytes, received an object. Pass the raw body');
  }
  const { judgement, read } = judgeBody(body, as ?? null, opened);
  if (opened.fields === null) {
    const jsonFault = opened.text === undefined ? null : findJsonFault(opened.text);
    return { ...judgement, fields: [], absent: [], jsonFault };
  }
  const members = readMembers(`${opened.text}`);
  return {
    ...judgement,
    fields: inspectFields(members, read, judgement.outcome !== 'bad'),
    absent: judgement.type === null ? [] : findAbsent(members, judgement.type),
    jsonFault: null,
  };
}

function inspectFields(
  members: readonly Member[],
  notification: Partly<PaymentNotification> | null,
  isAccepted: boolean,
): InspectedField[] {
  const counts = new Map<string, number>();
  for (const [name] of members) counts.set(name, (counts.get(name) ?? 0) + 1);
  // As in JSON.parse, the last of several fields with one name counts.
  return [...new Map(members)].map(([name, raw]) => {
    const quirks = counts.get(name) === 1 ? [] : [quirk('repeated')];
    if (notification === null) return { name, raw, parsed: null, quirks };
    const value = findValue(notification, name, raw);
    if (value === undefined) {
      return { name, raw, parsed: null, quirks: [...quirks, quirk('deeply_nested')] };
    }
    quirks.push(...findQuirks(notification, name, raw, value, isAccepted));
    return { name, raw, parsed: JSON.parse(JSON.stringify(value)), quirks };
  });
}

/**
 * Returns a field's value in the notification; undefined for an unknown field that was left out.
 */
function findValue(notification: Partly<PaymentNotification>, name: string, raw: string): unknown {
  const { type, additionalFields } = notification;
  if (!Object.hasOwn(SAMPLES[type], name)) {
    // A field that was left out may be named `toString`.
    return Object.hasOwn(additionalFields, name) ? additionalFields[name] : undefined;
  }
  // The value in the notification may have come from the other spelling of the name.
  if (raw === 'null' || raw === '""' || Object.hasOwn(additionalFields, name)) return null;
  const key = name === DEDUCED ? DEDUCTED : name;
  return Object.getOwnPropertyDescriptor(notification, key)?.value;
}

function findAbsent(members: readonly Member[], type: NotificationType): string[] {
  const names = new Set(members.map(([name]) => (name === DEDUCED ? DEDUCTED : name)));
  return Object.keys(SAMPLES[type]).filter((name) => name !== DEDUCED && !names.has(name));
}
