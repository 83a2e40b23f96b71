import type { InspectedField, Inspection } from '../inspect/index.js';
import type { JsonFault } from '../inspect/json-fault.js';
import type { NotificationIssue } from '../parser/errors.js';
import { nameOfPath } from '../parser/messages.js';
import { beside, MARKS, paint, shorten, type Terminal, widthOf, wrap } from './terminal.js';

/** Maximum length of a value, in characters. `--json` shows all of it. */
const MAX_VALUE = 400;
const MAX_NAME = 80;

const WORDS = { good: 'good', review: 'for review', bad: 'refused' } as const;

/** Explains one body: its sentence, faults and warnings, and each field as sent and as parsed. */
export function explain(place: string, inspection: Inspection, terminal: Terminal): string {
  const { summary, outcome, type, idempotencyKey, fields, absent } = inspection;
  const { warnings, issues, jsonFault, reference } = inspection;
  const [color, mark] = MARKS[outcome];
  const title = `${place}: ${WORDS[outcome]}, ${type ?? 'unknown type'}`;
  const isKnown = type !== null && fields.length > 0;
  const notSent: Row[] = isKnown ? [['not sent', absent.join(', ') || 'nothing']] : [];
  const ids: Row[] =
    idempotencyKey === null ? Object.entries(reference) : [['idempotency key', idempotencyKey]];
  const sections = [
    issueLines(issues, 'bad', terminal),
    jsonFault === null ? [] : beside('   ', textAround(jsonFault), terminal.columns),
    issueLines(warnings, 'review', terminal),
    table(fields.map(rowOf), terminal),
    table([...notSent, ...ids], terminal),
  ];
  const lines = [
    ...beside(`${mark} `, [title], terminal.columns, (text) => paint(terminal, color, text)),
    ...wrap(summary, terminal.columns - 2).map((line) => `  ${line}`),
    ...sections.filter(({ length }) => length > 0).flatMap((section) => ['', ...section]),
  ];
  return `${lines.join('\n')}\n\n`;
}

function issueLines(
  issues: readonly NotificationIssue[],
  outcome: 'bad' | 'review',
  terminal: Terminal,
): string[] {
  const [color, mark] = MARKS[outcome];
  return issues.flatMap(({ path, code, expected, received }) => [
    ` ${paint(terminal, color, `${mark} ${nameOfPath(path)}`)}`,
    ...beside('   ', [`${code}: expected ${expected}, received ${received}`], terminal.columns),
  ]);
}

/** The text around an error, whose line and column its message says; none of an empty body. */
function textAround({ before, after }: JsonFault): string[] {
  return before + after === '' ? [] : [`in the text: ${before}<here>${after}`];
}

/** A label, and the texts next to it. */
type Row = readonly [label: string, ...texts: string[]];

function table(rows: readonly Row[], terminal: Terminal): string[] {
  const width = Math.max(...rows.map(([label]) => widthOf(label)));
  return rows.flatMap(([label, ...texts]) => {
    const start = ` ${label}${' '.repeat(width - widthOf(label))}  `;
    return beside(start, texts, terminal.columns, (text) => paint(terminal, 'cyan', text));
  });
}

/** A field's raw value, its parsed value if different, and its notes. */
function rowOf(field: InspectedField): Row {
  const { name, raw, quirks } = field;
  const parts = [raw, ...display(field)].map((text) => shorten(text, MAX_VALUE)).join(' → ');
  return [
    shorten(name, MAX_NAME),
    parts,
    ...quirks.map(({ note }) => shorten(`└ ${note}`, MAX_VALUE)),
  ];
}

/** A parsed value as text; empty if it is the same as the raw one. */
function display({ name, raw, parsed }: InspectedField): string[] {
  if (parsed === null) return [raw === 'null' || raw === '""' ? 'no value' : 'not read'];
  if (JSON.stringify(parsed) === raw) return [];
  if (typeof parsed !== 'object')
    return `${parsed}` === raw ? [] : [`${parsed}`.replace('.000Z', 'Z')];
  // A deposit documents neither field, so they may have any value there.
  if (name !== 'toTxAddress' && name !== 'txAddressOwner') return [];
  const parts = Object.entries(parsed).filter(
    ([key, value]) => key !== 'raw' && typeof value === 'string',
  );
  return [parts.map(([key, value]) => `${key} ${value}`).join(', ')];
}
