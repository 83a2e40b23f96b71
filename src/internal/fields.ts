import { Decimal } from '../amount.js';
import type { NotificationIssue } from '../errors.js';
import { describe, issue, quoteLiteral } from './issues.js';
import { findLiterals, type Literals, SAFE_DIGITS } from './json.js';
import type { Field, FieldTable } from './rules.js';
import { type Fault, OWN_CONFIG } from './schemas.js';

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** One JSON object while its fields are read. */
export interface ReadContext {
  /** The object's fields; readers see to it that no inherited one is read. */
  readonly fields: Fields;
  /** The text that holds the literals of its numbers; null where there is none. */
  readonly text: string | null;
  /** The literals of its numbers; null where a double carries them all, undefined until one is asked for. */
  literals: Literals | null | undefined;
  /** Whether the caller had parsed the body: its numbers may already be rounded. */
  readonly isPreParsed: boolean;
  /** Where the object stands: empty for the body itself. */
  readonly path: readonly string[];
  /** The faults for which the body is refused, shared by all of its objects. */
  readonly issues: NotificationIssue[];
  /** The faults that were tolerated, likewise. */
  readonly warnings: NotificationIssue[];
  /** How many of the object's properties were read as documented fields. */
  knownKeys: number;
  /** The documented fields that could not be read. */
  readonly unreadable: string[];
}

/**
 * Reads one field. A faulty one is noted in the context: as an issue if it is required, and reading goes
 * on to find further faults; as a warning otherwise.
 *
 * @param value - The field's value; undefined where it is absent.
 * @returns The output, or null where there is none. A required field's type is without null: if it has no
 * output, it has left an issue, and the notification is dropped.
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
  const result = field.schema['~run']({ value: exact }, OWN_CONFIG);
  if (result.issues !== undefined) return noteFault(context, field, value, exact);
  if (context.isPreParsed && typeof value === 'number' && result.value instanceof Decimal) {
    noteRounding(context, field, value, result.value);
  }
  return result.value;
}

/** The context in which the fields of a nested object are read. */
export function nestContext(context: ReadContext, name: string, fields: Fields): ReadContext {
  const path = [...context.path, name];
  return { ...context, fields, text: null, literals: null, path, knownKeys: 0, unreadable: [] };
}

/**
 * A JSON object's own properties, without a prototype; null if the value is not an object, or throws when
 * it is read.
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
 * Whatever is found in it is inherited from `Object.prototype`. Readers look for their fields here: only if
 * there is one do they read a body without its prototype, which takes a sixth longer.
 */
export const EMPTY: Fields = {};

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
function toExact(context: ReadContext, { kind, name }: Field<unknown>, value: unknown): unknown {
  if (kind !== 'amount' || typeof value !== 'number' || context.text === null) return value;
  if (context.literals === undefined) context.literals = findLiterals(context.text);
  return context.literals === null ? value : context.literals.get(name);
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
