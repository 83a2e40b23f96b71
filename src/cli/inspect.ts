import type { NotificationIssue } from '../errors.js';
import { type Inspection, inspectBody } from '../inspect/index.js';
import type { JsonFault } from '../inspect/json-fault.js';
import { MAX_BYTES } from '../internal/body.js';
import { issue, nameOfPath } from '../internal/issues.js';
import { InputError, nameOf, readFile, STDIN } from './input.js';
import { AS, COMMON, flag, helpOf, readArguments } from './options.js';
import { BELOW, GAP, INDENT, table } from './table.js';
import { fits, pad, paint, type Style, type Terminal, wrap } from './terminal.js';
import { EXIT, printError, readType } from './usage.js';

const OPTIONS = { ...AS, json: flag('one line of JSON for each body'), ...COMMON } as const;

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
  cat body.json | payment-notifications inspect
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
  const [style, mark] = MARKS[verdict];
  const facts = [
    verdict === 'refused' ? 'refused' : 'valid',
    type ?? 'unknown type',
    ...count(issues, 'fault'),
    ...count(warnings, 'warning'),
  ];
  const [title = '', ...more] = wrap(`${mark} ${file}: ${facts.join(', ')}`, terminal.columns);
  const isKnown = type !== null && fields.length > 0;
  const notSent: [string, string][] = isKnown ? [['not sent', absent.join(', ') || 'nothing']] : [];
  const ids: [string, string][] =
    idempotencyKey === null ? Object.entries(reference) : [['idempotency key', idempotencyKey]];
  return [
    paint(terminal, style, mark) + title.slice(mark.length),
    ...more,
    '',
    ...issueLines(issues, MARKS.refused, terminal),
    ...(jsonFault === null ? [] : [...indented(placeOf(jsonFault), terminal), '']),
    ...issueLines(warnings, MARKS.warnings, terminal),
    ...(fields.length === 0 ? [] : [...table(fields, terminal), '']),
    ...notSent.concat(ids).flatMap(([label, value]) => labelled(label, value, terminal)),
    ...(fields.length === 0 ? [] : ['']),
  ];
}

function count({ length }: readonly NotificationIssue[], noun: string): string[] {
  return length === 0 ? [] : [length === 1 ? `1 ${noun}` : `${length} ${noun}s`];
}

function issueLines(
  issues: readonly NotificationIssue[],
  [style, mark]: readonly [Style, string],
  terminal: Terminal,
): string[] {
  if (issues.length === 0) return [];
  const lines = issues.flatMap(({ path, code, expected, received }) => [
    INDENT + paint(terminal, style, `${mark} ${nameOfPath(path)}`),
    ...indented(`${code}: expected ${expected}, received ${received}`, terminal),
  ]);
  return [...lines, ''];
}

/** Where the text of a body breaks off, in one line. */
export function placeOf({ line, column, before, after }: JsonFault): string {
  return `not JSON at line ${line}, column ${column}: ${before}<here>${after}`;
}

/** Of the labels under the table. */
const LABEL_WIDTH = 'clientWithdrawalId'.length;

function labelled(label: string, value: string, terminal: Terminal): string[] {
  const room = terminal.columns - INDENT.length - LABEL_WIDTH - GAP.length;
  const [head, below] = [pad(label, LABEL_WIDTH), pad('', LABEL_WIDTH)].map((text) => {
    return INDENT + paint(terminal, 'cyan', text) + GAP;
  });
  if (!fits(value, room)) return [`${head}`.trimEnd(), ...indented(value, terminal)];
  return wrap(value, room).map((line, index) => (index === 0 ? head : below) + line);
}

function indented(text: string, { columns }: Terminal): string[] {
  return wrap(text, columns - BELOW.length).map((line) => BELOW + line);
}
