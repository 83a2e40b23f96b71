import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { AMOUNT_LIMITS, MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';
import type { Field } from '../../src/internal/rules.js';
import {
  AmountSchema,
  NonNegativeAmountSchema,
  TimestampSchema,
} from '../../src/internal/schemas.js';
import { TxAddressSchema } from '../../src/tx-address-schema.js';
import { type Definitions, type JsonSchema, ref } from './json-schema.js';
import * as patterns from './patterns.js';

/** The schemas of a value that @valibot/to-json-schema can't know, by the names of their definitions. */
const OWN_SCHEMAS: ReadonlyMap<unknown, string> = new Map<GenericSchema, string>([
  [AmountSchema, 'Amount'],
  [NonNegativeAmountSchema, 'NonNegativeAmount'],
  [TimestampSchema, 'Timestamp'],
  [TxAddressSchema, 'TxAddressText'],
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

/** What the fields of a body share. */
export const WIRE_DEFINITIONS: Definitions = {
  Amount: {
    title: 'Amount',
    description: `As a JSON number, or as a string in the same grammar: ${AMOUNT_LIMITS}. It may be below zero.`,
    anyOf: [ZERO, ABOVE_ZERO, BELOW_ZERO, ...amountTexts('-?')],
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
  NoValue: {
    title: 'No value',
    description: 'Null and the empty string stand for a value that is not there.',
    enum: [null, ''],
  },
};

/** The schema of what a field's rule takes. */
export function kindSchema(field: Field<unknown>): JsonSchema {
  const { $schema: _, ...schema } = toJsonSchema(field.schema, {
    target: 'draft-2020-12',
    overrideSchema: ({ valibotSchema }) => refIf(OWN_SCHEMAS.get(valibotSchema)),
    // Not as a format: those are not checked unless a validator is told to, and then not by all alike.
    overrideAction: ({ valibotAction }) =>
      refIf(valibotAction.type === 'uuid' ? 'Uuid' : undefined),
  });
  return schema;
}

/** The same, or no value. */
export function optionalKindSchema(field: Field<unknown>): JsonSchema {
  const schema = kindSchema(field);
  switch (field.kind) {
    case 'text':
      return { type: ['string', 'null'] };
    case 'enum':
      return { enum: [...(schema.enum as unknown[]), null, ''] };
    default:
      return { anyOf: [schema, ref('NoValue')] };
  }
}

function refIf(name: string | undefined): { $ref: string } | undefined {
  return name === undefined ? undefined : ref(name);
}

/** The ways to write an amount as text. */
function amountTexts(sign: '' | '-?'): JsonSchema[] {
  const text = { type: 'string', maxLength: MAX_LENGTH };
  return [
    { ...text, pattern: patterns.ZERO },
    { ...text, pattern: `^${sign}${patterns.PLAIN}`, not: TOO_MANY_DIGITS },
    { ...text, pattern: `^${sign}${patterns.SCIENTIFIC}`, not: TOO_MANY_DIGITS },
  ];
}
