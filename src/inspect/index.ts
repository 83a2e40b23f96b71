import type { NotificationIssue, NotificationReference, NotificationType } from '../errors.js';
import { openBody } from '../internal/body.js';
import { quote, referenceOf } from '../internal/issues.js';
import { idempotencyKey, type PaymentNotification, readNotification } from '../notification.js';
import { type RawBody, readBody } from '../parse.js';
import { type Member, readMembers } from '../wire/members.js';
import { DEDUCED, DEDUCTED, SAMPLES } from '../wire/sample.js';
import { findJsonFault, type JsonFault } from './json-fault.js';
import { findQuirks, type Quirk, quirk } from './quirks.js';

export type { JsonFault } from './json-fault.js';
export type { Quirk, QuirkCode } from './quirks.js';

/** The parser's verdict on a body: read, read with warnings, or refused. */
export type Verdict = 'valid' | 'warnings' | 'refused';

/** A body, field by field. Plain data: it is the same after `JSON.stringify` and `JSON.parse`. */
export interface Inspection {
  readonly verdict: Verdict;
  /** Which notification the body is; null if unclear. */
  readonly type: NotificationType | null;
  /** The event's key, see `idempotencyKey`; null for a refused body. */
  readonly idempotencyKey: string | null;
  /** Every field, in the order of the wire; of a refused body as far as it could be read. */
  readonly fields: readonly InspectedField[];
  /** The documented fields that are not there. */
  readonly absent: readonly string[];
  /** The faults that don't cost the notification. */
  readonly warnings: readonly NotificationIssue[];
  /** The faults for which the body is refused; empty if it isn't. */
  readonly issues: readonly NotificationIssue[];
  /** Where the text of a body breaks the grammar of JSON; null unless it does. */
  readonly jsonFault: JsonFault | null;
  /** The identifiers, as far as they are fit to be printed. */
  readonly reference: NotificationReference;
}

/** One field, raw and parsed, with its oddities. */
export interface InspectedField {
  readonly name: string;
  /** The JSON text of the value: to the digit, without white space between its parts. */
  readonly raw: string;
  /**
   * The value as in the notification's JSON: an amount as decimal digits, a time in ISO 8601, an
   * address in its parts, an undocumented field as it was sent. Null if there is none.
   */
  readonly parsed: unknown;
  /** The oddities that a receiver may trip over. */
  readonly quirks: readonly Quirk[];
}

/** Options of {@link inspectBody}. */
export interface InspectOptions {
  /** The notification that the endpoint receives; without it, the body's identifier decides. */
  readonly as?: NotificationType | undefined;
}

/**
 * Shows a body as the parser sees it: each field, raw and parsed, with its oddities; absent fields; warnings;
 * and the issues of a refused body. For logs, tools and dashboards; to handle a notification, parse it.
 *
 * @param body - The raw body, as text or bytes.
 * @param options - `as` says which notification is expected.
 * @returns Plain data. Nothing is redacted: it contains every value of the body, personal data included.
 * @throws TypeError for a body that is parsed already, whose digits are gone, or an unknown `as`.
 *
 * @example
 * ```ts
 * const { verdict, fields } = inspectBody(rawBody);
 * fields[0]; // { name: 'onChainFee', raw: '1.2E-7', parsed: '0.00000012', quirks: [...] }
 * ```
 */
export function inspectBody(body: RawBody, { as }: InspectOptions = {}): Inspection {
  if (as !== undefined && !Object.hasOwn(SAMPLES, as)) {
    throw new TypeError(`as: expected ${Object.keys(SAMPLES).join(' or ')}, received ${quote(as)}`);
  }
  const context = openBody(body);
  if (context.fields === null) {
    // Only JSON.parse has a SyntaxError: other bodies that can't be read are not even text.
    const jsonFault = context.cause instanceof SyntaxError ? findJsonFault(body) : null;
    const nothing = { idempotencyKey: null, fields: [], absent: [], warnings: [], reference: {} };
    return { verdict: 'refused', type: as ?? null, issues: context.issues, jsonFault, ...nothing };
  }
  if (context.text === null)
    throw new TypeError('expected a raw body, received one that is parsed');

  const { type, notification, error } = readBody(context, as ?? null, readNotification);
  const warnings = notification?.warnings ?? [];
  const verdict = warnings.length === 0 ? 'valid' : 'warnings';
  const members = readMembers(context.text);
  return {
    verdict: error === null ? verdict : 'refused',
    type,
    idempotencyKey: error === null ? idempotencyKey(notification) : null,
    fields: inspectFields(members, notification),
    absent: type === null ? [] : findAbsent(members, type),
    warnings,
    issues: error?.issues ?? [],
    jsonFault: null,
    reference: referenceOf(context.fields),
  };
}

function inspectFields(
  members: readonly Member[],
  notification: PaymentNotification | null,
): InspectedField[] {
  const counts = new Map<string, number>();
  for (const [name] of members) counts.set(name, (counts.get(name) ?? 0) + 1);
  // As with JSON.parse, the last one of a repeated field counts.
  return [...new Map(members)].map(([name, raw]) => {
    const quirks = counts.get(name) === 1 ? [] : [quirk('repeated')];
    if (notification === null) return { name, raw, parsed: null, quirks };
    const value = findValue(notification, name, raw);
    quirks.push(...findQuirks(notification, name, raw, value));
    // JSON.stringify recurses, and has its limits.
    const isDeep = isNestedDeeperThan(100, value);
    if (isDeep) quirks.push(quirk('deeply_nested'));
    return { name, raw, parsed: isDeep ? null : JSON.parse(JSON.stringify(value)), quirks };
  });
}

/** The parsed value of a field of the body; null if there is none. */
function findValue(notification: PaymentNotification, name: string, raw: string): unknown {
  const { type, additionalFields } = notification;
  if (!Object.hasOwn(SAMPLES[type], name)) return additionalFields[name];
  // Of the two spellings of a name, the other one may have had the value.
  if (raw === 'null' || raw === '""' || Object.hasOwn(additionalFields, name)) return null;
  return new Map(Object.entries(notification)).get(name === DEDUCED ? DEDUCTED : name);
}

function isNestedDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isNestedDeeperThan(limit - 1, part));
}

function findAbsent(members: readonly Member[], type: NotificationType): string[] {
  const names = new Set(members.map(([name]) => (name === DEDUCED ? DEDUCTED : name)));
  return Object.keys(SAMPLES[type]).filter((name) => name !== DEDUCED && !names.has(name));
}
