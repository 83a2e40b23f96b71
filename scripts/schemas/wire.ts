import { DEPOSIT_SAMPLE, type Sample, WITHDRAWAL_SAMPLE } from '../../src/wire/sample.js';
import { WithdrawalStatus } from '../../src/withdrawal-broadcast.js';
import { readDocblocks } from './docblocks.js';
import { type JsonSchema, mapValues, standAlone, titleOf } from './json-schema.js';
import { kindSchema, optionalKindSchema, WIRE_DEFINITIONS } from './kinds.js';
import { LIMITS_OF, type Limit } from './limits.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type Field,
  type FieldTable,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from './tables.js';

export type BodyName = 'deposit-received' | 'withdrawal-broadcast';

/** What the schemas of one body are made of. */
interface Body {
  readonly title: string;
  /** The function that reads it. */
  readonly parser: string;
  readonly table: FieldTable;
  /** The rules that differ for a withdrawal that wasn't sent. */
  readonly notCompleted: FieldTable;
  /** The meanings of its fields, by name. */
  readonly meanings: ReadonlyMap<string, string>;
  readonly sample: Sample;
}

const WITHDRAWAL = 'withdrawal-broadcast.ts';
const DEDUCED = 'deducedSettlementAmount';

const BODIES: Readonly<Record<BodyName, Body>> = {
  'deposit-received': {
    title: 'Deposit received',
    parser: 'parseDepositReceived',
    table: DEPOSIT_RECEIVED_FIELDS,
    notCompleted: {},
    meanings: readDocblocks('deposit-received.ts', 'DepositReceived').members,
    sample: DEPOSIT_SAMPLE,
  },
  'withdrawal-broadcast': {
    title: 'Withdrawal broadcast',
    parser: 'parseWithdrawalBroadcast',
    table: WITHDRAWAL_BROADCAST_FIELDS,
    notCompleted: NOT_COMPLETED_WITHDRAWAL_FIELDS,
    meanings: new Map([
      ...readDocblocks(WITHDRAWAL, 'WithdrawalFields').members,
      // What a notification has in another form, or has not.
      ['status', readDocblocks(WITHDRAWAL, 'WithdrawalStatus').type],
      [
        'toTxAddress',
        'Where `actualWithdrawAmount` was sent, or would have been: an address, for some currencies followed by `?dt=` and a destination tag.',
      ],
      [DEDUCED, 'The other spelling of `deductedSettlementAmount`: a body has either.'],
    ]),
    sample: { ...WITHDRAWAL_SAMPLE, [DEDUCED]: WITHDRAWAL_SAMPLE.deductedSettlementAmount },
  },
};

/** The schema of a body as the service documents it: what the parser reads without a warning. */
export function documentedSchema(name: BodyName): JsonSchema {
  const body = BODIES[name];
  const always = Object.values(body.table).filter(({ need }) => need !== 'optional');
  const schema = {
    title: body.title,
    description: withLimits(
      `The body of a callback as the service documents it: what ${body.parser} reads without a warning.`,
      LIMITS_OF[name],
    ),
    type: 'object',
    required: always.map((field) => field.name),
    properties: mapValues(body.table, (field) => ({
      ...describeField(body, field, {
        expected: 'Expected: without it, the body is read with a warning.',
        optional: 'Optional: it may be absent, null or empty.',
      }),
      ...documentedField(field),
      ...examplesOf(body, field),
    })),
  };
  return standAlone(schema, WIRE_DEFINITIONS);
}

/** The schema of a body that is accepted: what the parser reads, with warnings or without. */
export function acceptedSchema(name: BodyName): JsonSchema {
  const body = BODIES[name];
  const sometimes = Object.keys(body.notCompleted);
  const isAlwaysRequired = (field: Field): boolean =>
    field.need === 'required' && !sometimes.includes(field.name);
  const tolerated = 'any value will do, or none; one that can’t be read leaves a warning.';
  const schema = {
    title: `${body.title}, accepted`,
    description: withLimits(
      `The body of a callback as it is accepted: what ${body.parser} reads, with warnings or without.`,
      LIMITS_OF[`${name}.accepted`],
    ),
    type: 'object',
    required: Object.values(body.table)
      .filter(isAlwaysRequired)
      .map((field) => field.name),
    properties: mapValues(body.table, (field) => ({
      ...describeField(body, field, {
        expected: `Expected: ${tolerated}`,
        optional: `Optional: ${tolerated}`,
      }),
      ...(isAlwaysRequired(field) && kindSchema(field.type)),
      ...examplesOf(body, field),
    })),
    ...(sometimes.length > 0 && {
      if: { properties: { status: { const: WithdrawalStatus.COMPLETED } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: {
        required: sometimes,
        properties: mapValues(body.notCompleted, ({ type }) => kindSchema(type)),
      },
    }),
  };
  return standAlone(schema, WIRE_DEFINITIONS);
}

function documentedField(field: Field): JsonSchema {
  if (field.type.kind === 'object') return OWNER;
  return field.need === 'optional' ? optionalKindSchema(field.type) : kindSchema(field.type);
}

const OWNER_MEANINGS = readDocblocks(WITHDRAWAL, 'TxAddressOwner').members;

/** Both of its fields are expected. */
const OWNER: JsonSchema = {
  type: 'object',
  required: Object.keys(TX_ADDRESS_OWNER_FIELDS),
  properties: mapValues(TX_ADDRESS_OWNER_FIELDS, (field) => ({
    title: titleOf(field.name),
    description: `${meaningOf(OWNER_MEANINGS, field.name)} Expected: without it, the body is read with a warning.`,
    ...kindSchema(field.type),
  })),
};

/** A field's title and description; the latter tells what its absence costs. */
function describeField(
  { meanings, notCompleted }: Body,
  { name, need }: Field,
  costs: { readonly expected: string; readonly optional: string },
): JsonSchema {
  const required = 'Required: without it, the body is refused.';
  const other = notCompleted[name]?.need;
  const cost =
    other === 'expected'
      ? `Required of a ${WithdrawalStatus.COMPLETED} withdrawal: without it, the body is refused. Of any other, ${costs.expected.toLowerCase()}`
      : { ...costs, required }[need];
  return { title: titleOf(name), description: `${meaningOf(meanings, name)} ${cost}` };
}

function meaningOf(meanings: ReadonlyMap<string, string>, name: string): string {
  const meaning = meanings.get(name);
  if (!meaning) throw new Error(`${name} has no docblock`);
  return meaning;
}

/** The value of the testing kit's sample. */
function examplesOf({ sample }: Body, { name }: Field): JsonSchema {
  const field = sample[name];
  if (field?.value === undefined) throw new Error(`${name} has no value in the sample`);
  const { as, value } = field;
  const isJson = value === null || as === 'number' || as === 'time' || as === 'owner';
  return { examples: [isJson ? JSON.parse(String(value)) : value] };
}

function withLimits(description: string, limits: readonly Limit[]): string {
  const items = limits.map((limit) => `- ${limit.name}: ${limit.description}`);
  return [`${description} Where this schema can’t tell:`, '', ...items].join('\n');
}
