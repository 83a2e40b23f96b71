import { openBody } from '../parser/body.js';
import type { NotificationType } from '../parser/errors.js';
import { type Member, readMembers } from '../parser/members.js';
import { quote } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { RawBody } from '../parser/parse.js';
import type { Incomplete } from '../parser/read.js';
import { DEDUCED, DEDUCTED, SAMPLES } from '../testing/sample.js';
import type { InspectedField, Inspection } from './inspection.js';
import { findJsonFault } from './json-fault.js';
import { judgeBody } from './judgement.js';
import { findQuirks, quirk } from './quirks.js';

export type { InspectedField, Inspection } from './inspection.js';
export type { JsonFault } from './json-fault.js';
export type { Outcome } from './outcome.js';
export type { Quirk, QuirkCode } from './quirks.js';

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
 * @throws TypeError if the body is an object that is already parsed, or `as` is unknown.
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
  if (opened.fields !== null && opened.isParsed) {
    throw new TypeError('body: expected text or bytes, received an object. Pass the raw body');
  }
  const { judgement, read } = judgeBody(body, as ?? null, opened);
  if (opened.fields === null) {
    const jsonFault = opened.text === undefined ? null : findJsonFault(opened.text);
    return { ...judgement, fields: [], absent: [], jsonFault };
  }
  const members = readMembers(opened.text);
  return {
    ...judgement,
    fields: inspectFields(members, read, judgement.outcome !== 'bad'),
    absent: judgement.type === null ? [] : findAbsent(members, judgement.type),
    jsonFault: null,
  };
}

function inspectFields(
  members: readonly Member[],
  notification: Incomplete<PaymentNotification> | null,
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
function findValue(
  notification: Incomplete<PaymentNotification>,
  name: string,
  raw: string,
): unknown {
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
