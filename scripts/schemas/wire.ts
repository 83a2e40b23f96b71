import { depositReceivedBody, withdrawalBroadcastBody } from '../../src/testing/bodies.js';
import { type Docblocks, readDocblocks } from './docblocks.js';
import { fieldSchema, ifCompleted, type JsonSchema, mapValues, standAlone } from './json-schema.js';
import { kindSchema, optionalKindSchema, WIRE_DEFINITIONS } from './kinds.js';
import { LIMITS, LIMITS_OF } from './limits.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type Field,
  type FieldTable,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from './tables.js';

export type BodyName = 'deposit-received' | 'withdrawal-broadcast';

/** The ingredients of the schemas of one body. */
interface Body {
  readonly title: string;
  /** The function that reads it. */
  readonly parser: string;
  readonly table: FieldTable;
  /** The rules that differ for a withdrawal that wasn't sent. */
  readonly notCompleted: FieldTable;
  /** The meanings of its fields, by name. */
  readonly meanings: Docblocks['members'];
  /** The testing kit's body, for an example of each field. */
  readonly sample: JsonSchema;
}

const BODIES: Readonly<Record<BodyName, Body>> = {
  'deposit-received': {
    title: 'Deposit received',
    parser: 'parseDepositReceived',
    table: DEPOSIT_RECEIVED_FIELDS,
    notCompleted: {},
    meanings: readDocblocks('deposit-received', 'DepositReceived').members,
    sample: JSON.parse(depositReceivedBody()),
  },
  'withdrawal-broadcast': {
    title: 'Withdrawal broadcast',
    parser: 'parseWithdrawalBroadcast',
    table: WITHDRAWAL_BROADCAST_FIELDS,
    notCompleted: NOT_COMPLETED_WITHDRAWAL_FIELDS,
    meanings: new Map([
      ...readDocblocks('withdrawal-broadcast', 'WithdrawalFields').members,
      // A notification has these in another form, or not at all.
      ['status', readDocblocks('withdrawal-broadcast', 'WithdrawalStatus').type],
      [
        'toTxAddress',
        'Where `actualWithdrawAmount` was sent, or would have been: an address, for some currencies followed by `?dt=` and a destination tag.',
      ],
      [
        'deducedSettlementAmount',
        'The other spelling of `deductedSettlementAmount`: a body has either.',
      ],
    ]),
    sample: JSON.parse(withdrawalBroadcastBody({ deducedSettlementAmount: '250.31000000' })),
  },
};

const WARNS = 'Expected: without it, the body is read with a warning.';
const TOLERATED = 'any value will do, or none; one that can’t be read leaves a warning.';

/** The schema of a body as the service documents it: one that the parser reads without a warning. */
export function documentedSchema(name: BodyName): JsonSchema {
  const body = BODIES[name];
  const costs = { expected: WARNS, optional: 'Optional: it may be absent, null or empty.' };
  const schema = {
    title: body.title,
    description: withLimits(
      `The body of a callback as the service documents it: what ${body.parser} reads without a warning.`,
      name,
    ),
    type: 'object',
    required: namesOf(body, ({ need }) => need !== 'optional'),
    properties: mapValues(body.table, (field) =>
      bodyField(body, field, costs, documentedField(field)),
    ),
  };
  return standAlone(schema, WIRE_DEFINITIONS);
}

/** The schema of a body that is accepted: one that the parser reads, with warnings or without. */
export function acceptedSchema(name: BodyName): JsonSchema {
  const body = BODIES[name];
  const sometimes = Object.keys(body.notCompleted);
  const isAlwaysRequired = ({ name, need }: Field): boolean =>
    need === 'required' && !sometimes.includes(name);
  const costs = { expected: `Expected: ${TOLERATED}`, optional: `Optional: ${TOLERATED}` };
  const schema = {
    title: `${body.title}, accepted`,
    description: withLimits(
      `The body of a callback as it is accepted: what ${body.parser} reads, with warnings or without.`,
      `${name}.accepted`,
    ),
    type: 'object',
    required: namesOf(body, isAlwaysRequired),
    properties: mapValues(body.table, (field) =>
      bodyField(body, field, costs, isAlwaysRequired(field) ? kindSchema(field.type) : {}),
    ),
    ...(sometimes.length > 0 &&
      ifCompleted({
        required: sometimes,
        properties: mapValues(body.notCompleted, ({ type }) => kindSchema(type)),
      })),
  };
  return standAlone(schema, WIRE_DEFINITIONS);
}

function namesOf({ table }: Body, isIncluded: (field: Field) => boolean): string[] {
  return Object.values(table)
    .filter(isIncluded)
    .map(({ name }) => name);
}

const OWNER_MEANINGS = readDocblocks('withdrawal-broadcast', 'TxAddressOwner').members;

function documentedField({ need, type }: Field): JsonSchema {
  if (type.kind !== 'object')
    return need === 'optional' ? optionalKindSchema(type) : kindSchema(type);
  // The owner of an address, of which both fields are expected.
  return {
    type: 'object',
    required: Object.keys(TX_ADDRESS_OWNER_FIELDS),
    properties: mapValues(TX_ADDRESS_OWNER_FIELDS, ({ name, type }) =>
      fieldSchema(name, `${OWNER_MEANINGS.get(name)} ${WARNS}`, kindSchema(type)),
    ),
  };
}

/** A field of a body with its example; the description tells what its absence costs. */
function bodyField(
  { meanings, notCompleted, sample }: Body,
  { name, need }: Field,
  costs: { readonly expected: string; readonly optional: string },
  schema: JsonSchema,
): JsonSchema {
  const required = 'Required: without it, the body is refused.';
  const cost = notCompleted[name]
    ? `Required of a COMPLETED withdrawal: without it, the body is refused. Of any other, ${costs.expected.toLowerCase()}`
    : { ...costs, required }[need];
  const description = `${meanings.get(name)} ${cost}`;
  return { ...fieldSchema(name, description, schema), examples: [sample[name]] };
}

function withLimits(description: string, file: keyof typeof LIMITS_OF): string {
  const items = LIMITS_OF[file].map((name) => `- ${name}: ${LIMITS[name]}`);
  return [`${description} Where this schema can’t tell:`, '', ...items].join('\n');
}
