import { AMOUNT_LIMITS, MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';
import * as types from '../../src/internal/field-types.js';
import type { FieldType as FieldTypeOf } from '../../src/internal/rules.js';
import { type Definitions, type JsonSchema, ref } from './json-schema.js';
import * as patterns from './patterns.js';

type FieldType = FieldTypeOf<unknown>;

const KINDS: ReadonlyMap<FieldType, JsonSchema> = new Map<FieldType, JsonSchema>([
  [types.text, { type: 'string', minLength: 1 }],
  [types.anyText, { type: 'string' }],
  [types.uuid, ref('Uuid')],
  [types.amount, ref('Amount')],
  [types.nonNegativeAmount, ref('NonNegativeAmount')],
  [types.timestamp, ref('Timestamp')],
  [types.txAddress, ref('TxAddressText')],
]);

/** An amount's magnitude is below this. */
const LIMIT = 10 ** (MAX_DIGITS + 1);
/** It is at least this, except zero. */
const LEAST = 10 ** -MAX_DIGITS;

// Each branch has a type: code generators allow anything in a branch without one.
const ZERO: JsonSchema = { type: 'number', const: 0 };
const ABOVE_ZERO: JsonSchema = { type: 'number', minimum: LEAST, exclusiveMaximum: LIMIT };
const BELOW_ZERO: JsonSchema = { type: 'number', exclusiveMinimum: -LIMIT, maximum: -LEAST };

export const TOO_MANY_DIGITS: JsonSchema = {
  anyOf: patterns.TOO_MANY_DIGITS.map((pattern) => ({ pattern })),
};

/** The definitions that the fields of a body share, in alphabetical order. */
export const WIRE_DEFINITIONS = {
  Amount: amountSchema('Amount, of any sign', '-?', [ZERO, ABOVE_ZERO, BELOW_ZERO]),
  NoValue: {
    title: 'No value',
    description: 'Null and the empty string mean that there is no value.',
    enum: [null, ''],
  },
  NonNegativeAmount: amountSchema('Amount of zero or more', '', [ZERO, ABOVE_ZERO]),
  Timestamp: {
    title: 'Point in time',
    description:
      'A UNIX time, as a JSON number or the same digits in a string: in seconds, or from 1e11 on in milliseconds. Or a date-time of RFC 3339.',
    anyOf: [
      { type: 'number', minimum: 0, exclusiveMaximum: 1e14 },
      { type: 'string', pattern: patterns.TIMESTAMP },
    ],
  },
  TxAddressText: {
    title: 'Blockchain address',
    description:
      'An address, for some currencies followed by `?dt=` and a destination tag. The address is not empty.',
    type: 'string',
    minLength: 1,
    not: { pattern: patterns.TAG_WITHOUT_ADDRESS },
  },
  Uuid: {
    title: 'UUID',
    description: 'A UUID of any version, in any case.',
    type: 'string',
    pattern: patterns.UUID,
  },
} as const satisfies Definitions;

/** The schema of the values that a type takes. */
export function kindSchema(type: FieldType): JsonSchema {
  return KINDS.get(type) ?? { enum: type.values, type: 'string' };
}

/** The schema of the values that a type takes, or of no value. */
export function orNoValue(type: FieldType): JsonSchema {
  if (type.kind === 'text') return { type: ['string', 'null'] };
  if (type.values) return { enum: [...type.values, null, ''] };
  return { anyOf: [kindSchema(type), ref('NoValue')] };
}

function amountSchema(title: string, sign: '' | '-?', numbers: readonly JsonSchema[]): JsonSchema {
  const literal = { type: 'string', maxLength: MAX_LENGTH };
  return {
    title,
    description: `As a JSON number, or as a string in the same grammar: ${AMOUNT_LIMITS}.`,
    anyOf: [
      ...numbers,
      { ...literal, pattern: patterns.ZERO },
      { ...literal, pattern: `^${sign}${patterns.PLAIN}`, not: TOO_MANY_DIGITS },
      { ...literal, pattern: `^${sign}${patterns.SCIENTIFIC}`, not: TOO_MANY_DIGITS },
    ],
  };
}
