// The tables of fields: the rules say what a field may hold and what its absence costs, the interfaces what
// it means. Where the two contradict each other, this fails.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

/**
 * @typedef {object} Rule
 * @property {string} name
 * @property {'required' | 'expected' | 'optional'} need
 * @property {string} kind
 * @property {{ explain: (value: unknown) => { expected: string } }} type
 */

const SOURCE = new URL('../../src/', import.meta.url);
const TARGET = new URL('../generated/', import.meta.url);
const RULES = new URL('rules.js', TARGET);

/** A second spelling on the wire of a field that the notification has once. */
const SECOND_SPELLINGS = ['deducedSettlementAmount'];
/** What is not on the wire. */
const OWN_FIELDS = ['type', 'additionalFields', 'warnings'];

const KINDS = /** @type {Record<string, (rule: Rule) => string>} */ ({
  text: () => 'text',
  id: () => 'UUID',
  timestamp: () => 'time',
  address: () => 'address',
  object: () => 'object',
  enum: ({ type }) => type.explain('').expected.replaceAll('"', '`').replaceAll(' or ', ', '),
});

export async function writeFields() {
  mkdirSync(TARGET, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL('rules.ts', import.meta.url))],
    outfile: fileURLToPath(RULES),
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // decimal.js and valibot are the package's own, not the site's.
    alias: Object.fromEntries(
      ['decimal.js', 'valibot'].map((name) => [name, resolveFromSource(name)]),
    ),
    logLevel: 'warning',
  });
  const rules = await import(`${RULES.href}?${Date.now()}`);
  const members = readMembers();
  write('deposit-received.md', 'deposit', rules, rules.DEPOSIT_RECEIVED_FIELDS, members.deposit);
  write(
    'withdrawal-broadcast.md',
    'withdrawal',
    rules,
    rules.WITHDRAWAL_BROADCAST_FIELDS,
    members.withdrawal,
    { rules: rules.NOT_COMPLETED_WITHDRAWAL_FIELDS, members: members.notCompleted },
  );
  write('address-owner.md', 'owner', rules, rules.TX_ADDRESS_OWNER_FIELDS, members.owner);
}

/** Every code of an issue, with its docblock. */
export function writeCodes() {
  const text = readFileSync(new URL('errors.ts', SOURCE), 'utf8');
  const [, union = ''] = /^export type IssueCode =\n(.*?);$/ms.exec(text) ?? [];
  const members = [...union.matchAll(/\/\*\* (.*?) \*\/\s+\| '(\w+)'/gs)];
  if (members.length === 0 || members.length !== union.match(/^ {2}\| /gm)?.length) {
    throw new Error('a code of an issue has no docblock');
  }
  const rows = members.map(([, meaning, code]) => `| \`${code}\` | ${meaning} |`);
  const head = '| code | meaning |\n| --- | --- |';
  writeFileSync(new URL('codes.md', TARGET), `${head}\n${rows.join('\n')}\n`);
}

/** @param {string} name */
function resolveFromSource(name) {
  return fileURLToPath(import.meta.resolve(name, SOURCE.href));
}

/**
 * @param {string} file
 * @param {string} prefix
 * @param {any} rules
 * @param {Record<string, Rule>} table
 * @param {Map<string, Member>} members
 * @param {{ rules: Record<string, Rule>, members: Map<string, Member> }} [notCompleted] What differs for a
 * withdrawal that was not sent.
 */
function write(file, prefix, { nonNegativeAmount }, table, members, notCompleted) {
  const wire = Object.values(table).filter(({ name }) => !SECOND_SPELLINGS.includes(name));
  const documented = [...members.keys()].filter((name) => !OWN_FIELDS.includes(name));
  const lonely = documented.filter((name) => !wire.some((rule) => rule.name === name));
  if (lonely.length > 0) throw new Error(`no rule for ${lonely.join(', ')}`);

  const rows = wire.map((rule) => {
    const { name, need, kind, type } = rule;
    const member = members.get(name);
    if (!member) throw new Error(`${name} has a rule, but is in no interface`);
    check(rule, member);
    const other = notCompleted?.rules[name];
    const otherMember = notCompleted?.members.get(name);
    if (otherMember) check(other ?? rule, otherMember);
    const sign = type === nonNegativeAmount ? ' ≥ 0' : '';
    const label = kind === 'amount' ? `amount${sign}` : KINDS[kind]?.(rule);
    if (!label) throw new Error(`${name}: what is a field of kind ${kind} called?`);
    const others = other
      ? `; if it was not sent: **${other.need}**, ${code(otherMember?.type ?? '')}`
      : '';
    // Two columns: with more, the meaning is out of sight on most screens.
    const summary = `${label}, **${need}**, ${code(member.type)}${others}`;
    return `| <a id="${prefix}-${name}"></a>\`${name}\` | ${summary}<br>${member.text} |`;
  });
  const head = '| field | kind, need, type and meaning |\n| --- | --- |';
  writeFileSync(new URL(file, TARGET), `${head}\n${rows.join('\n')}\n`);
}

/** @param {Rule} rule @param {Member} member */
function check({ name, need, kind }, { isNullable, type }) {
  // An owner that isn't there is an object without name and category.
  const mayBeNull = need !== 'required' && kind !== 'object';
  if (isNullable !== mayBeNull) throw new Error(`${name} is ${need}, but its type is ${type}`);
}

/** @param {string} text */
function code(text) {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** @typedef {{ type: string, isNullable: boolean, text: string }} Member */

/** The members of the interfaces, with their docblocks. */
function readMembers() {
  const file = (/** @type {string} */ name) => fileURLToPath(new URL(name, SOURCE));
  const files = ['deposit-received.ts', 'withdrawal-broadcast.ts'].map(file);
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  });
  const checker = program.getTypeChecker();

  /** @param {string} source @param {string} name @returns {Map<string, Member>} */
  const membersOf = (source, name) => {
    const node = program.getSourceFile(file(source));
    const found = node?.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
    );
    if (!found) throw new Error(`there is no interface ${name}`);
    const members = checker.getTypeAtLocation(found).getProperties();
    return new Map(
      members.map((symbol) => {
        const type = checker.getTypeOfSymbolAtLocation(symbol, found);
        const parts = type.isUnion() ? type.types : [type];
        const text = ts
          .displayPartsToString(symbol.getDocumentationComment(checker))
          .replace(/\s+/g, ' ');
        if (text === '') throw new Error(`${name}.${symbol.name} has no docblock`);
        const member = {
          type: checker.typeToString(type).replaceAll('"', "'"),
          isNullable: parts.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0),
          text,
        };
        return [symbol.name, member];
      }),
    );
  };
  const withdrawal = membersOf('withdrawal-broadcast.ts', 'WithdrawalCompleted');
  const status = withdrawal.get('status');
  if (status) {
    status.type = 'WithdrawalStatus';
    status.text = 'How the withdrawal ended: tells which member of the union it is.';
  }
  return {
    deposit: membersOf('deposit-received.ts', 'DepositReceived'),
    withdrawal,
    notCompleted: membersOf('withdrawal-broadcast.ts', 'WithdrawalFailed'),
    owner: membersOf('withdrawal-broadcast.ts', 'TxAddressOwner'),
  };
}
