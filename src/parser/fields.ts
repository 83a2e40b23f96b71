import type { OpenBody } from './body.js';
import type { NotificationIssue } from './errors.js';
import { readMembers } from './members.js';
import type { Fields } from './objects.js';
import type { Reading } from './read.js';
import type { NamedRule } from './rules.js';

/** What the readings of both notifications have. */
type AnyReading = Reading<{
  readonly additionalFields: Fields;
  readonly warnings: readonly NotificationIssue[];
}>;

/** One field of a body: what was sent, and what was read. */
export interface FieldReading {
  /** The name in the body. */
  readonly name: string;
  /** The name in the notification: another one for the second spelling of a name. */
  readonly outputName: string;
  /** Null if the field is not documented, or no rules apply to the body. */
  readonly rule: NamedRule | null;
  /** The value as `JSON.parse` returns it; undefined if the field was not sent. */
  readonly sent: unknown;
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
  /** The faults of the field and of the fields in it, whether they refuse the body or not. */
  readonly issues: readonly NotificationIssue[];
  /** How often the name was sent. The last value counts. */
  readonly times: number;
}

/**
 * Returns every field of a body: those that were sent, in their order, then the documented ones
 * that were not.
 *
 * @param reading - What was read of the same body; null if no rules apply to it.
 */
export function readFields(body: OpenBody, reading: AnyReading | null): FieldReading[] {
  const sent = new Map<string, { literal: string; times: number }>();
  for (const [name, literal] of readMembers(body.text)) {
    sent.set(name, { literal, times: (sent.get(name)?.times ?? 0) + 1 });
  }
  const fields = [...sent].map(
    ([name, { literal, times }]): FieldReading => ({
      ...fieldOf(reading, name),
      sent: body.fields[name],
      literal,
      times,
    }),
  );
  const names = new Set(fields.map(({ outputName }) => outputName));
  const absent = (reading?.rules ?? []).filter(
    ({ name, outputName }) => name === outputName && !names.has(name),
  );
  const nothing = { sent: undefined, literal: null, times: 0 };
  return [...fields, ...absent.map(({ name }) => ({ ...fieldOf(reading, name), ...nothing }))];
}

function fieldOf(reading: AnyReading | null, name: string) {
  if (reading === null) return { name, outputName: name, rule: null, value: null, issues: [] };
  const { rules, values, notification, issues } = reading;
  const { additionalFields, warnings } = notification;
  const place = rules.findIndex((rule) => rule.name === name);
  const rule = rules[place] ?? null;
  const isAdditional = Object.hasOwn(additionalFields, name);
  const value = rule === null ? undefined : values[place];
  return {
    name,
    outputName: rule?.outputName ?? name,
    rule,
    value: isAdditional ? (rule === null ? additionalFields[name] : null) : value,
    issues: [...issues, ...warnings].filter(({ path }) => path[0] === name),
  };
}
