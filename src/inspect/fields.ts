import type { OpenBody } from '../parser/body.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Reading } from '../parser/read.js';
import type { NamedRule } from '../parser/rules.js';
import { nameOfRule } from '../parser/spelling.js';
import { readMembers } from '../shared/members.js';

/** A field that was sent, and what was read. */
export interface FieldReading {
  readonly name: string;
  /** Null if the field is not documented, or no rules apply to the body. */
  readonly rule: NamedRule | null;
  /** The value's JSON text, with every digit, without white space between its parts. */
  readonly raw: string;
  /**
   * The value in the notification, or null. For a field without a rule, the value in
   * `additionalFields`; undefined if the field was left out because it is nested too deeply.
   */
  readonly value: unknown;
  /** How often the name was sent. The last value counts. */
  readonly times: number;
}

/**
 * Returns the fields of a body in the order in which they were sent.
 *
 * @param reading - What was read of the same body; null if no rules apply to it.
 */
export function readFields(
  { text }: OpenBody,
  reading: Reading<PaymentNotification> | null,
): FieldReading[] {
  const sent = new Map<string, Pick<FieldReading, 'raw' | 'times'>>();
  for (const [name, raw] of readMembers(text)) {
    sent.set(name, { raw, times: (sent.get(name)?.times ?? 0) + 1 });
  }
  return [...sent].map(([name, { raw, times }]) => {
    return { name, raw, times, ...readValue(name, raw, reading) };
  });
}

/** Whether a value's JSON text is null or an empty string, so that its field has no value. */
export function isEmpty(raw: string): boolean {
  return raw === 'null' || raw === '""';
}

/** Returns the names of the documented fields that were not sent. */
export function absentFrom(
  fields: readonly FieldReading[],
  reading: Reading<PaymentNotification> | null,
): string[] {
  const known = fields.map(({ name }) => nameOfRule(name));
  const names = (reading?.rules ?? []).map(({ name }) => name);
  return names.filter((name) => !known.includes(name));
}

function readValue(
  name: string,
  raw: string,
  reading: Reading<PaymentNotification> | null,
): Pick<FieldReading, 'rule' | 'value'> {
  if (reading === null) return { rule: null, value: null };
  const { rules, values, notification } = reading;
  const index = rules.findIndex((rule) => rule.name === nameOfRule(name));
  const rule = rules[index];
  if (rule === undefined) {
    const { additionalFields: others } = notification;
    return { rule: null, value: Object.hasOwn(others, name) ? others[name] : undefined };
  }
  // Of two spellings, only one may have a value.
  return { rule, value: isEmpty(raw) ? null : values[index] };
}
