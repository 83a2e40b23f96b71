import { depositReceivedBody, withdrawalBroadcastBody } from '../../src/testing/bodies.js';
import { definitionsIn, type JsonSchema, kindSchema } from './definitions.js';
import { DEPOSIT_MEANINGS, WITHDRAWAL_MEANINGS } from './docblocks.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type FieldTable,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from './tables.js';

/** What the parser refuses, although its schema may accept it. */
export const LIMITS = {
  size: 'a body of more than 64 KiB',
  digits:
    'a required amount that is beyond the limits and was sent as a number (a validator rounds it before the check)',
  exponent: 'a required amount that is beyond the limits and was sent as text with an exponent',
  surrogates: 'a required text with a lone surrogate, which is half a character',
  notification: 'the output of `JSON.stringify(notification)`',
  identifiers:
    'a body with both a `depositId` and a `withdrawalId`, if you call `parseNotification`',
} as const;

/** The ingredients of the schema of one body. */
interface Body {
  readonly title: string;
  readonly table: FieldTable;
  /** The rules that differ for a withdrawal that wasn't sent. */
  readonly notCompleted: FieldTable;
  readonly meanings: ReadonlyMap<string, string>;
  /** A body with an example of each field. */
  readonly sample: JsonSchema;
}

const BODIES = {
  'deposit-received': {
    title: 'Deposit received',
    table: DEPOSIT_RECEIVED_FIELDS,
    notCompleted: {},
    meanings: DEPOSIT_MEANINGS,
    sample: JSON.parse(depositReceivedBody()),
  },
  'withdrawal-broadcast': {
    title: 'Withdrawal broadcast',
    table: WITHDRAWAL_BROADCAST_FIELDS,
    notCompleted: NOT_COMPLETED_WITHDRAWAL_FIELDS,
    meanings: WITHDRAWAL_MEANINGS,
    sample: JSON.parse(withdrawalBroadcastBody({ deducedSettlementAmount: '250.31000000' })),
  },
} satisfies Record<string, Body>;

export type BodyName = keyof typeof BODIES;
export const BODY_NAMES = Object.keys(BODIES) as BodyName[];

const COSTS = {
  required: 'Required: without it, the body is refused.',
  expected: 'Expected: any value will do; without a readable one, there is a warning.',
  optional: 'Optional: any value will do, or none; one that can’t be read leaves a warning.',
};
const OF_COMPLETED =
  'Required of a COMPLETED withdrawal: without it, the body is refused. Otherwise, expected.';

/** The JSON Schema of a body that its parse function reads, with warnings or without. */
export function bodySchema(name: BodyName): JsonSchema {
  const { title, table, notCompleted, meanings, sample }: Body = BODIES[name];
  const isAlwaysRequired = (field: string) =>
    table[field]?.need === 'required' && !Object.hasOwn(notCompleted, field);
  const properties = Object.entries(table).map(([field, { need, type }]) => {
    const cost = Object.hasOwn(notCompleted, field) ? OF_COMPLETED : COSTS[need];
    const description = `${meanings.get(field)} ${cost}`;
    const kind = isAlwaysRequired(field) ? kindSchema(type) : {};
    return [field, { title: titleOf(field), description, examples: [sample[field]], ...kind }];
  });
  const schema = {
    title,
    description: [
      'The body of a callback that its parse function reads, with warnings or without. A schema checks less. The parser also refuses:',
      '',
      ...Object.values(LIMITS).map((limit) => `- ${limit}`),
    ].join('\n'),
    type: 'object',
    required: Object.keys(table).filter(isAlwaysRequired),
    properties: Object.fromEntries(properties),
    ...ifCompleted(notCompleted),
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'Generated from the rules that the package reads by.',
    ...schema,
    $defs: definitionsIn(schema),
  };
}

/** What only a completed withdrawal needs. */
function ifCompleted(notCompleted: FieldTable): JsonSchema {
  const fields = Object.values(notCompleted);
  if (fields.length === 0) return {};
  return {
    if: { properties: { status: { const: 'COMPLETED' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: {
      required: fields.map(({ name }) => name),
      properties: Object.fromEntries(fields.map(({ name, type }) => [name, kindSchema(type)])),
    },
  };
}

/** The title of a field: of `actualDepositAmount`, it is `Actual deposit amount`. */
function titleOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1).replace(/ id$/, ' ID');
}
