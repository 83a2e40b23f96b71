// The lists of fields, from the package's JSON Schemas: a body's schemas say which fields are
// required, the schema of a notification says what they contain and mean.
import type { NotificationType } from '../../src/errors.js';
import { readDocblocks } from '../schemas/docblocks.js';
import { schemaFiles } from '../schemas/files.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly then?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The kind of each definition, as `docs/fields.md` calls it. */
const KINDS: Record<string, string> = {
  NonNegativeAmount: 'amount',
  Amount: 'signed amount',
  Timestamp: 'time',
  Uuid: 'UUID',
  TxAddress: 'address',
  TxAddressOwner: 'object',
};

/** On every notification, but in no body. */
const OWN_FIELDS = ['type', 'additionalFields', 'warnings'];

const notification = readSchema('notification');

/** What the pages say about a field. */
interface FieldMeaning {
  /** `UUID`, or the documented values, each in backquotes. */
  readonly kind: string;
  readonly need: 'Required' | 'Expected' | 'Optional';
  /** The docblock, with code in backquotes. */
  readonly meaning: string;
}

/** By the field's name. */
export type FieldMeanings = Readonly<Record<string, FieldMeaning>>;

export function depositFields(): string {
  return fieldLists(depositMeanings());
}

export function withdrawalFields(): string {
  return fieldLists(withdrawalMeanings());
}

export function ownerFields(): string {
  return fieldLists(ownerMeanings());
}

/**
 * The fields of a body as the inspector explains them, with each spelling and each part of a name.
 */
export function fieldMeanings(): Record<NotificationType, FieldMeanings> {
  const withdrawal = withdrawalMeanings();
  const owner = Object.entries(ownerMeanings()).map(([name, meaning]) => [
    `txAddressOwner.${name}`,
    meaning,
  ]);
  const { deductedSettlementAmount: deducted } = withdrawal;
  if (deducted === undefined) throw new Error('deductedSettlementAmount has no meaning');
  return {
    'deposit.received': depositMeanings(),
    'withdrawal.broadcast': {
      ...withdrawal,
      deducedSettlementAmount: deducted,
      ...Object.fromEntries(owner),
    },
  };
}

function depositMeanings(): FieldMeanings {
  return meaningsOf(
    'DepositReceived',
    readSchema('deposit-received.accepted'),
    readSchema('deposit-received'),
  );
}

function withdrawalMeanings(): FieldMeanings {
  return meaningsOf(
    'WithdrawalBroadcast',
    readSchema('withdrawal-broadcast.accepted'),
    readSchema('withdrawal-broadcast'),
  );
}

function ownerMeanings(): FieldMeanings {
  const documented = readSchema('withdrawal-broadcast').properties?.txAddressOwner ?? {};
  return meaningsOf('TxAddressOwner', {}, documented);
}

/**
 * @param accepted - The schema of a body that the parser reads. It requires what is required.
 * @param documented - The schema of a body that gives no warning. It also requires what is
 * expected.
 */
function meaningsOf(type: string, accepted: Schema, documented: Schema): FieldMeanings {
  const { properties = {} } = notification.$defs?.[type] ?? {};
  const fields = Object.entries(properties).filter(([name]) => !OWN_FIELDS.includes(name));
  if (fields.length === 0) throw new Error(`no field of ${type} is in notification.schema.json`);
  const meanings = fields.map(([name, schema]): [string, FieldMeaning] => {
    const isConditional = accepted.then?.required?.includes(name);
    const kind = `${kindOf(schema)}${isConditional ? ', required if `COMPLETED`' : ''}`;
    const isExpected = documented.required?.includes(name);
    const otherwise = isExpected ? 'Expected' : 'Optional';
    const need = accepted.required?.includes(name) ? 'Required' : otherwise;
    return [name, { kind, need, meaning: `${schema.description}` }];
  });
  return Object.fromEntries(meanings);
}

/** The fields, in a list for each need: on a telephone, a table is too wide. */
function fieldLists(meanings: FieldMeanings): string {
  const lists = ['Required', 'Expected', 'Optional'].map((need) => {
    const lines = Object.entries(meanings)
      .filter(([, field]) => field.need === need)
      .map(([name, { kind, meaning }]) => `- \`${name}\`: *${kind}*. ${meaning}`);
    return lines.length === 0 ? [] : [`**${need}**`, lines.join('\n')];
  });
  return lists.flat().join('\n\n');
}

function kindOf({ $ref, enum: values, anyOf, type }: Schema): string {
  if (anyOf?.[0] !== undefined) return kindOf(anyOf[0]);
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  const definition = $ref?.replace('#/$defs/', '');
  const kind = definition === undefined ? 'text' : KINDS[definition];
  if (kind === undefined || (definition === undefined && ![type].flat().includes('string'))) {
    throw new Error(`a field is ${definition ?? type}: what is its kind called?`);
  }
  return kind;
}

function readSchema(name: string): Schema {
  const [, text = ''] = schemaFiles().find(([file]) => file === `${name}.schema.json`) ?? [];
  return JSON.parse(text);
}

/** Every code of an issue, with its docblock. */
export function codesList(): string {
  const codes = [...readDocblocks('errors', 'IssueCode').members];
  return codes.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n');
}
