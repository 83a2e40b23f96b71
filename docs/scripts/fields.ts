// The tables of fields, from the package's JSON Schemas: a body's schemas say which fields are required, the
// schema of a notification says what they hold and mean.
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
const HEAD = '| field | kind, need, type and meaning |\n| --- | --- |';

/** How a value of each definition is called on the wire, and its type in the notification. */
const KINDS: Record<string, readonly [kind: string, type: string]> = {
  NonNegativeAmount: ['amount ≥ 0', 'Decimal'],
  Amount: ['amount', 'Decimal'],
  Timestamp: ['time', 'Date'],
  Uuid: ['UUID', 'string'],
  TxAddress: ['address', 'TxAddress'],
  TxAddressOwner: ['object', 'TxAddressOwner'],
};

/** On every notification, but in no body. */
const OWN_FIELDS = ['type', 'additionalFields', 'warnings'];

const notification = readSchema('notification');

export function depositTable(): string {
  return fieldTable(
    'DepositReceived',
    readSchema('deposit-received.accepted'),
    readSchema('deposit-received'),
  );
}

export function withdrawalTable(): string {
  return fieldTable(
    'WithdrawalBroadcast',
    readSchema('withdrawal-broadcast.accepted'),
    readSchema('withdrawal-broadcast'),
  );
}

export function ownerTable(): string {
  const documented = readSchema('withdrawal-broadcast').properties?.txAddressOwner ?? {};
  return fieldTable('TxAddressOwner', {}, documented);
}

/**
 * The fields of a notification.
 *
 * @param name - Of its definition.
 * @param accepted - The schema of a body that is read: it requires what is required.
 * @param documented - The schema of one that is read without a warning: what else it requires is expected.
 */
function fieldTable(name: string, accepted: Schema, documented: Schema): string {
  const { properties = {} } = notification.$defs?.[name] ?? {};
  const rows = Object.entries(properties).filter(([field]) => !OWN_FIELDS.includes(field));
  if (rows.length === 0) throw new Error(`no field of ${name} is in notification.schema.json`);
  return [
    HEAD,
    ...rows.map(([field, schema]) => {
      const [kind, type] = kindOf(schema);
      const isNullable = schema.anyOf !== undefined || Array.isArray(schema.type);
      const orNull = `\`${type} \\| null\``;
      const isExpected = documented.required?.includes(field);
      const need = accepted.required?.includes(field)
        ? 'required'
        : isExpected
          ? 'expected'
          : 'optional';
      const summary = accepted.then?.required?.includes(field)
        ? `${kind}, of a \`COMPLETED\` withdrawal **required**, \`${type}\`; of any other **${need}**, ${orNull}`
        : `${kind}, **${need}**, ${isNullable ? orNull : `\`${type}\``}`;
      // Two columns: with more, the meaning is out of sight on most screens.
      return `| \`${field}\` | ${summary}<br>${schema.description} |`;
    }),
  ].join('\n');
}

function kindOf({
  $ref,
  enum: values,
  anyOf,
  type,
}: Schema): readonly [kind: string, type: string] {
  if (anyOf?.[0] !== undefined) return kindOf(anyOf[0]);
  if (values !== undefined) {
    const types = values.map((value) => `'${value}'`);
    return [values.map((value) => `\`${value}\``).join(', '), types.join(' \\| ')];
  }
  const definition = $ref?.replace('#/$defs/', '');
  const kind = definition === undefined ? (['text', 'string'] as const) : KINDS[definition];
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
export function codesTable(): string {
  const text = readFileSync(new URL('src/errors.ts', ROOT), 'utf8');
  const [, union = ''] = /^export type IssueCode =\n(.*?);$/ms.exec(text) ?? [];
  const members = [...union.matchAll(/\/\*\* (.*?) \*\/\s+\| '(\w+)'/gs)];
  if (members.length === 0 || members.length !== union.match(/^ {2}\| /gm)?.length) {
    throw new Error('a code of an issue has no docblock');
  }
  const rows = members.map(([, meaning, code]) => `| \`${code}\` | ${meaning} |`);
  return ['| code | meaning |\n| --- | --- |', ...rows].join('\n');
}
