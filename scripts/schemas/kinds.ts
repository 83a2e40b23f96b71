import { AMOUNT_LIMITS, MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';
import {
  amount,
  anyText,
  type FieldType,
  nonNegativeAmount,
  text,
  timestamp,
  txAddress,
  uuid,
} from '../../src/internal/field-types.js';
import { type Definitions, type JsonSchema, ref } from './json-schema.js';
import * as patterns from './patterns.js';

const KINDS: ReadonlyMap<FieldType<unknown>, JsonSchema> = new Map<FieldType<unknown>, JsonSchema>([
  [text, { type: 'string', minLength: 1 }],
  [anyText, { type: 'string' }],
  [uuid, ref('Uuid')],
  [amount, ref('Amount')],
  [nonNegativeAmount, ref('NonNegativeAmount')],
  [timestamp, ref('Timestamp')],
  [txAddress, ref('TxAddressText')],
]);

/** An amount's magnitude is below this, */
const AMOUNT_LIMIT = 10 ** (MAX_DIGITS + 1);
/** and no less than this, but for zero. */
const SMALLEST_AMOUNT = 10 ** -MAX_DIGITS;

// Each branch has a type, without which generators of code take it for anything.
const ZERO: JsonSchema = { type: 'number', const: 0 };
const ABOVE_ZERO: JsonSchema = {
  type: 'number',
  minimum: SMALLEST_AMOUNT,
  exclusiveMaximum: AMOUNT_LIMIT,
};
const BELOW_ZERO: JsonSchema = {
  type: 'number',
  exclusiveMinimum: -AMOUNT_LIMIT,
  maximum: -SMALLEST_AMOUNT,
};

export const TOO_MANY_DIGITS: JsonSchema = {
  anyOf: patterns.TOO_MANY_DIGITS.map((pattern) => ({ pattern })),
};

/** The definitions that the fields of a body share, in alphabetical order. */
export const WIRE_DEFINITIONS = {
  Amount: {
    title: 'Amount',
    description: `As a JSON number, or as a string in the same grammar: ${AMOUNT_LIMITS}. It may be below zero.`,
    anyOf: [ZERO, ABOVE_ZERO, BELOW_ZERO, ...amountTexts('-?')],
  },
  NoValue: {
    title: 'No value',
    description: 'Null and the empty string stand for a value that is not there.',
    enum: [null, ''],
  },
  NonNegativeAmount: {
    title: 'Amount of zero or more',
    description: `As a JSON number, or as a string in the same grammar: ${AMOUNT_LIMITS}. It is zero or more.`,
    anyOf: [ZERO, ABOVE_ZERO, ...amountTexts('')],
  },
  Timestamp: {
    title: 'Point in time',
    description:
      'A UNIX time, as a JSON number or as digits in a string: in seconds, or from 1e11 on in milliseconds. Or a date-time of RFC 3339.',
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
export function kindSchema(type: FieldType<unknown>): JsonSchema {
  return KINDS.get(type) ?? { enum: type.values, type: 'string' };
}

/** The same, or no value. */
export function optionalKindSchema(type: FieldType<unknown>): JsonSchema {
  if (type.kind === 'text') return { type: ['string', 'null'] };
  if (type.values) return { enum: [...type.values, null, ''] };
  return { anyOf: [kindSchema(type), ref('NoValue')] };
}

/** The ways to write an amount as text. */
function amountTexts(sign: '' | '-?'): JsonSchema[] {
  const literal = { type: 'string', maxLength: MAX_LENGTH };
  return [
    { ...literal, pattern: patterns.ZERO },
    { ...literal, pattern: `^${sign}${patterns.PLAIN}`, not: TOO_MANY_DIGITS },
    { ...literal, pattern: `^${sign}${patterns.SCIENTIFIC}`, not: TOO_MANY_DIGITS },
  ];
}
