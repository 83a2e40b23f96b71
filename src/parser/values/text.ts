import * as v from 'valibot';
import type { IssueCode } from '../errors.js';
import { describe, quoteIf } from '../messages.js';
import { type PlainType, plainType } from './plain-type.js';

/**
 * What a message quotes. An email address, a name with a space and most blockchain addresses don't
 * match.
 */
const LIKE_VALUE = /^[A-Za-z_]{1,20}$/;

/** A string, unchanged. */
export const text: PlainType<string> = stringType('text', v.string(), 'a string');

/** A non-empty string, unchanged. */
export const nonEmptyText: PlainType<string> = stringType(
  'text',
  v.pipe(v.string(), v.nonEmpty()),
  'a non-empty string',
);

/** An identifier assigned by the service: a UUID of any version, unchanged. */
export const uuid: PlainType<string> = stringType(
  'id',
  v.pipe(v.string(), v.uuid()),
  'a UUID',
  'invalid_id',
);

/** One of the documented values. Case-sensitive. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(documented: Readonly<Record<string, T>>): PlainType<T> {
  const values = Object.values(documented);
  const expected = values.map((value) => `"${value}"`).join(' or ');
  const show = (value: unknown) =>
    typeof value === 'string' ? quoteIf(LIKE_VALUE, value) : describe(value);
  const type = stringType('enum', v.picklist(values), expected, 'unknown_value', show);
  return plainType({ ...type, values });
}

/**
 * A string validated by a valibot schema.
 *
 * @param show - How messages show the value. By default they only describe it, so that no name,
 * identifier or address gets into a log.
 */
/* @__NO_SIDE_EFFECTS__ */
function stringType<T extends string>(
  kind: PlainType<T>['kind'],
  schema: v.GenericSchema<T>,
  expected: string,
  code: IssueCode = 'wrong_type',
  show: (value: unknown) => string = describe,
): PlainType<T> {
  return plainType({
    kind,
    read: (value) => {
      // Databases store every lone surrogate as the same character, which would merge two accounts.
      if (typeof value !== 'string' || !value.isWellFormed()) return null;
      return v.is(schema, value) ? value : null;
    },
    explain: (value) => ({
      code: typeof value === 'string' ? code : 'wrong_type',
      expected,
      received: show(value),
    }),
  });
}
