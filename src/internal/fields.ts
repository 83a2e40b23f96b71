import * as v from 'valibot';
import { Decimal } from '../amount.js';
import type { Issue, IssueCode } from '../errors.js';
import { describe, issue, quote, quoteLiteral } from './issues.js';
import { type Literals, SAFE_DIGITS } from './json.js';
import {
  AmountSchema,
  explainAmount,
  explainTimestamp,
  type Fault,
  NonNegativeAmountSchema,
  TimestampSchema,
} from './schemas.js';

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** What sort of value a field holds. */
type FieldKind = 'text' | 'id' | 'amount' | 'timestamp' | 'enum' | 'address' | 'object';

/** What a field may hold. */
export interface FieldType<T> {
  readonly kind: FieldKind;
  readonly schema: v.GenericSchema<unknown, T>;
  /** What is wrong with a value that the schema refuses, in the words of a message. */
  readonly explain: (value: unknown) => Fault;
}

/**
 * What an absent or unreadable field costs.
 *
 * - `required`: the notification is refused. Identity, or money that decides, hangs on the field.
 * - `expected`: null and a warning. The service's documentation says that the field is always there.
 * - `optional`: null where it is absent, null and a warning where it is unreadable.
 */
type Need = 'required' | 'expected' | 'optional';

/** The rule of one field: a line of its notification's table. */
export interface Rule<T, N extends Need = Need> extends FieldType<T> {
  readonly need: N;
}

/** A rule with the name of its field. */
export interface Field<T, N extends Need = Need> extends Rule<T, N> {
  readonly name: string;
}

/** The rules of a JSON object: its fields by name, in the order of the output. */
export type FieldTable = Readonly<Record<string, Field<unknown>>>;

/** One JSON object while its fields are read. */
export interface ReadContext {
  /** The object's fields: it inherits none. */
  readonly fields: Fields;
  /** The literals of its numbers; null where none has more digits than a double carries. */
  readonly literals: Literals | null;
  /** Whether the caller had parsed the body: its numbers may already be rounded. */
  readonly isPreParsed: boolean;
  /** Where the object stands: empty for the body itself. */
  readonly path: readonly string[];
  /** The faults for which the body is refused, shared by all of its objects. */
  readonly issues: Issue[];
  /** The faults that were tolerated, likewise. */
  readonly warnings: Issue[];
  /** How many of the object's properties were read as documented fields. */
  knownKeys: number;
  /** The documented fields that could not be read. */
  readonly unreadable: string[];
}

/** A string that is not empty, kept to the character. */
export const text: FieldType<string> = stringType(
  'text',
  v.pipe(v.string(), v.nonEmpty()),
  'a non-empty string',
);

/** A string that may be empty. */
export const anyText: FieldType<string> = stringType('text', v.string(), 'a string');

/** An identifier assigned by the service: a UUID of any version in any case, kept as sent. */
export const uuid: FieldType<string> = stringType(
  'id',
  v.pipe(v.string(), v.uuid()),
  'a UUID',
  'invalid_id',
);

/** An amount that keeps its sign: a fee (a rebate is below zero) or a loss (a gain is). */
export const amount: FieldType<Decimal> = {
  kind: 'amount',
  schema: AmountSchema,
  explain: explainAmount,
};

/** An amount that says how much moved, or should move: never below zero. */
export const nonNegativeAmount: FieldType<Decimal> = {
  kind: 'amount',
  schema: NonNegativeAmountSchema,
  explain: explainAmount,
};

/** A point in time. */
export const timestamp: FieldType<Date> = {
  kind: 'timestamp',
  schema: TimestampSchema,
  explain: explainTimestamp,
};

/** One of the documented values, in the documented case. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(values: Readonly<Record<string, T>>): FieldType<T> {
  const options = Object.values(values);
  return {
    kind: 'enum',
    schema: v.picklist(options),
    explain: (value) => ({
      code: typeof value === 'string' ? 'unknown_value' : 'wrong_type',
      expected: options.map((option) => `"${option}"`).join(' or '),
      received: quote(value),
    }),
  };
}

/** Messages only describe names, identifiers and addresses: the values stay out of logs. */
/* @__NO_SIDE_EFFECTS__ */
function stringType(
  kind: FieldKind,
  schema: v.GenericSchema<unknown, string>,
  expected: string,
  code: IssueCode = 'wrong_type',
): FieldType<string> {
  return {
    kind,
    schema,
    explain: (value) => ({
      code: typeof value === 'string' ? code : 'wrong_type',
      expected,
      received: describe(value),
    }),
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function required<T>(type: FieldType<T>): Rule<T, 'required'> {
  return { need: 'required', ...type };
}

/* @__NO_SIDE_EFFECTS__ */
export function expected<T>(type: FieldType<T>): Rule<T, 'expected'> {
  return { need: 'expected', ...type };
}

/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(type: FieldType<T>): Rule<T, 'optional'> {
  return { need: 'optional', ...type };
}

/** A table of rules, each with the name of its field. */
/* @__NO_SIDE_EFFECTS__ */
export function defineFields<R extends Record<string, Rule<unknown>>>(
  rules: R,
): { readonly [Name in keyof R]: R[Name] & { readonly name: string } } {
  const fields = Object.entries(rules).map(([name, rule]) => [name, { name, ...rule }]);
  return Object.fromEntries(fields);
}

/**
 * Reads one field. A faulty one is noted in the context: as an issue if it is required, and reading goes
 * on to find further faults; as a warning otherwise.
 *
 * @param value - The field's value; undefined where it is absent.
 * @returns The output, or null where there is none. The type of a required field is without null,
 * because one that has no output has left an issue, for which the whole notification is dropped.
 */
export function readField<T>(context: ReadContext, field: Field<T, 'required'>, value: unknown): T;
export function readField<T>(context: ReadContext, field: Field<T>, value: unknown): T | null;
export function readField<T>(context: ReadContext, field: Field<T>, value: unknown): T | null {
  if (value === undefined) return noteFault(context, field, value);
  context.knownKeys += 1;
  // An object or a function could throw while valibot describes it: a proxy may.
  if ((typeof value === 'object' && field.kind !== 'object') || typeof value === 'function') {
    return noteFault(context, field, value);
  }
  const exact = toExact(context, field, value);
  const result = v.safeParse(field.schema, exact);
  if (!result.success) return noteFault(context, field, value, exact);
  if (context.isPreParsed && typeof value === 'number' && result.output instanceof Decimal) {
    noteRounding(context, field, value, result.output);
  }
  return result.output;
}

/** The context in which the fields of a nested object are read. */
export function nestContext(context: ReadContext, name: string, fields: Fields): ReadContext {
  const path = [...context.path, name];
  return { ...context, fields, literals: null, path, knownKeys: 0, unreadable: [] };
}

/**
 * A JSON object's own properties, without a prototype; null for what is no object, or throws when it is
 * read.
 */
export function ownProperties(value: unknown): Fields | null {
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return withoutPrototype(value);
  } catch {
    return null;
  }
}

/**
 * What every object inherits. Readers look for their fields here: only if somebody has put one of them onto
 * `Object.prototype` do they read a body without its prototype, which takes a sixth longer.
 */
export const INHERITED: Fields = {};

export function withoutPrototype(fields: object): Fields {
  return Object.setPrototypeOf({ ...fields }, null);
}

/** The fields that the table doesn't know or that could not be read: to be called last. */
export function additionalFields(context: ReadContext, table: FieldTable): Fields {
  const { fields, knownKeys, unreadable } = context;
  const names = Object.keys(fields);
  if (names.length === knownKeys && unreadable.length === 0) return {};
  const additional = names.filter(
    (name) => !Object.hasOwn(table, name) || unreadable.includes(name),
  );
  // Unlike an assignment, this takes __proto__ for a name like any other.
  return Object.fromEntries(additional.map((name) => [name, fields[name]]));
}

/** A number's literal where a double has lost digits of it; any other value as it is. */
function toExact(
  { literals }: ReadContext,
  { kind, name }: Field<unknown>,
  value: unknown,
): unknown {
  return literals !== null && kind === 'amount' && typeof value === 'number'
    ? literals.get(name)
    : value;
}

function noteFault(
  context: ReadContext,
  field: Field<unknown>,
  value: unknown,
  exact: unknown = value,
): null {
  const isAbsent =
    value === undefined || value === null || (value === '' && field.need !== 'required');
  if (isAbsent && field.need === 'optional') return null;

  const fault = describeFault(field, value, exact, isAbsent);
  const path = [...context.path, field.name];
  const noted = issue(fault.code, path, fault.expected, fault.received);
  if (field.need === 'required') {
    context.issues.push(noted);
  } else {
    context.warnings.push(noted);
    if (!isAbsent) context.unreadable.push(field.name);
  }
  return null;
}

function describeFault(
  field: Field<unknown>,
  value: unknown,
  exact: unknown,
  isAbsent: boolean,
): Fault {
  const fault = field.explain(exact);
  if (isAbsent) return { ...fault, code: 'missing_field', received: describe(value) };
  if (value === '') return { ...fault, code: 'wrong_type', received: describe(value) };
  // A number's literal is a string, but should not be quoted as one.
  if (exact !== value) return { ...fault, received: quoteLiteral(String(exact)) };
  return fault;
}

function noteRounding(
  { path, warnings }: ReadContext,
  { name }: Field<unknown>,
  value: number,
  amount: Decimal,
): void {
  // From 2^53 on, a double has lost digits that its shortest form shows as zeros.
  if (Math.abs(value) < 2 ** 53 && amount.precision() <= SAFE_DIGITS) return;
  const expected = `at most ${SAFE_DIGITS} digits in a parsed body: pass the raw one`;
  warnings.push(issue('inexact_number', [...path, name], expected, String(value)));
}
