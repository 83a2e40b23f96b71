import { type FieldType, nonNegativeAmount } from '../../src/internal/field-types.js';
import { WithdrawalStatus } from '../../src/withdrawal-broadcast.js';
import { readDocblocks } from './docblocks.js';
import {
  type Definitions,
  type JsonSchema,
  mapValues,
  ref,
  standAlone,
  titleOf,
} from './json-schema.js';
import { kindSchema, TOO_MANY_DIGITS, WIRE_DEFINITIONS } from './kinds.js';
import * as patterns from './patterns.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type FieldTable,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from './tables.js';

type Meanings = ReadonlyMap<string, string>;

const DEPOSIT = readDocblocks('deposit-received.ts', 'DepositReceived');
const WITHDRAWAL = readDocblocks('withdrawal-broadcast.ts', 'WithdrawalBroadcast');
const OWNER = readDocblocks('withdrawal-broadcast.ts', 'TxAddressOwner');
const ADDRESS = readDocblocks('tx-address.ts', 'TxAddress');
const ISSUE = readDocblocks('errors.ts', 'NotificationIssue');
const CODE = readDocblocks('errors.ts', 'IssueCode');

const WITHDRAWAL_MEANINGS: Meanings = new Map([
  ...readDocblocks('withdrawal-broadcast.ts', 'WithdrawalFields').members,
  ['status', readDocblocks('withdrawal-broadcast.ts', 'WithdrawalStatus').type],
  [
    'toTxAddress',
    `${readDocblocks('withdrawal-broadcast.ts', 'WithdrawalFailed').members.get('toTxAddress')} It is there in a ${WithdrawalStatus.COMPLETED} withdrawal.`,
  ],
]);

const TEXT: JsonSchema = { type: 'string', minLength: 1 };

const DEFINITIONS: Definitions = {
  DepositReceived: describeObject('Deposit received', DEPOSIT.type, DEPOSIT.members, {
    type: { const: 'deposit.received' },
    ...outputOf(DEPOSIT_RECEIVED_FIELDS),
    additionalFields: { type: 'object' },
    warnings: { type: 'array', items: ref('NotificationIssue') },
  }),
  WithdrawalBroadcast: {
    ...describeObject('Withdrawal broadcast', WITHDRAWAL.type, WITHDRAWAL_MEANINGS, {
      type: { const: 'withdrawal.broadcast' },
      ...outputOf(WITHDRAWAL_BROADCAST_FIELDS),
      toTxAddress: orNull(ref('TxAddress')),
      additionalFields: { type: 'object' },
      warnings: { type: 'array', items: ref('NotificationIssue') },
    }),
    if: { properties: { status: { const: WithdrawalStatus.COMPLETED } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { toTxAddress: ref('TxAddress') } },
  },
  TxAddress: describeObject('Address and destination tag', ADDRESS.type, ADDRESS.members, {
    raw: WIRE_DEFINITIONS.TxAddressText ?? {},
    address: { ...TEXT, not: { pattern: '\\?dt=' } },
    destinationTag: orNull(TEXT),
  }),
  TxAddressOwner: describeObject('Owner of the address', OWNER.type, OWNER.members, {
    ...mapValues(TX_ADDRESS_OWNER_FIELDS, () => ({ type: ['string', 'null'] })),
    additionalFields: { type: 'object' },
  }),
  NotificationIssue: describeObject('NotificationIssue', ISSUE.type, ISSUE.members, {
    code: { oneOf: [...CODE.members].map(([code, description]) => ({ const: code, description })) },
    path: { type: 'array', items: { type: 'string' } },
    message: { type: 'string' },
    expected: { type: 'string' },
    received: { type: 'string' },
  }),
  Amount: {
    title: 'Amount',
    description: 'A decimal number in plain digits.',
    type: 'string',
    pattern: patterns.WRITTEN_AMOUNT,
    not: TOO_MANY_DIGITS,
  },
  NonNegativeAmount: {
    title: 'Amount of zero or more',
    description: 'A decimal number in plain digits, zero or more.',
    type: 'string',
    pattern: patterns.WRITTEN_NON_NEGATIVE_AMOUNT,
    not: TOO_MANY_DIGITS,
  },
  Timestamp: {
    title: 'Point in time',
    description: 'A date-time in UTC with milliseconds.',
    type: 'string',
    pattern: patterns.WRITTEN_TIMESTAMP,
  },
  Uuid: WIRE_DEFINITIONS.Uuid ?? {},
};

/** The schema of what `JSON.stringify` makes of a notification. */
export function notificationSchema(): JsonSchema {
  const schema = {
    title: 'PaymentNotification',
    description:
      'The JSON of a notification: what JSON.stringify makes of one, and notificationFromJSON reads again. Where this schema can’t tell: that the raw value of an address is its two parts joined, and that text has no half of a surrogate pair.',
    oneOf: [ref('DepositReceived'), ref('WithdrawalBroadcast')],
  };
  return standAlone(schema, DEFINITIONS);
}

/** The output of each field; the second spelling of an amount has none of its own. */
function outputOf(table: FieldTable): Definitions {
  const { deducedSettlementAmount: _, ...fields } = table;
  return mapValues(fields, ({ need, type }) =>
    need === 'required' || type.kind === 'object' ? output(type) : orNull(output(type)),
  );
}

function output(type: FieldType<unknown>): JsonSchema {
  switch (type.kind) {
    case 'amount':
      return ref(type === nonNegativeAmount ? 'NonNegativeAmount' : 'Amount');
    case 'timestamp':
      return ref('Timestamp');
    case 'address':
      return ref('TxAddress');
    case 'object':
      return ref('TxAddressOwner');
    default:
      return kindSchema(type);
  }
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** An object that always has all of its properties. */
function describeObject(
  title: string,
  description: string,
  meanings: Meanings,
  properties: Definitions,
): JsonSchema {
  return {
    title,
    description,
    type: 'object',
    required: Object.keys(properties),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => {
        const meaning = meanings.get(name);
        return [
          name,
          { title: titleOf(name), ...(meaning && { description: meaning }), ...schema },
        ];
      }),
    ),
  };
}
