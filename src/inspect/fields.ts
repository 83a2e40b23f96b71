import type { OpenBody } from '../parser/body.js';
import type { NotificationIssue } from '../parser/errors.js';
import type { Fields } from '../parser/objects.js';
import type { Reading } from '../parser/read.js';
import type { NamedRule } from '../parser/rules.js';
import { nameOfRule } from '../parser/spelling.js';
import { readMembers } from '../shared/members.js';

/** What the readings of both notifications have. */
type AnyReading = Reading<{
  readonly additionalFields: Fields;
  readonly warnings: readonly NotificationIssue[];
}>;

/** One field of a body: what was sent, and what was read. */
export interface FieldReading {
  readonly name: string;
  /** Null if the field is not documented, or no rules apply to the body. */
  readonly rule: NamedRule | null;
  /**
   * The value's JSON text, with every digit, without white space between its parts; null if the
   * field was not sent.
   */
  readonly literal: string | null;
  /**
   * The value in the notification, or null. For a field without a rule, the value in
   * `additionalFields`; undefined if the field was left out because it is nested too deeply.
   */
  readonly value: unknown;
  /** How often the name was sent. The last value counts. */
  readonly times: number;
}

/**
 * Returns every field of a body: those that were sent, in their order, then the documented ones
 * that were not.
 *
 * @param reading - What was read of the same body; null if no rules apply to it.
 */
export function readFields({ text }: OpenBody, reading: AnyReading | null): FieldReading[] {
  const sent = new Map<string, Pick<FieldReading, 'literal' | 'times'>>();
  for (const [name, literal] of readMembers(text)) {
    sent.set(name, { literal, times: (sent.get(name)?.times ?? 0) + 1 });
  }
  const rules = reading?.rules ?? [];
  const known = [...sent.keys()].map(nameOfRule);
  const absent = rules.filter(({ name }) => !known.includes(name));
  const names = [...sent.keys(), ...absent.map(({ name }) => name)];
  return names.map((name) => {
    const { literal, times } = sent.get(name) ?? { literal: null, times: 0 };
    return { name, literal, times, ...readValue(name, literal, reading) };
  });
}

function readValue(
  name: string,
  literal: string | null,
  reading: AnyReading | null,
): Pick<FieldReading, 'rule' | 'value'> {
  if (reading === null) return { rule: null, value: null };
  const { rules, values, notification } = reading;
  const isAdditional = Object.hasOwn(notification.additionalFields, name);
  const place = rules.findIndex((rule) => rule.name === nameOfRule(name));
  const rule = rules[place] ?? null;
  // Of two spellings, only one may have a value.
  const isEmpty = literal === 'null' || literal === '""';
  if (rule !== null) return { rule, value: isEmpty ? null : values[place] };
  return { rule, value: isAdditional ? notification.additionalFields[name] : undefined };
}
