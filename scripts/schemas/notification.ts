import { type Docblocks, readDocblocks, WITHDRAWAL_MEANINGS } from './docblocks.js';
import {
  type Definitions,
  ifCompleted,
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

const TEXT: JsonSchema = { type: 'string', minLength: 1 };

const { members: failed } = readDocblocks('withdrawal-broadcast', 'WithdrawalFailed');
const toTxAddress = `${failed.get('toTxAddress')} Never null if COMPLETED.`;
const WITHDRAWAL: Docblocks = {
  type: readDocblocks('withdrawal-broadcast', 'WithdrawalBroadcast').type,
  members: new Map([...WITHDRAWAL_MEANINGS, ['toTxAddress', toTxAddress]]),
};

/** The definitions of a notification's parts, in alphabetical order. */
const DEFINITIONS: Definitions = {
  Amount: { title: 'Amount', ...plainDigits('-?') },
  DepositReceived: describeObject(
    'Deposit received',
    readDocblocks('deposit-received', 'DepositReceived'),
    notificationFields('deposit.received', DEPOSIT_RECEIVED_FIELDS),
  ),
  NonNegativeAmount: { title: 'Amount of zero or more', ...plainDigits('') },
  NotificationIssue: describeObject(
    'NotificationIssue',
    readDocblocks('errors', 'NotificationIssue'),
    {
      code: {
        oneOf: [...readDocblocks('errors', 'IssueCode').members].map(([code, description]) => ({
          const: code,
          description,
        })),
      },
      path: { type: 'array', items: { type: 'string' } },
      message: { type: 'string' },
      expected: { type: 'string' },
      received: { type: 'string' },
    },
  ),
  Timestamp: {
    title: 'Point in time',
    description: 'A date-time in UTC with milliseconds.',
    type: 'string',
    pattern: patterns.WRITTEN_TIMESTAMP,
  },
  TxAddress: describeObject(
    'Address and destination tag',
    readDocblocks('tx-address', 'TxAddress'),
    {
      raw: WIRE_DEFINITIONS.TxAddressText,
      address: { ...TEXT, not: { pattern: '\\?dt=' } },
      destinationTag: orNull(TEXT),
    },
  ),
  TxAddressOwner: describeObject(
    'Owner of the address',
    readDocblocks('withdrawal-broadcast', 'TxAddressOwner'),
    {
      ...mapValues(TX_ADDRESS_OWNER_FIELDS, () => ({ type: ['string', 'null'] })),
      additionalFields: { type: 'object' },
    },
  ),
  Uuid: WIRE_DEFINITIONS.Uuid,
  WithdrawalBroadcast: {
    ...describeObject('Withdrawal broadcast', WITHDRAWAL, {
      ...notificationFields('withdrawal.broadcast', WITHDRAWAL_BROADCAST_FIELDS),
      toTxAddress: orNull(ref('TxAddress')),
      txAddressOwner: orNull(ref('TxAddressOwner')),
    }),
    ...ifCompleted({ properties: { toTxAddress: ref('TxAddress') } }),
  },
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

/** The fields of a notification; the second spelling of an amount is not one of them. */
function notificationFields(type: string, table: FieldTable): Definitions {
  const { deducedSettlementAmount: _, ...fields } = table;
  return {
    type: { const: type },
    ...mapValues(fields, ({ need, type }) =>
      need === 'required' ? kindSchema(type) : orNull(kindSchema(type)),
    ),
    additionalFields: { type: 'object' },
    warnings: { type: 'array', items: ref('NotificationIssue') },
  };
}

function plainDigits(sign: '' | '-?'): JsonSchema {
  return {
    description: 'A decimal number in plain digits.',
    type: 'string',
    pattern: `^(?:0|${sign}${patterns.WRITTEN_AMOUNT})$`,
    not: TOO_MANY_DIGITS,
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** An object that always has all of its properties. */
function describeObject(
  title: string,
  { type, members }: Docblocks,
  properties: Definitions,
): JsonSchema {
  return {
    title,
    description: type,
    type: 'object',
    required: Object.keys(properties),
    properties: mapValues(properties, (schema, name) => ({
      title: titleOf(name),
      description: members.get(name),
      ...schema,
    })),
  };
}
