import type { FieldType } from '../../src/parser/rules.js';
import {
  AMOUNT_LIMITS,
  MAX_DIGITS,
  MAX_LENGTH,
  nonNegativeAmount,
} from '../../src/parser/values/amount.js';
import { nonEmptyText, uuid } from '../../src/parser/values/text.js';
import { txAddress } from '../../src/parser/values/tx-address.js';
import * as patterns from './patterns.js';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string', minLength: 1 };
const LITERAL = { type: 'string', maxLength: MAX_LENGTH };
const TOO_MANY_DIGITS = { anyOf: patterns.TOO_MANY_DIGITS.map((pattern) => ({ pattern })) };

/** What the required fields of a body share. */
const DEFINITIONS = {
  Amount: {
    title: 'Amount',
    description: `As a JSON number, or as a string in the same grammar: ${AMOUNT_LIMITS}.`,
    // Each branch has a type: code generators allow anything in a branch without one.
    anyOf: [
      { type: 'number', const: 0 },
      { type: 'number', minimum: 10 ** -MAX_DIGITS, exclusiveMaximum: 10 ** (MAX_DIGITS + 1) },
      { ...LITERAL, pattern: patterns.ZERO },
      { ...LITERAL, pattern: patterns.PLAIN, not: TOO_MANY_DIGITS },
      { ...LITERAL, pattern: patterns.SCIENTIFIC, not: TOO_MANY_DIGITS },
    ],
  },
  TxAddress: {
    title: 'Blockchain address',
    description:
      'An address, for some currencies followed by `?dt=` and a destination tag. The address is not empty.',
    ...TEXT,
    not: { pattern: patterns.TAG_WITHOUT_ADDRESS },
  },
  Uuid: {
    title: 'UUID',
    description: 'A UUID of any version, in any case.',
    type: 'string',
    pattern: patterns.UUID,
  },
} as const satisfies Record<string, JsonSchema>;

const KINDS: ReadonlyMap<FieldType<unknown>, JsonSchema> = new Map<FieldType<unknown>, JsonSchema>([
  [nonEmptyText, TEXT],
  [uuid, ref('Uuid')],
  [nonNegativeAmount, ref('Amount')],
  [txAddress, ref('TxAddress')],
]);

/** The schema of the values that a type of a required field takes. */
export function kindSchema(type: FieldType<unknown>): JsonSchema {
  const schema = type.values ? { type: 'string', enum: type.values } : KINDS.get(type);
  if (schema === undefined) throw new Error(`no schema for a required ${type.kind}`);
  return schema;
}

/** The definitions to which a schema refers. */
export function definitionsIn(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema);
  return Object.fromEntries(
    Object.entries(DEFINITIONS).filter(([name]) => text.includes(`"#/$defs/${name}"`)),
  );
}

function ref(name: keyof typeof DEFINITIONS): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}
