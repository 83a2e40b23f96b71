import type { NamedRule } from '../../src/internal/rules.js';
import { depositReceivedBody, withdrawalBroadcastBody } from '../../src/testing/bodies.js';
import { type Docblocks, readDocblocks, WITHDRAWAL_MEANINGS } from './docblocks.js';
import { ifCompleted, type JsonSchema, mapValues, standAlone, titleOf } from './json-schema.js';
import { kindSchema, orNoValue, WIRE_DEFINITIONS } from './kinds.js';
import { LIMITS } from './limits.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type FieldTable,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from './tables.js';

export type BodyName = 'deposit-received' | 'withdrawal-broadcast';

/** The ingredients of the schemas of one body. */
interface Body {
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
    table: DEPOSIT_RECEIVED_FIELDS,
    notCompleted: {},
    meanings: readDocblocks('deposit-received', 'DepositReceived').members,
    sample: JSON.parse(depositReceivedBody()),
  },
  'withdrawal-broadcast': {
    table: WITHDRAWAL_BROADCAST_FIELDS,
    notCompleted: NOT_COMPLETED_WITHDRAWAL_FIELDS,
    meanings: new Map([
      ...WITHDRAWAL_MEANINGS,
      // A notification has these in another form, or not at all.
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

const REQUIRED = 'Required: without it, the body is refused.';
const WARNS = 'Expected: without it, the body is read with a warning.';
const TOLERATED = 'any value will do, or none; one that can’t be read leaves a warning.';

/**
 * The schema of a body as the service documents it: one that the parser reads without a warning.
 */
export function documentedSchema(name: BodyName): JsonSchema {
  const body = BODIES[name];
  const rules = Object.values(body.table);
  const optional = 'Optional: it may be absent, null or empty.';
  const costs = { required: REQUIRED, expected: WARNS, optional };
  const schema = {
    title: titleOf(name),
    description: withLimits(
      'The body of a callback as the service documents it: what its parse function reads without a warning.',
    ),
    type: 'object',
    required: rules.filter(({ need }) => need !== 'optional').map(({ name }) => name),
    properties: mapValues(body.table, (rule) => ({
      ...describeField(body, rule, costs),
      ...documentedField(rule),
    })),
  };
  return standAlone(schema, WIRE_DEFINITIONS);
}

/** The schema of a body that is accepted: one that the parser reads, with warnings or without. */
export function acceptedSchema(name: BodyName): JsonSchema {
  const body = BODIES[name];
  const rules = Object.values(body.table);
  const sometimes = Object.keys(body.notCompleted);
  const isRequired = ({ name, need }: NamedRule) =>
    need === 'required' && !sometimes.includes(name);
  const [expected, optional] = [`Expected: ${TOLERATED}`, `Optional: ${TOLERATED}`];
  const costs = { required: REQUIRED, expected, optional };
  const schema = {
    title: `${titleOf(name)}, accepted`,
    description: withLimits(
      'The body of a callback as it is accepted: what its parse function reads, with warnings or without.',
    ),
    type: 'object',
    required: rules.filter(isRequired).map(({ name }) => name),
    properties: mapValues(body.table, (rule) => ({
      ...describeField(body, rule, costs),
      ...(isRequired(rule) && kindSchema(rule.type)),
    })),
    ...(sometimes.length > 0 &&
      ifCompleted({
        required: sometimes,
        properties: mapValues(body.notCompleted, ({ type }) => kindSchema(type)),
      })),
  };
  return standAlone(schema, WIRE_DEFINITIONS);
}

function documentedField({ need, type }: NamedRule): JsonSchema {
  if (type.kind !== 'object') return need === 'optional' ? orNoValue(type) : kindSchema(type);
  // The owner of an address, of which both fields are expected.
  const { members } = readDocblocks('withdrawal-broadcast', 'TxAddressOwner');
  return {
    type: 'object',
    required: Object.keys(TX_ADDRESS_OWNER_FIELDS),
    properties: mapValues(TX_ADDRESS_OWNER_FIELDS, ({ name, type }) => ({
      title: titleOf(name),
      description: `${members.get(name)} ${WARNS}`,
      ...kindSchema(type),
    })),
  };
}

/** What a field means, what its absence costs, and an example. */
function describeField(
  body: Body,
  { name, need }: NamedRule,
  costs: Record<NamedRule['need'], string>,
) {
  const ofCompleted =
    'Required of a COMPLETED withdrawal: without it, the body is refused. Of any other,';
  const cost = body.notCompleted[name]
    ? `${ofCompleted} ${costs.expected.toLowerCase()}`
    : costs[need];
  const description = `${body.meanings.get(name)} ${cost}`;
  return { title: titleOf(name), description, examples: [body.sample[name]] };
}

function withLimits(description: string): string {
  const items = Object.entries(LIMITS).map(([name, limit]) => `- ${name}: ${limit}`);
  return [`${description} Where a schema can’t tell:`, '', ...items].join('\n');
}
