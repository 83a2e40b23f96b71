import { isAsSent, readValue, shorten } from '../inspect/display.js';
import type { InspectedField, Inspection } from '../inspect/index.js';
import type { JsonFault } from '../inspect/json-fault.js';
import type { NotificationIssue } from '../parser/errors.js';
import { nameOfPath } from '../parser/messages.js';
import type { Input } from './read-bodies.js';
import { beside, paint, SIGNS, type Terminal, widthOf, wrap } from './terminal.js';
import { timeOf } from './totals.js';

/** Maximum length of a name, in characters. `--json` shows all of it. */
const MAX_NAME = 80;

/** Explains one body: its sentence, faults and warnings, and each field as sent and as parsed. */
export function explain(
  { place, saved }: Pick<Input, 'place' | 'saved'>,
  inspection: Inspection,
  terminal: Terminal,
): string {
  const { summary, outcome, type, idempotencyKey, fields, absent } = inspection;
  const { warnings, issues, jsonFault, reference } = inspection;
  const [color, mark] = SIGNS[outcome];
  const title = `${place}: ${outcome}, ${type ?? 'unknown type'}`;
  const notSent: Row[] = absent.length > 0 ? [['not sent', absent.join(', ')]] : [];
  const ids: Row[] =
    idempotencyKey === null ? Object.entries(reference) : [['idempotency key', idempotencyKey]];
  const sections = [
    issueLines(issues, 'refused', terminal),
    jsonFault === null ? [] : beside('   ', textAround(jsonFault), terminal.columns),
    issueLines(warnings, 'check', terminal),
    table(fields.map(rowOf), terminal),
    table([...notSent, ...ids], terminal),
  ];
  const sentences = saved === null ? [summary] : [`Saved ${waitOf(saved)}`, summary];
  const lines = [
    ...beside(`${mark} `, [title], terminal.columns, (text) => paint(terminal, color, text)),
    ...sentences.flatMap((text) => wrap(text, terminal.columns - 2)).map((line) => `  ${line}`),
    ...sections.filter(({ length }) => length > 0).flatMap((section) => ['', ...section]),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Says since when a body has been waiting in a store, and why. */
export function waitOf({ since, reason }: NonNullable<Input['saved']>): string {
  const why = reason === null ? '' : `: ${shorten(reason)}`;
  return `${timeOf(since)}${why}`;
}

function issueLines(
  issues: readonly NotificationIssue[],
  outcome: 'refused' | 'check',
  terminal: Terminal,
): string[] {
  const [color, mark] = SIGNS[outcome];
  return issues.flatMap(({ path, code, expected, received }) => [
    ` ${paint(terminal, color, `${mark} ${nameOfPath(path)}`)}`,
    ...beside('   ', [`${code}: expected ${expected}, received ${received}`], terminal.columns),
  ]);
}

/** The line of an error and the text around it; nothing if that line is empty. */
function textAround({ line, before, after }: JsonFault): string[] {
  return before + after === '' ? [] : [`line ${line}: ${before}<here>${after}`];
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
  const read = readValue(field);
  const texts = isAsSent(raw, read) ? [] : [read.map((part) => part.join(' ').trim()).join(', ')];
  const parts = [raw, ...texts].map((text) => shorten(text)).join(' → ');
  return [shorten(name, MAX_NAME), parts, ...quirks.map(({ note }) => shorten(`└ ${note}`))];
}
