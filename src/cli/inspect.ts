import type { NotificationIssue } from '../errors.js';
import { type Inspection, type InspectOptions, inspectBody } from '../inspect/inspect-body.js';
import { MAX_BYTES } from '../internal/body.js';
import { issue, nameOfPath } from '../internal/issues.js';
import { InputError, inputErrorOf, nameOf, openInput, STDIN } from './input.js';
import { GAP, INDENT, table } from './table.js';
import { pad, paint, type Style, type Terminal, wrap } from './terminal.js';
import { EXIT, printError, readArguments, readType } from './usage.js';

export const INSPECT_HELP = `payment-notifications inspect [FILE…]

Reads notification bodies, one from each file or one from standard input, and shows
each field, raw and parsed, with what a receiver may handle wrongly,
every warning, and every fault of a body that is refused.

  --as deposit|withdrawal  read it as what this endpoint receives; without it, the
                           body's identifier tells which notification it is
  --json                   one line of JSON for each body
  -h, --help
  -v, --version

Exit code: 0 if every body is valid, 1 if one is refused, 2 for wrong usage or a file
that can't be read, 3 if the output can't be written, 130 for Ctrl-C.

Examples:

  payment-notifications inspect body.json
  payment-notifications inspect --as deposit refused/*.json
  cat body.json | payment-notifications inspect
  payment-notifications inspect --json body.json | jq .idempotencyKey
`;

/** `payment-notifications inspect`. */
export async function inspect(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments({
    args,
    options: { as: { type: 'string' }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const options = { as: readType(values.as) };
  let exit: number = EXIT.ok;
  for (const file of positionals.length === 0 ? [STDIN] : positionals) {
    try {
      const inspection = await inspectFile(file, terminal, options);
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

async function inspectFile(
  file: string,
  terminal: Terminal,
  options: InspectOptions,
): Promise<Inspection> {
  const bytes = await readStart(file, terminal);
  const inspection = inspectBody(bytes, options);
  if (bytes.length <= MAX_BYTES) return inspection;
  // How much more there is was not read.
  const issues = [issue('body_too_large', [], `at most ${MAX_BYTES} bytes`, 'more')];
  return { ...inspection, issues };
}

/** The bytes of a file, or the first ones of a file that is too large for a body. */
async function readStart(file: string, terminal: Terminal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of openInput(file, terminal, MAX_BYTES)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BYTES) break;
    }
  } catch (error) {
    if (terminal.interrupt.aborted) throw error;
    throw inputErrorOf(file, error);
  }
  return Buffer.concat(chunks);
}

const MARKS = {
  valid: ['green', '✓'],
  warnings: ['yellow', '!'],
  refused: ['red', '✗'],
} as const;

function linesOf(file: string, inspection: Inspection, terminal: Terminal): string[] {
  const { verdict, type, idempotencyKey, fields, absent, warnings, issues, reference } = inspection;
  const [style, mark] = MARKS[verdict];
  const facts = [
    verdict === 'refused' ? 'refused' : 'valid',
    type ?? 'neither notification',
    ...count(issues, 'fault'),
    ...count(warnings, 'warning'),
  ];
  return [
    `${paint(terminal, style, mark)} ${paint(terminal, 'bold', file)}: ${facts.join(', ')}`,
    '',
    ...issueLines(issues, 'red', terminal),
    ...issueLines(warnings, 'yellow', terminal),
    ...(fields.length === 0 ? [] : [...table(fields, terminal), '']),
    ...(type === null || fields.length === 0
      ? []
      : labelled('not sent', absent.length === 0 ? 'nothing' : absent.join(', '), terminal)),
    ...(idempotencyKey === null
      ? Object.entries(reference).flatMap(([field, id]) => labelled(field, id, terminal))
      : labelled('idempotency key', idempotencyKey, terminal)),
    ...(fields.length === 0 ? [] : ['']),
  ];
}

function count({ length }: readonly NotificationIssue[], noun: string): string[] {
  return length === 0 ? [] : [length === 1 ? `1 ${noun}` : `${length} ${noun}s`];
}

function issueLines(
  issues: readonly NotificationIssue[],
  style: Style,
  terminal: Terminal,
): string[] {
  if (issues.length === 0) return [];
  const lines = issues.flatMap(({ path, code, expected, received }) => [
    INDENT + paint(terminal, style, nameOfPath(path)),
    ...indented(`${code}: expected ${expected}, received ${received}`, terminal),
  ]);
  return [...lines, ''];
}

/** Of the labels under the table. */
const LABEL_WIDTH = 'clientWithdrawalId'.length;

function labelled(label: string, value: string, terminal: Terminal): string[] {
  const columns = terminal.columns - INDENT.length - LABEL_WIDTH - GAP.length;
  return wrap(value, Math.max(columns, LABEL_WIDTH)).map((line, index) => {
    const head = pad(index === 0 ? label : '', LABEL_WIDTH);
    return `${INDENT}${paint(terminal, 'cyan', head)}${GAP}${line}`;
  });
}

function indented(text: string, { columns }: Terminal): string[] {
  const indent = INDENT + INDENT;
  return wrap(text, Math.max(columns - indent.length, LABEL_WIDTH)).map((line) => indent + line);
}
