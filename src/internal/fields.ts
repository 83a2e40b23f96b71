import type { Issue, IssueCode } from '../errors.js';
import { issue, quote } from './issues.js';

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One JSON object while its fields are read. */
export interface Source {
  /** The fields as `JSON.parse` gives them. */
  readonly fields: Fields;
  /** The same fields with each number as the string of its literal; null where no digit was lost. */
  readonly literals: Fields | null;
  /** Where the object stands: empty for the body itself. */
  readonly path: readonly string[];
  /** The names of the fields that were there and were read; all others are additional. */
  readonly taken: string[];
  /** Every fault so far, shared by the whole body. */
  readonly issues: Issue[];
}

/** How one kind of field is read. */
export interface Kind<T> {
  /** What a message says should have come. */
  readonly expected: string;
  /** Reads a value that is there (not absent, not null); what does not fit it refuses. */
  read(value: unknown, field: string, source: Source): T;
}

/**
 * Notes a fault. What it returns stands where the value would: reading goes on, to find further
 * faults, and what it makes of a body with faults is thrown away whole.
 */
export function refuse(source: Source, fault: Issue): never {
  source.issues.push(fault);
  return null as never;
}

/** Notes a fault of one field. */
export function refuseField(
  source: Source,
  field: string,
  code: IssueCode,
  expected: string,
  received: string,
): never {
  return refuse(source, issue(code, [...source.path, field], expected, received));
}

/** Reads a field without which a notification is refused. */
export function required<T>(source: Source, field: string, kind: Kind<T>): T {
  const value = take(source, field);
  return value === null
    ? refuseField(source, field, 'missing_field', kind.expected, quote(source.fields[field]))
    : kind.read(value, field, source);
}

/** Reads a field that may be absent or null, both of which give null. */
export function optional<T>(source: Source, field: string, kind: Kind<T>): T | null {
  const value = take(source, field);
  return value === null ? null : kind.read(value, field, source);
}

/** A field's value, null where it is absent; what is there is no additional field from now on. */
function take({ fields, taken }: Source, field: string): unknown {
  const value = fields[field];
  if (value !== undefined || field in fields) taken.push(field);
  return value ?? null;
}

/** The fields that were there and that nobody has taken: to be called last. */
export function additionalFields({ fields, taken }: Source): Fields {
  if (Object.keys(fields).length === taken.length) return {};
  const rest = { ...fields };
  for (const field of taken) delete rest[field];
  return rest;
}
