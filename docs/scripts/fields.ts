// The lists of fields, from the package's JSON Schemas: a body's schemas say which fields are required, the
// schema of a notification says what they contain and mean.
import { readFileSync } from 'node:fs';
import { schemaFiles } from '../../scripts/schemas/files.js';

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

const ROOT = new URL('../../', import.meta.url);

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

export function depositFields(): string {
  return fieldLists(
    'DepositReceived',
    readSchema('deposit-received.accepted'),
    readSchema('deposit-received'),
  );
}

export function withdrawalFields(): string {
  return fieldLists(
    'WithdrawalBroadcast',
    readSchema('withdrawal-broadcast.accepted'),
    readSchema('withdrawal-broadcast'),
  );
}

export function ownerFields(): string {
  const documented = readSchema('withdrawal-broadcast').properties?.txAddressOwner ?? {};
  return fieldLists('TxAddressOwner', {}, documented);
}

/**
 * The fields of a notification, in a list for each need: on a telephone, a table is too wide.
 *
 * @param accepted - The schema of a body that the parser reads. It requires what is required.
 * @param documented - The schema of a body that gives no warning. It also requires what is expected.
 */
function fieldLists(name: string, accepted: Schema, documented: Schema): string {
  const { properties = {} } = notification.$defs?.[name] ?? {};
  const fields = Object.entries(properties).filter(([field]) => !OWN_FIELDS.includes(field));
  if (fields.length === 0) throw new Error(`no field of ${name} is in notification.schema.json`);
  const needOf = (field: string) => {
    if (accepted.required?.includes(field)) return 'Required';
    return documented.required?.includes(field) ? 'Expected' : 'Optional';
  };
  const lists = ['Required', 'Expected', 'Optional'].map((need) => {
    const lines = fields
      .filter(([field]) => needOf(field) === need)
      .map(([field, schema]) => {
        const isConditional = accepted.then?.required?.includes(field);
        const kind = `${kindOf(schema)}${isConditional ? ', required if `COMPLETED`' : ''}`;
        return `- \`${field}\`: *${kind}*. ${schema.description}`;
      });
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
  const text = readFileSync(new URL('src/errors.ts', ROOT), 'utf8');
  const [, union = ''] = /^export type IssueCode =\n(.*?);$/ms.exec(text) ?? [];
  const members = [...union.matchAll(/\/\*\* (.*?) \*\/\s+\| '(\w+)'/gs)];
  if (members.length === 0 || members.length !== union.match(/^ {2}\| /gm)?.length) {
    throw new Error('a code of an issue has no docblock');
  }
  return members.map(([, meaning, code]) => `- \`${code}\`: ${meaning}`).join('\n');
}
