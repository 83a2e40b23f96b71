import type { NotificationIssue } from '../errors.js';
import { type Fault, issue } from './issues.js';
import { mayBeRounded, parseLiterally } from './json.js';
import { type Fields, ownProperties } from './objects.js';
import { describe, quoteLiteral } from './quote.js';

type FieldKind = 'text' | 'id' | 'amount' | 'timestamp' | 'enum' | 'address' | 'object';

/** How to read one kind of field. */
export interface FieldType<T> {
  readonly kind: FieldKind;
  /** Converts a value. Returns null if it can't; never throws. Only an object needs the context. */
  readonly read: (value: unknown, context: ReadContext, name: string) => T | null;
  /** Describes a value for which `read` returned null. */
  readonly explain: (value: unknown) => Fault;
  /** The documented values of an enum. */
  readonly values?: readonly T[];
}

/** What a missing or unreadable field causes; see the functions of these names. */
type Need = 'required' | 'expected' | 'optional';

/** A rule of a table: how to read one field. */
export interface FieldRule<T = unknown, N extends Need = Need> {
  readonly need: N;
  readonly type: FieldType<T>;
  /** Other spellings of the field's name. */
  readonly otherNames: readonly string[];
}

/** The rules of an object's fields, by name, in output order. */
export type Table = Readonly<Record<string, FieldRule>>;

/** The rule of one name in a body. */
export interface Rule {
  readonly name: string;
  /** The field's name in the output. */
  readonly outputName: string;
  readonly need: Need;
  readonly type: FieldType<unknown>;
}

/** By name. */
export type Rules = ReadonlyMap<string, Rule>;

/** The names of the fields that a notification takes from its body. */
export type FieldOf<T> = Exclude<keyof T, 'type' | 'additionalFields' | 'warnings'>;

/** The table that an interface needs: a field that can't be null is required. */
export type TableOf<T> = {
  readonly [Name in FieldOf<T>]: FieldRule<
    NonNullable<T[Name]>,
    null extends T[Name] ? 'expected' | 'optional' : 'required'
  >;
};

/** What was read, perhaps with issues. A required field is null if it has one. */
export type Partly<T> = {
  readonly [Name in keyof T]: Name extends FieldOf<T> ? T[Name] | null : T[Name];
};

/** A field that identifies the event or says what moved. If it is missing or unreadable, the body is refused. */
/* @__NO_SIDE_EFFECTS__ */
export function required<T>(type: FieldType<T>): FieldRule<T, 'required'> {
  return { need: 'required', type, otherNames: [] };
}

/** A field that should always be sent. If it is missing or unreadable, there is a warning. */
/* @__NO_SIDE_EFFECTS__ */
export function expected<T>(type: FieldType<T>): FieldRule<T, 'expected'> {
  return { need: 'expected', type, otherNames: [] };
}

/** An optional field. There is a warning only if it is present but unreadable. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(type: FieldType<T>, ...otherNames: string[]): FieldRule<T, 'optional'> {
  return { need: 'optional', type, otherNames };
}

/** The state of reading one JSON object. */
export interface ReadContext {
  /** The object's fields, none of them inherited. */
  readonly fields: Fields;
  /** The raw text of the body. Null if the caller passed a parsed one, whose numbers may be rounded. */
  readonly text: string | null;
  /** Of a nested object: the object around it. */
  readonly parent: ReadContext | null;
  /** Path from the body to the object; empty for the body itself. */
  readonly path: readonly string[];
  /** Faults that refuse the body. Shared with nested objects. */
  readonly issues: NotificationIssue[];
  /** Faults that don't refuse the body. Shared with nested objects. */
  readonly warnings: NotificationIssue[];
  /** The names of documented fields that could not be read. */
  readonly unreadable: string[];
  /** Kept by the functions of these names. */
  isRounded: boolean | null;
  literals: Fields | null;
}

export function createContext(fields: Fields, text: string | null): ReadContext {
  return {
    fields,
    text,
    parent: null,
    path: [],
    issues: [],
    warnings: [],
    unreadable: [],
    isRounded: null,
    literals: null,
  };
}

function nestContext(parent: ReadContext, name: string, fields: Fields): ReadContext {
  const path = [...parent.path, name];
  return { ...parent, fields, parent, path, unreadable: [], literals: null };
}

/** Whether `JSON.parse` may have rounded a number of the text. */
function isRounded(context: ReadContext): boolean {
  context.isRounded ??= context.text !== null && mayBeRounded(context.text);
  return context.isRounded;
}

/** The fields with each number as the text of its literal; the same `fields` for a parsed body. */
function literals(context: ReadContext): Fields {
  const { fields, text, parent, path } = context;
  if (text === null) return fields;
  context.literals ??=
    parent === null ? parseLiterally(text) : (literals(parent)[String(path.at(-1))] as Fields);
  return context.literals;
}

/** Reads an object by its rules. Records faults in the context. */
export type Reader<T> = (context: ReadContext) => Partly<T>;

/** @param exceptions - Rules that replace some of the table's. */
/* @__NO_SIDE_EFFECTS__ */
export function notificationReader<T extends { readonly type: string }>(
  type: T['type'],
  table: TableOf<T>,
  exceptions: Partial<Record<FieldOf<T>, FieldRule>> = {},
): Reader<T> {
  const rules = rulesOf({ ...table, ...exceptions });
  const outline = { type, ...table, additionalFields: null, warnings: null };
  return (context) => {
    const output = readFields(context, rules, outline);
    output.warnings = context.warnings;
    warnOfParsedAmount(context, rules);
    return output as Partly<T>;
  };
}

/** A nested object. */
/* @__NO_SIDE_EFFECTS__ */
export function object<T>(table: TableOf<T>, description: string): FieldType<Partly<T>> {
  const rules = rulesOf(table);
  const outline = { ...table, additionalFields: null };
  return {
    kind: 'object',
    read: (value, context, name) => {
      const fields = ownProperties(value);
      const nested = fields && nestContext(context, name, fields);
      return nested && (readFields(nested, rules, outline) as Partly<T>);
    },
    explain: (value) => ({
      code: 'wrong_type',
      expected: description,
      received: describe(value),
    }),
  };
}

/** Returns the rule of each name in a body, in output order. */
export function rulesOf(table: Table): Rules {
  const rules = Object.entries(table).flatMap(([outputName, { need, type, otherNames }]) =>
    // Each property by name: with a spread of the table's rule, reading took 5 to 8 % longer.
    [outputName, ...otherNames].map((name) => ({ name, outputName, need, type })),
  );
  return new Map(rules.map((rule) => [rule.name, rule]));
}

/**
 * Reads the fields of an object.
 *
 * @param outline - Has the keys of the output. Replacing the values of a copy is faster than adding 30 keys.
 */
function readFields(context: ReadContext, rules: Rules, outline: Fields): Record<string, unknown> {
  const output: Record<string, unknown> = { ...outline };
  let known = 0;
  for (const rule of rules.values()) {
    const { name, outputName } = rule;
    const sent = context.fields[name];
    if (sent !== undefined) known += 1;
    const value = read(context, rule, sent);
    output[outputName] =
      name === outputName ? value : oneOfTwo(context, rule, output[outputName], value);
  }
  output.additionalFields = additionalFields(context, rules, known);
  return output;
}

function read(context: ReadContext, rule: Rule, value: unknown): unknown {
  if (value === undefined) return noteFault(context, rule, value);
  const { name, type } = rule;
  const isAmount = typeof value === 'number' && type.kind === 'amount';
  const exact = isAmount && isRounded(context) ? literals(context)[name] : value;
  return type.read(exact, context, name) ?? noteFault(context, rule, value, exact);
}

/** Returns the value of a field with two spellings. If they contradict each other, adds a warning. */
function oneOfTwo(context: ReadContext, rule: Rule, value: unknown, other: unknown): unknown {
  if (value === null || other === null || String(value) === String(other)) return value ?? other;
  const { outputName, name } = rule;
  const sameAmount = `the same amount as in ${name} (${quoteLiteral(String(other))})`;
  const received = quoteLiteral(String(value));
  context.warnings.push(issue('conflicting_fields', [outputName], sameAmount, received));
  context.unreadable.push(outputName, name);
  return null;
}

function noteFault(
  context: ReadContext,
  { name, need, type }: Rule,
  value: unknown,
  exact: unknown = value,
): null {
  const isAbsent = value === undefined || value === null || (value === '' && need !== 'required');
  if (isAbsent && need === 'optional') return null;

  const fault = type.explain(exact);
  const code = isAbsent ? 'missing_field' : value === '' ? 'wrong_type' : fault.code;
  // `exact` may be a number's literal, which is a string but must not be quoted.
  const received = exact === value ? fault.received : quoteLiteral(String(exact));
  const noted = issue(code, [...context.path, name], fault.expected, received);
  if (need === 'required') {
    context.issues.push(noted);
  } else {
    context.warnings.push(noted);
    if (!isAbsent) context.unreadable.push(name);
  }
  return null;
}

/** Adds one warning, before those of fields. It doesn't depend on the digits: rounded numbers may be short. */
function warnOfParsedAmount({ fields, text, warnings }: ReadContext, rules: Rules): void {
  if (text !== null) return;
  const amounts = [...rules.values()].filter(({ type }) => type.kind === 'amount');
  if (!amounts.some(({ name }) => typeof fields[name] === 'number')) return;
  const received = 'a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body';
  warnings.unshift(issue('parsed_body', [], 'the raw text or bytes', received));
}

/** The fields that no rule is about, or that couldn't be read. */
function additionalFields(context: ReadContext, rules: Rules, known: number): Fields {
  const { fields, unreadable } = context;
  const names = Object.keys(fields);
  if (names.length === known && unreadable.length === 0) return {};
  const additional = names.filter((name) => !rules.has(name) || unreadable.includes(name));
  // Most new fields are strings, for which the text need not be parsed again.
  const isText = additional.every((name) => typeof fields[name] === 'string');
  const values = isText ? fields : literals(context);
  // Unlike an assignment, this treats `__proto__` as an ordinary name.
  return Object.fromEntries(additional.map((name) => [name, values[name]]));
}
