import type { FieldType } from '../../src/parser/rules.js';
import {
  AMOUNT_LIMITS,
  MAX_DIGITS,
  MAX_LENGTH,
  nonNegativeAmount,
} from '../../src/parser/values/amount.js';
import { nonEmptyText, uuid } from '../../src/parser/values/text.js';
import { txAddress } from '../../src/parser/values/tx-address.js';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

// Regular expressions for JSON Schema: without lookahead, which RE2 doesn't have, and with [0-9]
// for \d, which in some languages matches the digits of every script. Each takes time linear in the
// text.

/** Zero, whatever its sign and its exponent. */
const ZERO = '^-?0(?:\\.0+)?(?:[eE][+-]?[0-9]+)?$';
/** From 1e-78 on, and below 1e79: digits behind `0.`, or whole ones. */
const PLAIN: string = `^(?:0\\.0{0,${MAX_DIGITS - 1}}[1-9][0-9]*|[1-9][0-9]{0,${MAX_DIGITS}}(?:\\.[0-9]+)?)$`;
/** With at most 160 characters, any longer exponent leads beyond the limits. */
const SCIENTIFIC = '^(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?[eE][+-]?0*[0-9]{1,3}$';

const MORE_DIGITS = MAX_DIGITS - 1;
/**
 * From the first digit that isn't 0 to the last one are too many: all of them before the point or
 * all behind it, or with the point among them, where it counts as one more.
 */
const TOO_MANY: readonly string[] = [
  `^[.0]*[1-9][0-9]{${MORE_DIGITS}}0*[1-9]`,
  `^[1-9][.0-9]{${MORE_DIGITS + 1}}[.0]*[1-9]`,
];

const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** An address is empty where the mark of the tag comes first. */
const TAG_WITHOUT_ADDRESS = '^\\?dt=';

const TEXT = { type: 'string', minLength: 1 };
const LITERAL = { type: 'string', maxLength: MAX_LENGTH };
const TOO_MANY_DIGITS = { anyOf: TOO_MANY.map((pattern) => ({ pattern })) };

/** What the required fields of a body share. */
const DEFINITIONS = {
  Amount: {
    title: 'Amount',
    description: `As a JSON number, or as a string in the same grammar: ${AMOUNT_LIMITS}.`,
    // Each branch has a type: code generators allow anything in a branch without one.
    anyOf: [
      { type: 'number', const: 0 },
      { type: 'number', minimum: 10 ** -MAX_DIGITS, exclusiveMaximum: 10 ** (MAX_DIGITS + 1) },
      { ...LITERAL, pattern: ZERO },
      { ...LITERAL, pattern: PLAIN, not: TOO_MANY_DIGITS },
      { ...LITERAL, pattern: SCIENTIFIC, not: TOO_MANY_DIGITS },
    ],
  },
  TxAddress: {
    title: 'Blockchain address',
    description:
      'An address, for some currencies followed by `?dt=` and a destination tag. The address is not empty.',
    ...TEXT,
    not: { pattern: TAG_WITHOUT_ADDRESS },
  },
  Uuid: {
    title: 'UUID',
    description: 'A UUID of any version, in any case.',
    type: 'string',
    pattern: UUID,
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
