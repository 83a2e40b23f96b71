import type { NotificationIssue } from '../errors.js';
import type { FieldType } from './field-types.js';
import { isArray, issue, quoteLiteral } from './issues.js';
import { mayBeRounded, parseLiterally } from './json.js';

export type Fields = Readonly<Record<string, unknown>>;

/** What a missing or unreadable field causes; see the functions of these names. */
type Need = 'required' | 'expected' | 'optional';

export interface Rule {
  readonly name: string;
  readonly need: Need;
  readonly type: FieldType<unknown>;
}

/** The state of reading one JSON object. */
export interface ReadContext {
  /** The object's fields, none of them inherited. */
  readonly fields: Fields;
  /** The raw text. Null if the caller passed a parsed body, whose numbers may be rounded. */
  readonly text: string | null;
  /** Whether `JSON.parse` may have rounded a number of the text. */
  readonly isRounded: () => boolean;
  /** The fields with each number as the text of its literal; the same `fields` for a parsed body. */
  readonly literal: () => Fields;
  /** Path from the body to the object; empty for the body itself. */
  readonly path: readonly string[];
  /** Faults that refuse the body. Shared with nested objects. */
  readonly issues: NotificationIssue[];
  /** Faults that don't refuse the body. Shared with nested objects. */
  readonly warnings: NotificationIssue[];
  /** How many documented fields were found so far. */
  knownKeys: number;
  /** The names of documented fields that could not be read. */
  readonly unreadable: string[];
  /** Set only by {@link rulesOf}, which records rules instead of reading a body. */
  readonly rules: Rule[] | null;
}

export type Reader = (context: ReadContext) => unknown;

export function createContext(
  fields: Fields,
  text: string | null,
  rules: Rule[] | null = null,
): ReadContext {
  return {
    fields,
    text,
    isRounded: once(() => text !== null && mayBeRounded(text)),
    literal: once(() => (text === null ? fields : parseLiterally(text))),
    path: [],
    issues: [],
    warnings: [],
    knownKeys: 0,
    unreadable: [],
    rules,
  };
}

export function nestContext(context: ReadContext, name: string, fields: Fields): ReadContext {
  const literal = (): Fields =>
    context.text === null ? fields : (context.literal()[name] as Fields);
  return {
    ...context,
    fields,
    literal,
    path: [...context.path, name],
    knownKeys: 0,
    unreadable: [],
  };
}

/**
 * Runs a reader once to record its rules, in output order.
 *
 * @param fields - Values for fields on which other rules depend, such as `status`.
 */
export function rulesOf(reader: Reader, fields: Fields = {}): Rule[] {
  const rules: Rule[] = [];
  reader(createContext(fields, null, rules));
  return rules;
}

/**
 * Reads a field that identifies the event or says what moved. If it is missing or unreadable, records an
 * issue, so the body is refused and the type can exclude null.
 */
export function required<T>(context: ReadContext, name: string, type: FieldType<T>): T {
  return read(context, name, type, 'required') as T;
}

/** Reads a field that should always be sent. If it is missing or unreadable, adds a warning. */
export function expected<T>(context: ReadContext, name: string, type: FieldType<T>): T | null {
  return read(context, name, type, 'expected');
}

/** Reads an optional field. Adds a warning only if it is present but unreadable. */
export function optional<T>(context: ReadContext, name: string, type: FieldType<T>): T | null {
  return read(context, name, type, 'optional');
}

function read<T>(context: ReadContext, name: string, type: FieldType<T>, need: Need): T | null {
  const value = context.fields[name];
  if (context.rules !== null) {
    context.rules.push({ name, need, type });
    return type.read(value);
  }
  if (value === undefined) return noteFault(context, name, type, need, value);
  context.knownKeys += 1;
  const isNumber = typeof value === 'number' && type.kind === 'amount';
  if (isNumber && context.text === null) noteParsedBody(context);
  const exact = isNumber && context.isRounded() ? context.literal()[name] : value;
  const output = type.read(exact);
  if (output === null) return noteFault(context, name, type, need, value, exact);
  return output;
}

function noteFault(
  context: ReadContext,
  name: string,
  type: FieldType<unknown>,
  need: Need,
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
function noteParsedBody({ warnings }: ReadContext): void {
  if (warnings[0]?.code === 'parsed_body') return;
  const received = 'a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body';
  warnings.unshift(issue('parsed_body', [], 'the raw text or bytes', received));
}

/**
 * Collects the fields that a reader doesn't know or couldn't read. Call it last.
 *
 * @param knownNames - Names that the reader knows; see {@link namesReadBy}.
 */
export function additionalFields(context: ReadContext, knownNames: () => Set<string>): Fields {
  const { fields, knownKeys, unreadable } = context;
  const names = Object.keys(fields);
  if (names.length === knownKeys && unreadable.length === 0) return {};
  const additional = names.filter((name) => !knownNames().has(name) || unreadable.includes(name));
  // Most new fields are strings, for which the text need not be parsed again.
  const literal = additional.every((name) => typeof fields[name] === 'string')
    ? fields
    : context.literal();
  // Unlike an assignment, this treats `__proto__` as an ordinary name.
  return Object.fromEntries(additional.map((name) => [name, literal[name]]));
}

/**
 * The names of the fields that a reader reads, collected once on first use. Collecting them for every body
 * took 7 to 17 % longer.
 */
/* @__NO_SIDE_EFFECTS__ */
export function namesReadBy(reader: Reader): () => Set<string> {
  return once(() => new Set(rulesOf(reader).map(({ name }) => name)));
}

/** Computes a result on the first call, and keeps it. */
function once<T extends object | boolean>(compute: () => T): () => T {
  let result: T | undefined;
  return () => {
    result ??= compute();
    return result;
  };
}

/** Copies an object without its prototype. Null if the value is not an object, or throws when read. */
export function ownProperties(value: unknown): Fields | null {
  try {
    if (typeof value !== 'object' || value === null || isArray(value)) return null;
    return withoutPrototype({ ...value });
  } catch {
    return null;
  }
}

/** Removes the prototype, so that no property of `Object.prototype` is mistaken for a field. */
export function withoutPrototype(fields: object): Fields {
  return Object.setPrototypeOf(fields, null);
}
