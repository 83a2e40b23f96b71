import type { OpenBody } from './body.js';
import type { NotificationIssue } from './errors.js';
import { type Fault, issue, quoteIf, quoteLiteral } from './messages.js';
import { type Fields, fieldsOf, hasValue, isDeeplyNested } from './objects.js';
import {
  type FieldOf,
  type FieldType,
  type NamedRule,
  type Plan,
  planOf,
  type RulesOf,
} from './rules.js';

/** Maximum levels of nesting of an additional field. `JSON.stringify` fails at about 5,000. */
const MAX_LEVELS = 1000;

/** A notification as far as it could be read: a required field is null if it has an issue. */
export type Incomplete<T> = {
  readonly [Name in keyof T]: Name extends FieldOf<T> ? T[Name] | null : T[Name];
};

/** What was read from a body. The notification, the error and the inspection are views of it. */
export interface Reading<T> {
  readonly notification: Incomplete<T>;
  /** The faults for which the body is refused. */
  readonly issues: readonly NotificationIssue[];
  /** The rule of each field, in output order. */
  readonly rules: readonly NamedRule[];
  /** The value that each rule read, in the order of `rules`; null if it read none. */
  readonly values: readonly unknown[];
}

export type Reader<T> = (body: OpenBody) => Reading<T>;

/** An object that is being read: the body, or the object in one of its fields. */
interface Source extends Pick<OpenBody, 'fields' | 'literals' | 'needsLiterals' | 'knownFault'> {
  /** Path from the body to the object; empty for the body itself. */
  readonly path: readonly string[];
  /** Faults for which the body is refused. Nested objects add to the same list. */
  readonly issues: NotificationIssue[];
  /** Faults for which the body is not refused. Nested objects add to the same list. */
  readonly warnings: NotificationIssue[];
  /** The names of this object's optional and expected fields whose value could not be used. */
  readonly unreadable: string[];
}

/* @__NO_SIDE_EFFECTS__ */
export function notificationReader<T extends { readonly type: string }>(
  type: T['type'],
  table: RulesOf<T>,
): Reader<T> {
  const { empty, ...rest } = planOf(table);
  const plan: Plan = { ...rest, empty: { type, ...empty, warnings: null } };
  const { rules } = plan;
  return (body) => {
    const { fields, literals, needsLiterals, parsedNumbers, knownFault } = body;
    // Not a spread of the body: that takes as long as all the rest.
    const source: Source = {
      fields,
      literals,
      needsLiterals,
      knownFault,
      path: [],
      issues: [],
      warnings: [],
      unreadable: [],
    };
    const values = emptyValues(rules);
    const output = readObject(source, plan, values);
    const { issues, warnings } = source;
    const isParsedAmount = (rule: NamedRule) =>
      rule.type.kind === 'amount' && parsedNumbers.includes(rule.name);
    const isWarned = parsedNumbers.length > 0 && rules.some(isParsedAmount);
    output.warnings = isWarned ? [parsedBodyWarning(), ...warnings] : warnings;
    return { notification: output as Incomplete<T>, issues, rules, values };
  };
}

/** @param values - One undefined for each rule. They become what was sent, then what was read. */
function readObject(
  source: Source,
  { rules, indexes, empty }: Plan,
  values: unknown[],
): Record<string, unknown> {
  const { fields, unreadable } = source;
  // One loop over the fields takes half as long as a lookup for each rule, and also finds fields
  // that have no rule.
  let allHaveRules = true;
  for (const name in fields) {
    const index = indexes.get(name);
    if (index === undefined) allHaveRules = false;
    else values[index] = fields[name];
  }
  const output: Record<string, unknown> = { ...empty };
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index] as NamedRule;
    const value = readField(source, rule, values[index]);
    values[index] = value;
    output[rule.name] = value;
  }
  const hasNoOthers = allHaveRules && unreadable.length === 0;
  output.additionalFields = hasNoOthers ? {} : additionalFields(source, indexes);
  return output;
}

/** Filled with undefined, because to read a hole would look in `Object.prototype`. */
function emptyValues(rules: readonly NamedRule[]): unknown[] {
  return new Array<unknown>(rules.length).fill(undefined);
}

/** Reads a field, and notes its faults. Returns null if it was not sent or can't be read. */
function readField(source: Source, rule: NamedRule, sent: unknown): unknown {
  const { name, need, type } = rule;
  if (source.knownFault?.name === name) {
    source.warnings.push(source.knownFault.issue);
    if (hasValue(source.fields, name)) source.unreadable.push(name);
    return null;
  }
  const value = type.kind === 'amount' ? exactly(source, name, sent) : sent;
  const read = type.kind === 'object' ? readNested(source, name, type.plan) : type.read(value);
  if (read !== null) {
    const doubt = type.doubt?.(sent) ?? null;
    if (doubt !== null) {
      source.warnings.push(
        issue(doubt.code, [...source.path, name], doubt.expected, doubt.received),
      );
    }
    return read;
  }

  const isAbsent = sent === undefined || sent === null || (sent === '' && need !== 'required');
  if (isAbsent && need === 'optional') return null;
  const fault = explain(type, sent, value);
  let { code } = fault;
  if (isAbsent) code = 'missing_field';
  else if (sent === '') code = 'wrong_type';
  const noted = issue(code, [...source.path, name], fault.expected, fault.received);
  if (need === 'required') {
    source.issues.push(noted);
  } else {
    source.warnings.push(noted);
    if (!isAbsent) source.unreadable.push(name);
  }
  return null;
}

/** The value of a field, or its literal if a double may have rounded it. */
export function exactly(
  { literals, needsLiterals }: Pick<OpenBody, 'literals' | 'needsLiterals'>,
  name: string,
  sent: unknown,
): unknown {
  return typeof sent === 'number' && needsLiterals() ? literals()[name] : sent;
}

/**
 * Describes a value that a type can't read.
 *
 * @param value - What the type was given: `sent`, or the literal of that number.
 */
export function explain(type: FieldType<unknown>, sent: unknown, value: unknown): Fault {
  const fault = type.explain(value);
  // The literal of a number is a string, but must not be quoted like one.
  const wasNumber = typeof sent === 'number' && typeof value === 'string';
  return wasNumber ? { ...fault, received: quoteLiteral(value) } : fault;
}

/** Reads the object in a field. Returns null for any other value. */
function readNested(source: Source, name: string, plan: Plan): Fields | null {
  const { literals, path } = source;
  const fields = fieldsOf(source.fields[name]);
  if (fields === null) return null;
  const nested = {
    ...source,
    fields,
    literals: () => literals()[name] as Fields,
    knownFault: null,
    path: [...path, name],
    unreadable: [],
  };
  return readObject(nested, plan, emptyValues(plan.rules));
}

/** One warning for all amounts of a parsed body. Short ones count, because rounding shortens. */
function parsedBodyWarning(): NotificationIssue {
  const received = 'a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body';
  return issue('parsed_body', [], 'the raw text or bytes', received);
}

/**
 * Collects the fields that have no rule, or could not be read. Leaves out a field that is nested
 * too deeply, and notes it as a warning.
 */
function additionalFields(source: Source, indexes: Plan['indexes']): Fields {
  const { fields, literals, unreadable, warnings, path } = source;
  const names = Object.keys(fields).filter(
    (name) => !indexes.has(name) || unreadable.includes(name),
  );
  // Most new fields are strings, for which the text need not be parsed again.
  const isText = names.every((name) => typeof fields[name] === 'string');
  const sent = isText ? fields : literals();
  const entries: [name: string, value: unknown][] = [];
  for (const name of names) {
    const value = sent[name];
    if (isDeeplyNested(value, MAX_LEVELS)) {
      // The name may be any text, so it is not a part of the path.
      const expected = `fields of at most ${MAX_LEVELS} levels of nesting`;
      const received = `more in ${quoteIf(/^[A-Za-z_]{1,40}$/, name)}. The field is left out`;
      warnings.push(issue('wrong_type', path, expected, received));
    } else {
      entries.push([name, value]);
    }
  }
  // Unlike an assignment, this treats `__proto__` as an ordinary name.
  return Object.fromEntries(entries);
}
