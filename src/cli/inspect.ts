import { readFileSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { NotificationError } from '../errors.js';
import { escapeUnprintable } from '../internal/issues.js';
import type { Notification } from '../notification.js';
import {
  type ParseResult,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parse.js';
import { type Inspection, inspectBody } from './inspection.js';
import { GAP, INDENT, table } from './table.js';
import { pad, paint, type Terminal, wrap } from './terminal.js';
import { EXIT, readArguments, UsageError, usageErrorOf } from './usage.js';

export const INSPECT_HELP = `payment-notifications inspect [FILE…]

Reads notification bodies from files, or one from standard input, and shows each
field as it came and as it was understood, with what a receiver may trip over. Of a
refused body it shows every fault.

  --as deposit|withdrawal  read it as what this endpoint receives; without it, the
                           body's identifier tells which notification it is
  --json                   one line of JSON for each body
  -h, --help
  -v, --version

Exit code: 0 if every body is valid, 1 if one is not, 2 for wrong usage.

Examples:

  payment-notifications inspect body.json
  payment-notifications inspect --as deposit refused/*.json
  pbpaste | payment-notifications inspect
  payment-notifications inspect --json body.json | jq .idempotencyKey
`;

type Parse = (body: unknown) => ParseResult<Notification>;

const PARSERS: ReadonlyMap<string | undefined, Parse> = new Map<string | undefined, Parse>([
  [undefined, safeParseNotification],
  ['deposit', safeParseDepositReceived],
  ['withdrawal', safeParseWithdrawalBroadcast],
]);

/** Standard input among the files. */
const STDIN = '-';

/** `payment-notifications inspect`. */
export async function inspect(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments({
    args,
    options: { as: { type: 'string' }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const parse = PARSERS.get(values.as);
  if (parse === undefined) {
    throw new UsageError(`--as: expected deposit or withdrawal, received "${values.as}"`);
  }
  let exit: number = EXIT.ok;
  for (const file of positionals.length === 0 ? [STDIN] : positionals) {
    const bytes = await read(file, terminal);
    const result = parse(bytes);
    if (!result.success) exit = EXIT.failed;
    const name = file === STDIN ? 'standard input' : file;
    terminal.print(
      values.json ? toJson(name, bytes, result) : toText(name, bytes, result, terminal),
    );
  }
  return exit;
}

async function read(file: string, { input, interrupt }: Terminal): Promise<Buffer> {
  if (file === STDIN) return buffer(addAbortSignal(interrupt, input));
  try {
    return readFileSync(file);
  } catch (error) {
    throw usageErrorOf(error);
  }
}

function toJson(file: string, bytes: Buffer, result: ParseResult<Notification>): string {
  if (!result.success) return `${JSON.stringify({ file, valid: false, error: result.error })}\n`;
  const { fields, ...rest } = look(bytes, result.notification);
  // What is said to people is in `understood` as data.
  const data = fields?.map(({ said, ...field }) => field) ?? null;
  return `${JSON.stringify({ file, valid: true, ...rest, fields: data })}\n`;
}

function look(bytes: Buffer, notification: Notification): Inspection {
  return inspectBody(bytes.toString('utf8'), notification);
}

function toText(
  file: string,
  bytes: Buffer,
  result: ParseResult<Notification>,
  terminal: Terminal,
): string {
  const lines = result.success
    ? notificationLines(file, look(bytes, result.notification), terminal)
    : refusalLines(file, result.error, terminal);
  return `${lines.join('\n')}\n`;
}

function notificationLines(file: string, inspection: Inspection, terminal: Terminal): string[] {
  const { type, idempotencyKey, fields, absent } = inspection;
  const name = paint(terminal, 'bold', escapeUnprintable(file));
  return [
    `${paint(terminal, 'green', '✓')} ${name}: valid, ${type}`,
    '',
    ...(fields === null
      ? [`${INDENT}nested too deeply to show its fields`]
      : table(fields, terminal)),
    '',
    ...labelled('not sent', absent.length === 0 ? 'nothing' : absent.join(', '), terminal),
    ...labelled('idempotency key', idempotencyKey, terminal),
    '',
  ];
}

function refusalLines(file: string, error: NotificationError, terminal: Terminal): string[] {
  const { notificationType, issues, reference } = error;
  const name = paint(terminal, 'bold', escapeUnprintable(file));
  const faults = issues.length === 1 ? '1 fault' : `${issues.length} faults`;
  return [
    `${paint(terminal, 'red', '✗')} ${name}: refused, ${notificationType ?? 'neither notification'}, ${faults}`,
    '',
    ...issues.flatMap(({ path, code, expected, received }) => [
      INDENT + paint(terminal, 'yellow', path.length === 0 ? 'body' : path.join('.')),
      ...indented(`${code}: expected ${expected}, received ${received}`, terminal),
    ]),
    '',
    ...Object.entries(reference).flatMap(([field, id]) => labelled(field, id, terminal)),
    ...(Object.keys(reference).length === 0 ? [] : ['']),
  ];
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
