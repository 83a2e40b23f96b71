// The parts of the pages that are generated from the rules and the docblocks, between marks:
//
//   <!-- fill: deposit -->
//   <!-- /fill -->
//
// A test fails if a page is stale. `npm run update` writes it again.
import { readFileSync } from 'node:fs';
import { DEPOSIT_RECEIVED } from '../../src/parser/deposit-received.js';
import type { NotificationType } from '../../src/parser/errors.js';
import type { FieldType, Rules } from '../../src/parser/rules.js';
import {
  NOT_COMPLETED,
  TX_ADDRESS_OWNER,
  WITHDRAWAL_BROADCAST,
} from '../../src/parser/withdrawal-broadcast.js';
import { readDocblocks } from './docblocks.js';

/** The kinds of values as `docs/fields.md` calls them. */
const KIND_NAMES: Record<FieldType<unknown>['kind'], string> = {
  text: 'text',
  id: 'UUID',
  amount: 'amount',
  timestamp: 'time',
  enum: '',
  address: 'address',
  object: 'object',
};
const NEEDS = {
  required: 'Required',
  requiredIfCompleted: 'Required if `COMPLETED`, otherwise expected',
  expected: 'Expected',
  optional: 'Optional',
};

/** What the pages say about a field. */
interface FieldMeaning {
  /** `UUID`, or the documented values, each in backquotes. */
  readonly kind: string;
  readonly need: keyof typeof NEEDS;
  /** The docblock, with code in backquotes. */
  readonly meaning: string;
}

/** By the field's name. */
type FieldMeanings = Readonly<Record<string, FieldMeaning>>;

const DEPOSIT = describeFields(
  DEPOSIT_RECEIVED,
  readDocblocks('deposit-received', 'DepositReceived'),
);
const WITHDRAWAL = describeFields(
  WITHDRAWAL_BROADCAST,
  // The status is not declared as one field.
  readDocblocks('withdrawal-broadcast', 'WithdrawalFields').set(
    'status',
    'How the withdrawal ended.',
  ),
  NOT_COMPLETED,
);
const OWNER = describeFields(
  TX_ADDRESS_OWNER,
  readDocblocks('withdrawal-broadcast', 'TxAddressOwner'),
);

const SAMPLE = new URL('../../fixtures/deposit-received/sample.json', import.meta.url);

const MARKED = /^<!-- fill: (\w+) -->\n.*?^<!-- \/fill -->$/gms;

/** The sources by the word in a mark. */
const TABLES: Readonly<Record<string, () => string>> = {
  sample: () => `\`\`\`json\n${readFileSync(SAMPLE, 'utf8')}\`\`\``,
  deposit: () => fieldLists(DEPOSIT),
  withdrawal: () => fieldLists(WITHDRAWAL),
  owner: () => fieldLists(OWNER),
  codes: codesList,
};

/** The text of a page, with what its sources give between its marks. */
export function withTables(text: string): string {
  return text.replace(MARKED, (_, word) => {
    const source = TABLES[word];
    if (source === undefined) throw new Error(`no source is called ${word}`);
    return `<!-- fill: ${word} -->\n\n${source()}\n\n<!-- /fill -->`;
  });
}

/** What the fields of a body mean, for the inspector. */
export function fieldMeanings(): Record<NotificationType, object> {
  const meaningsOf = (fields: FieldMeanings) =>
    Object.fromEntries(Object.entries(fields).map(([name, { meaning }]) => [name, meaning]));
  return {
    'deposit.received': meaningsOf(DEPOSIT),
    'withdrawal.broadcast': meaningsOf(WITHDRAWAL),
  };
}

/** Every code of an issue, with its docblock. */
function codesList(): string {
  const codes = [...readDocblocks('errors', 'IssueCode')];
  return codes.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n');
}

/** @param notCompleted - The rules that differ for a FAILED or BLOCKED withdrawal. */
function describeFields(
  rules: Rules,
  meanings: ReadonlyMap<string, string>,
  notCompleted: Rules = {},
): FieldMeanings {
  const fields = Object.entries(rules).map(([name, rule]): [string, FieldMeaning] => {
    const otherwise = notCompleted[name]?.need ?? rule.need;
    const need = otherwise === rule.need ? rule.need : 'requiredIfCompleted';
    return [name, { kind: nameOfKind(rule.type), need, meaning: `${meanings.get(name)}` }];
  });
  return Object.fromEntries(fields);
}

/** The fields, in a list for each need: on a telephone, a table is too wide. */
function fieldLists(fields: FieldMeanings): string {
  const lists = Object.entries(NEEDS).map(([need, heading]) => {
    const lines = Object.entries(fields)
      .filter(([, field]) => field.need === need)
      .map(([name, { kind, meaning }]) => `- \`${name}\`: *${kind}*. ${meaning}`);
    return lines.length === 0 ? [] : [`**${heading}**`, lines.join('\n')];
  });
  return lists.flat().join('\n\n');
}

function nameOfKind(type: FieldType<unknown>): string {
  if (type.kind === 'amount' && type.read(-1) !== null) return 'signed amount';
  if (type.values) return type.values.map((value) => `\`${value}\``).join(', ');
  return KIND_NAMES[type.kind];
}
