import type { NotificationIssue } from '../errors.js';
import { type InspectedField, type Inspection, inspectBody } from '../inspect/index.js';
import type { JsonFault } from '../inspect/json-fault.js';
import { MAX_BYTES } from '../internal/body.js';
import { escapeUnprintable, issue, nameOfPath } from '../internal/issues.js';
import { InputError, nameOf, readFile, STDIN } from './input.js';
import { beside, type Colour, paint, type Terminal, widthOf } from './terminal.js';
import { COMMON, EXIT, flag, helpOf, printError, readArguments, readType, text } from './usage.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  json: flag('one line of JSON for each body'),
  ...COMMON,
} as const;

export const INSPECT_HELP: string = `payment-notifications inspect [FILE…]

Reads notification bodies, one from each file or one from standard input. Shows
each field, raw and parsed, with notes on values that are easy to misread, every
fault and warning, and where text stops being JSON.

${helpOf(OPTIONS)}

Exit code: 0 if every body is valid, 1 if one is refused, 2 for wrong usage or a
file that can't be read, 3 if the output can't be written, 130 for Ctrl-C.

Examples:

  payment-notifications inspect body.json
  payment-notifications inspect --as deposit refused/*.json
  payment-notifications inspect --json body.json | jq .idempotencyKey
`;

/** `payment-notifications inspect`. */
export async function inspect(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const options = { as: readType(values.as) };
  let exit: number = EXIT.ok;
  for (const file of positionals.length === 0 ? [STDIN] : positionals) {
    try {
      const bytes = await readFile(file, terminal);
      const found = inspectBody(bytes, options);
      const inspection = bytes.length > MAX_BYTES ? { ...found, issues: [TOO_LONG] } : found;
      terminal.print(
        values.json
          ? `${JSON.stringify({ file: nameOf(file), ...inspection })}\n`
          : `${linesOf(nameOf(file), inspection, terminal).join('\n')}\n`,
      );
      if (inspection.verdict === 'refused' && exit === EXIT.ok) exit = EXIT.failed;
    } catch (error) {
      // The other files can still be read.
      if (!(error instanceof InputError)) throw error;
      printError(terminal, error.message);
      exit = EXIT.usage;
    }
  }
  return exit;
}

/** The rest is unread, so its size is unknown. */
const TOO_LONG = issue('body_too_large', [], `at most ${MAX_BYTES} bytes`, 'more: see check');

const MARKS = { valid: ['green', '✓'], warnings: ['yellow', '!'], refused: ['red', '✗'] } as const;

function linesOf(file: string, inspection: Inspection, terminal: Terminal): string[] {
  const { verdict, type, idempotencyKey, fields, absent, warnings, issues, jsonFault, reference } =
    inspection;
  const [colour, mark] = MARKS[verdict];
  const title = `${file}: ${verdict === 'refused' ? 'refused' : 'valid'}, ${type ?? 'unknown type'}`;
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
    ...beside(`${mark} `, [title], terminal.columns, (text) => paint(terminal, colour, text)),
    ...sections.filter(({ length }) => length > 0).flatMap((lines) => ['', ...lines]),
    '',
  ];
}

function issueLines(
  issues: readonly NotificationIssue[],
  [colour, mark]: readonly [Colour, string],
  terminal: Terminal,
): string[] {
  return issues.flatMap(({ path, code, expected, received }) => [
    ` ${paint(terminal, colour, `${mark} ${nameOfPath(path)}`)}`,
    ...beside('   ', [`${code}: expected ${expected}, received ${received}`], terminal.columns),
  ]);
}

/** Where the text of a body breaks off, in one line. */
function placeOf({ line, column, before, after }: JsonFault): string {
  return `not JSON at line ${line}, column ${column}: ${before}<here>${after}`;
}

/** A label, and what stands beside it. */
type Row = readonly [label: string, ...texts: string[]];

function table(rows: readonly Row[], terminal: Terminal): string[] {
  const width = Math.max(...rows.map(([label]) => widthOf(label)));
  return rows.flatMap(([label, ...texts]) => {
    const start = ` ${label}${' '.repeat(width - widthOf(label))}  `;
    return beside(start, texts, terminal.columns, (text) => paint(terminal, 'cyan', text));
  });
}

/** A field as it came, then as it is understood, if that is something else, and its notes. */
function rowOf(field: InspectedField): Row {
  const { name, raw, quirks } = field;
  const parts = [raw, ...display(field)].join(' → ');
  const texts = [parts, ...quirks.map(({ note }) => `└ ${note}`)];
  return [escapeUnprintable(name), ...texts.map(escapeUnprintable)];
}

/** A parsed value for people; none if it is the same as the raw one. */
function display({ name, raw, parsed }: InspectedField): string[] {
  if (parsed === null) return [raw === 'null' || raw === '""' ? 'no value' : 'not read'];
  if (JSON.stringify(parsed) === raw) return [];
  if (typeof parsed !== 'object')
    return `${parsed}` === raw ? [] : [`${parsed}`.replace('.000Z', 'Z')];
  // In a deposit, both names are unknown, and may hold anything.
  if (name !== 'toTxAddress' && name !== 'txAddressOwner') return [];
  const parts = Object.entries(parsed).filter(
    ([key, value]) => key !== 'raw' && typeof value === 'string',
  );
  return [parts.map(([key, value]) => `${key} ${value}`).join(', ')];
}
