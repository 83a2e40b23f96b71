import { describe, type Fault } from './messages.js';
import type { Fields } from './objects.js';
import type { PlainType } from './values/plain-type.js';

/** How to read the value of one field. */
export type FieldType<T> = PlainType<T> | ObjectType<T>;

/**
 * A nested object with its own rules. Its fields can't be required, because `Incomplete` allows
 * null only for the outer fields.
 */
export interface ObjectType<T> {
  readonly kind: 'object';
  readonly rules: { readonly [Name in FieldOf<T>]: RuleOfNullable<T[Name]> };
  readonly plan: Plan;
  /** Describes a value that is not an object. */
  readonly explain: (value: unknown) => Fault;
  readonly doubt?: undefined;
  readonly sampleAs?: undefined;
  readonly values?: undefined;
}

/* @__NO_SIDE_EFFECTS__ */
export function object<T>(rules: ObjectType<T>['rules'], expected: string): ObjectType<T> {
  const explain = (value: unknown): Fault => {
    return { code: 'wrong_type', expected, received: describe(value) };
  };
  return { kind: 'object', rules, plan: planOf(rules), explain };
}

type RuleOfNullable<T> = null extends T ? Rule<NonNullable<T>, 'expected' | 'optional'> : never;

/** What a missing or unreadable field causes; see the functions of these names. */
type Need = 'required' | 'expected' | 'optional';

/** How to read one field. */
export interface Rule<T = unknown, N extends Need = Need> {
  readonly need: N;
  readonly type: FieldType<T>;
}

/** A field that must be sent. If it is missing or unreadable, the body is refused. */
/* @__NO_SIDE_EFFECTS__ */
export function required<T>(type: FieldType<T>): Rule<T, 'required'> {
  return { need: 'required', type };
}

/** A field that should always be sent. If it is missing or unreadable, there is a warning. */
/* @__NO_SIDE_EFFECTS__ */
export function expected<T>(type: FieldType<T>): Rule<T, 'expected'> {
  return { need: 'expected', type };
}

/** An optional field. If it is missing, there is no warning. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(type: FieldType<T>): Rule<T, 'optional'> {
  return { need: 'optional', type };
}

/** The names of the fields that an interface takes from a JSON object. */
export type FieldOf<T> = Exclude<keyof T, 'type' | 'additionalFields' | 'warnings'>;

/**
 * The rules of an interface's fields, in output order. The rule of a field is `required` if and
 * only if the field can't be null.
 */
export type RulesOf<T> = {
  readonly [Name in FieldOf<T>]: null extends T[Name]
    ? RuleOfNullable<T[Name]>
    : Rule<T[Name], 'required'>;
};

export type Rules = Readonly<Record<string, Rule>>;

/** The rule of a field, with the field's name. */
export interface NamedRule extends Rule {
  readonly name: string;
}

/** The rules of an object, prepared for reading. */
export interface Plan {
  /** In output order. */
  readonly rules: readonly NamedRule[];
  /** The index of each name's rule in `rules`. */
  readonly indexes: ReadonlyMap<string, number>;
  /** An output without values. Filling a copy is faster than adding 30 properties. */
  readonly empty: Fields;
}

/* @__NO_SIDE_EFFECTS__ */
export function planOf(table: Rules): Plan {
  const names = Object.keys(table);
  return {
    rules: Object.entries(table).map(([name, { need, type }]) => ({ name, need, type })),
    indexes: new Map(names.map((name, index) => [name, index])),
    empty: Object.fromEntries([...names, 'additionalFields'].map((name) => [name, null])),
  };
}
