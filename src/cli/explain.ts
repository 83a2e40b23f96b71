import { displayValue, formatTime, isAsSent, shorten } from '../inspect/display.js';
import type { InspectedField, Inspection } from '../inspect/index.js';
import { nameOfPath } from '../parser/messages.js';
import type { Input } from './read-bodies.js';
import { marked } from './terminal.js';

/** Maximum length of a name, in characters. `--json` shows all of it. */
const MAX_NAME = 80;
/** Names are padded to the length of the longest documented one. */
const WIDTH = 35;

/** Explains one body: its sentence, faults and warnings, and each field as sent and as parsed. */
export function explainBody(
  { place, saved }: Pick<Input, 'place' | 'saved'>,
  inspection: Inspection,
): string {
  const { summary, outcome, type, idempotencyKey, fields, absent } = inspection;
  const { warnings, issues, jsonFault, reference } = inspection;
  const fault = `  line ${jsonFault?.line}: ${jsonFault?.before}<here>${jsonFault?.after}\n`;
  const ids =
    idempotencyKey === null ? Object.entries(reference) : [['idempotency key', idempotencyKey]];
  const sections = [
    issues.map((issue) => `  ${marked('refused', issueLine(issue))}`),
    jsonFault === null || jsonFault.before + jsonFault.after === '' ? [] : [fault],
    warnings.map((issue) => `  ${marked('check', issueLine(issue))}`),
    fields.flatMap(linesOf),
    absent.length === 0 ? [] : [fieldRow('not sent', absent.join(', '))],
    ids.map(([name = '', value = '']) => fieldRow(name, value)),
  ];
  return [
    marked(outcome, `${place}: ${outcome}, ${type ?? 'unknown type'}`),
    saved === null ? '' : `  ${saved.since ? 'Saved' : 'Reason:'} ${waitOf(saved)}\n`,
    `  ${summary}\n`,
    ...sections.filter((lines) => lines.length > 0).map((lines) => `\n${lines.join('')}`),
  ].join('');
}

/** Says since when a body has been saved, and why, as far as that is known. */
export function waitOf({ since, reason }: NonNullable<Input['saved']>): string {
  const time = since ? [formatTime(since.toISOString().replace(/\.\d+/, ''))] : [];
  return [...time, ...(reason === null ? [] : [shorten(reason)])].join(': ');
}

function issueLine({ path, code, expected, received }: Inspection['issues'][number]): string {
  return `${nameOfPath(path)}: ${code}: expected ${expected}, received ${received}`;
}

function fieldRow(name: string, text: string): string {
  return `  ${name.padEnd(WIDTH)}  ${text}\n`;
}

/** A field's raw value, its parsed value if different, and its notes. */
function linesOf(field: InspectedField): string[] {
  const { name, raw, quirks } = field;
  const read = displayValue(field);
  const texts = isAsSent(raw, read) ? [] : [read.map((part) => part.join(' ').trim()).join(', ')];
  const shown = [raw, ...texts].map((text) => shorten(text)).join(' → ');
  const notes = quirks.map(({ note }) => fieldRow('', `└ ${shorten(note)}`));
  return [fieldRow(shorten(name, MAX_NAME), shown), ...notes];
}
