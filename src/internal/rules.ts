import * as v from 'valibot';
import type { Decimal } from '../amount.js';
import type { IssueCode } from '../errors.js';
import { describe, quote } from './issues.js';
import {
  AmountSchema,
  explainAmount,
  explainTimestamp,
  type Fault,
  NonNegativeAmountSchema,
  TimestampSchema,
} from './schemas.js';

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
 * What happens when a field is absent or unreadable.
 *
 * - `required`: the notification is refused. The field identifies the event, or says what moved.
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

/** A string that is not empty, kept verbatim. */
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
  const listed = options.map((option) => `"${option}"`).join(' or ');
  return {
    kind: 'enum',
    schema: v.picklist(options),
    explain: (value) => ({
      code: typeof value === 'string' ? 'unknown_value' : 'wrong_type',
      expected: listed,
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
