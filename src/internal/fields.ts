import { AMOUNT_LIMITS, type Decimal, isDecimalLiteral, toAmount } from '../amount.js';
import type { Issue, IssueCode } from '../errors.js';
import { describe, issue, quote, quoteLiteral } from './issues.js';

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

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
  const value = source.fields[field];
  if (value === undefined || value === null) {
    return refuseField(source, field, 'missing_field', kind.expected, quote(value));
  }
  source.taken.push(field);
  return kind.read(value, field, source);
}

/** Reads a field that may be absent or null, both of which give null. */
export function optional<T>(source: Source, field: string, kind: Kind<T>): T | null {
  const value = source.fields[field];
  if (value === undefined) return null;
  source.taken.push(field);
  return value === null ? null : kind.read(value, field, source);
}

const NO_FIELDS: Fields = /* @__PURE__ */ Object.freeze({});

/** The fields that were there and that nobody has read: to be called last. */
export function additionalFields({ fields, taken }: Source): Fields {
  if (Object.keys(fields).length === taken.length) return NO_FIELDS;
  const known = new Set(taken);
  // fromEntries defines properties, so that a field named __proto__ stays a field.
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)));
}

/** Text: a string that is not empty, kept to the character. */
export const text: Kind<string> = {
  expected: 'a non-empty string',
  read(value, field, source) {
    return typeof value === 'string' && value !== ''
      ? value
      : refuseField(source, field, 'wrong_type', text.expected, describe(value));
  },
};

/** Text that may be empty. */
export const label: Kind<string> = {
  expected: 'a string',
  read(value, field, source) {
    return typeof value === 'string'
      ? value
      : refuseField(source, field, 'wrong_type', label.expected, describe(value));
  },
};

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** An identifier assigned by the service: a UUID of any version in any case, kept as sent. */
export const id: Kind<string> = {
  expected: 'a UUID',
  read(value, field, source) {
    if (typeof value !== 'string') {
      return refuseField(source, field, 'wrong_type', id.expected, describe(value));
    }
    return UUID.test(value)
      ? value
      : refuseField(source, field, 'invalid_id', id.expected, describe(value));
  },
};

/** An amount that says how much moved, or should move: never below zero. */
export const quantity: Kind<Decimal> = amountKind('unsigned');

/** An amount that keeps its sign: a fee (a rebate is below zero) or a loss (a gain is). */
export const signedAmount: Kind<Decimal> = amountKind('signed');

function amountKind(sign: 'signed' | 'unsigned'): Kind<Decimal> {
  const expected = 'a decimal number';
  return {
    expected,
    read(value, field, source) {
      if (typeof value !== 'number' && typeof value !== 'string') {
        return refuseField(source, field, 'wrong_type', expected, quote(value));
      }
      const isNumber = typeof value === 'number';
      const { literals } = source;
      const literal = isNumber && literals !== null ? String(literals[field]) : value;
      const amount = toAmount(literal);
      if (amount !== null && (sign === 'signed' || !amount.isNegative())) return amount;

      const shown = String(amount ?? literal);
      const received = isNumber ? quoteLiteral(shown) : quote(value);
      if (amount !== null) {
        return refuseField(source, field, 'negative_amount', 'zero or more', received);
      }
      const wanted = isDecimalLiteral(shown) ? AMOUNT_LIMITS : expected;
      return refuseField(source, field, 'invalid_amount', wanted, received);
    },
  };
}

/** From here on a UNIX time can only be in milliseconds: in seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;
/** The last instant a Date can hold, in milliseconds. */
const LAST_INSTANT = 8.64e15;

/**
 * A UNIX time, as a number or as digits in a string. The service document doesn't state its unit:
 * seconds, the UNIX unit, unless it is too large for that.
 */
export const timestamp: Kind<Date> = {
  expected: 'a UNIX timestamp',
  read(value, field, source) {
    if (typeof value !== 'number' && typeof value !== 'string') {
      return refuseField(source, field, 'wrong_type', timestamp.expected, quote(value));
    }
    const time = typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : Number.NaN;
    const milliseconds = time < MILLISECONDS_FROM ? Math.round(time * 1000) : time;
    // The comparison is false for NaN.
    return milliseconds >= 0 && milliseconds <= LAST_INSTANT
      ? new Date(milliseconds)
      : refuseField(source, field, 'invalid_timestamp', timestamp.expected, quote(value));
  },
};

/** One of the documented values, in the documented case. */
export function oneOf<T extends string>(values: Readonly<Record<T, T>>): Kind<T> {
  // Not quote(), whose expression would be compiled at import.
  const expected = Object.keys(values)
    .map((value) => `"${value}"`)
    .join(' or ');
  return {
    expected,
    read(value, field, source) {
      if (typeof value !== 'string') {
        return refuseField(source, field, 'wrong_type', expected, quote(value));
      }
      return isOneOf(values, value)
        ? value
        : refuseField(source, field, 'unknown_value', expected, quote(value));
    },
  };
}

/** Whether a text is one of the listed values. */
export function isOneOf<T extends string>(values: Readonly<Record<T, T>>, text: string): text is T {
  return Object.hasOwn(values, text);
}
