import type { NotificationIssue } from '../errors.js';
import { findBodiesAndBroken } from '../inspect/find-bodies.js';
import { type InspectedField, type Inspection, inspectBody } from '../inspect/index.js';
import type { JsonFault } from '../inspect/json-fault.js';
import { createRelations, isForReview, type Relation, withRelation } from '../inspect/relations.js';
import { MAX_BYTES } from '../internal/body.js';
import { issue, nameOfPath } from '../internal/issues.js';
import { escapeUnprintable } from '../internal/quote.js';
import { EXIT } from './errors.js';
import { readEach, readFile, STDIN } from './input.js';
import { COMMON, flag, helpOf, readArguments, readType, text } from './options.js';
import { beside, type Color, jsonLine, paint, type Terminal, widthOf, wrap } from './terminal.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  json: flag('print one line of JSON for each body'),
  ...COMMON,
} as const;

export const INSPECT_HELP: string = helpOf(
  'inspect [FILE…]',
  'Shows how a body is parsed: one from each file, or one from standard input. Also finds bodies in other text, such as a log. Explains faults, warnings, and values that are easy to misread. A page does the same in a browser, offline: open inspector.html in the folder of this package.',
  OPTIONS,
  'inspect body.json',
  'inspect --json body.json | jq .idempotencyKey',
);

export async function inspect(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const options = { as: readType(values.as) };
  const files = positionals.length === 0 ? [STDIN] : positionals;
  const unread: string[] = [];
  let exit: number = EXIT.ok;
  for await (const { label, body } of readEach(files, terminal, unread, readFile)) {
    const isTooLong = body.length > MAX_BYTES;
    const found = inspectBody(body, options);
    const inspection = isTooLong ? { ...found, issues: [TOO_LONG] } : found;
    // A program gets one line for each file.
    if (values.json) {
      terminal.print(jsonLine({ file: label, ...inspection }));
      if (inspection.verdict === 'refused') exit = EXIT.failed;
      continue;
    }
    const print = (name: string, shown: Inspection, relations: readonly Relation[] = []): void => {
      terminal.print(`${linesOf(name, shown, relations, terminal).join('\n')}\n`);
      if (shown.verdict === 'refused') exit = EXIT.failed;
    };
    // The first 64 KiB of a longer file have only some of its bodies.
    const isSearched = inspection.verdict === 'refused' && !isTooLong;
    const parts = isSearched ? findBodiesAndBroken(body.toString()) : [];
    const others = parts.filter(({ from }) => from !== 'whole');
    // JSON that has a body inside may be what was sent, so that its own faults count as well.
    const isText = inspection.issues[0]?.code === 'invalid_json';
    if (isText && others.length > 0) {
      const title = `${label}: has other text around the bodies below. As one body, it is refused.`;
      const lines = beside('! ', [title], terminal.columns, (text) =>
        paint(terminal, 'yellow', text),
      );
      terminal.print(`${lines.join('\n')}\n\n`);
    } else print(label, inspection);
    // All are related before the first is printed, because a later body may contradict it.
    const listed = others.map((part) => {
      const relations: readonly Relation[] = [];
      return { ...part, inspection: inspectBody(part.body, options), relations };
    });
    const relate = createRelations<(typeof listed)[number]>(
      (part) => part.inspection,
      (part, relation, replaced) => {
        part.relations = withRelation(part.relations, relation, replaced);
      },
    );
    for (const part of listed) relate(part, part.inspection);
    for (const { from, line, inspection: shown, relations } of listed) {
      const place = `${label}, ${from === 'escaped' ? 'escaped ' : ''}in line ${line}`;
      print(place, shown, relations);
    }
  }
  return unread.length > 0 ? EXIT.usage : exit;
}

/** The rest of the file is not read, so its size is unknown. */
const TOO_LONG = issue(
  'body_too_large',
  [],
  `at most ${MAX_BYTES} bytes`,
  'more. For an archive, use check; for a log, open inspector.html',
);

const MARKS = { valid: ['green', '✓'], warnings: ['yellow', '!'], refused: ['red', '✗'] } as const;

function linesOf(
  file: string,
  inspection: Inspection,
  relations: readonly Relation[],
  terminal: Terminal,
): string[] {
  const { summary, verdict, type, idempotencyKey, fields, absent } = inspection;
  const { warnings, issues, jsonFault, reference } = inspection;
  const [color, mark] = MARKS[isForReview(relations) ? 'warnings' : verdict];
  const related = relations.map(({ text }) => `, ${text}`).join('');
  const title = `${file}: ${verdict === 'refused' ? 'refused' : 'valid'}, ${type ?? 'unknown type'}${related}`;
  const isKnown = type !== null && fields.length > 0;
  const notSent: Row[] = isKnown ? [['not sent', absent.join(', ') || 'nothing']] : [];
  const ids: Row[] =
    idempotencyKey === null ? Object.entries(reference) : [['idempotency key', idempotencyKey]];
  const sections = [
    issueLines(issues, MARKS.refused, terminal),
    jsonFault === null ? [] : beside('   ', [placeOf(jsonFault)], terminal.columns),
    issueLines(warnings, MARKS.warnings, terminal),
    table(fields.map(rowOf), terminal),
    table([...notSent, ...ids], terminal),
  ];
  return [
    ...beside(`${mark} `, [title], terminal.columns, (text) => paint(terminal, color, text)),
    ...wrap(summary, terminal.columns - 2).map((line) => `  ${line}`),
    ...sections.filter(({ length }) => length > 0).flatMap((lines) => ['', ...lines]),
    '',
  ];
}

function issueLines(
  issues: readonly NotificationIssue[],
  [color, mark]: readonly [Color, string],
  terminal: Terminal,
): string[] {
  return issues.flatMap(({ path, code, expected, received }) => [
    ` ${paint(terminal, color, `${mark} ${nameOfPath(path)}`)}`,
    ...beside('   ', [`${code}: expected ${expected}, received ${received}`], terminal.columns),
  ]);
}

/** Describes a JSON syntax error in one line. */
function placeOf({ line, column, before, after }: JsonFault): string {
  return `not JSON at line ${line}, column ${column}: ${before}<here>${after}`;
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
  const parts = [raw, ...display(field)].join(' → ');
  const texts = [parts, ...quirks.map(({ note }) => `└ ${note}`)];
  return [escapeUnprintable(name), ...texts.map(escapeUnprintable)];
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
