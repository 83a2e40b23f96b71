import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { IssueCode } from '../errors.js';
import { MAX_BYTES } from '../internal/body.js';
import { escapeUnprintable, nameOfPath } from '../internal/issues.js';
import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parse.js';
import { InputError, inputErrorOf, nameOf, readLines, STDIN } from './input.js';
import { beside, CLEAR_LINE, paint, type Terminal, wrap } from './terminal.js';
import {
  COMMON,
  CommandError,
  EXIT,
  flag,
  formatBytes,
  formatCount,
  formatDuration,
  helpOf,
  printError,
  readArguments,
  readCount,
  readType,
  text,
} from './usage.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  show: { ...text('N', 'print the first N bodies with each fault or warning'), default: '0' },
  refused: text('FILE', 'write any lines without a valid body, up to 64 KiB each, to a new file'),
  json: flag('the report as one line of JSON'),
  ...COMMON,
} as const;

export const CHECK_HELP: string = `payment-notifications check [FILE…]

Reads archives of notification bodies, one body a line, plain or gzip, or
standard input: can this version read everything that you have kept? Counts
valid bodies, bodies with warnings and refused ones, and faults by code and
field, each with its first line.

${helpOf(OPTIONS)}

Exit code: 0 if every body is valid, 1 if one is refused, 2 for wrong usage or a
file that can't be read, 3 if the output can't be written, 130 for Ctrl-C.

Examples:

  payment-notifications check archive.ndjson
  payment-notifications check --show 3 --refused refused.ndjson 2026-*.ndjson.gz
`;

/** Bodies with the same issue in the same field. */
export interface Kind {
  readonly verdict: 'refused' | 'warnings';
  readonly code: IssueCode;
  /** The documented name, `txAddressOwner.name` e.g., or `body`. */
  readonly field: string;
  count: number;
  /** `archive.ndjson:2` e.g.: the file, and the line from 1. */
  readonly first: string;
  readonly examples: { readonly place: string; readonly body: string }[];
}

/** What was found in archives. */
interface CheckResult {
  readonly files: readonly string[];
  /** Those that could not be read, or not to their end. */
  readonly unread: readonly string[];
  /** As many as were read; of a gzip file, before it is unzipped. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly counts: Readonly<Record<'lines' | 'blank' | 'valid' | Kind['verdict'], number>>;
  readonly kinds: readonly Kind[];
}

const PARSERS = {
  'deposit.received': safeParseDepositReceived,
  'withdrawal.broadcast': safeParseWithdrawalBroadcast,
};

/** `payment-notifications check`. */
export async function check(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const files = positionals.length === 0 ? [STDIN] : positionals;
  const type = readType(values.as);
  const parse = type === undefined ? safeParseNotification : PARSERS[type];
  const show = readCount('--show', values.show, 0);
  if (values.refused !== undefined) write(values.refused, [], 'wx');
  const start = terminal.clock.now();
  let told = start;
  const counts = { lines: 0, blank: 0, valid: 0, warnings: 0, refused: 0 };
  const kinds = new Map<string, Kind>();
  const unread: string[] = [];
  let bytes = 0;

  /** Counts a line, and tells whether it is to be written aside. */
  const count = (body: Buffer, place: string): boolean => {
    counts.lines += 1;
    const { success, notification, error } = parse(body);
    if (!success && /^[ \t\r]*$/.test(body.toString('latin1'))) {
      counts.blank += 1;
      return false;
    }
    const issues = success ? notification.warnings : error.issues;
    const verdict = success ? 'warnings' : 'refused';
    counts[issues.length === 0 ? 'valid' : verdict] += 1;
    for (const { code, path } of issues) {
      const field = nameOfPath(path);
      const id = `${verdict} ${code} ${field}`;
      const kind = kinds.get(id) ?? { verdict, code, field, count: 0, first: place, examples: [] };
      kinds.set(id, kind);
      kind.count += 1;
      if (kind.examples.length < show) kind.examples.push({ place, body: `${body}` });
    }
    return !success && body.length <= MAX_BYTES;
  };

  for (const name of files) {
    const label = nameOf(name);
    let line = 0;
    try {
      for await (const lines of readLines(name, terminal, (read) => (bytes += read))) {
        const before = line;
        line += lines.length;
        const aside = lines.filter((body, i) => count(body, `${label}:${before + i + 1}`));
        if (values.refused !== undefined) write(values.refused, aside, 'a');
        if (!terminal.watched || terminal.clock.now() < told + INTERVAL_MS) continue;
        told = terminal.clock.now();
        terminal.warn(`${CLEAR_LINE}${formatCount(counts.lines)} lines, ${formatBytes(bytes)}`);
      }
    } catch (error) {
      if (terminal.watched) terminal.warn(CLEAR_LINE);
      if (terminal.interrupt.aborted) break;
      // The other files can still be read.
      if (!(error instanceof InputError)) throw error;
      printError(terminal, error.message);
      unread.push(name);
    }
  }
  if (terminal.watched) terminal.warn(CLEAR_LINE);
  // So that the command can be repeated.
  if (values.refused !== undefined && statSync(values.refused).size === 0) rmSync(values.refused);
  const { aborted: interrupted } = terminal.interrupt;
  const durationMs = terminal.clock.now() - start;
  const found = { bytes, durationMs, interrupted, counts, kinds: [...kinds.values()] };
  const result: CheckResult = { files: files.map(nameOf), unread: unread.map(nameOf), ...found };
  terminal.print(values.json ? `${JSON.stringify(result)}\n` : reportOf(result, terminal));
  if (interrupted) return EXIT.interrupted;
  if (unread.length > 0) return EXIT.usage;
  return counts.refused > 0 ? EXIT.failed : EXIT.ok;
}

/** Pause between two updates of the line that shows progress. */
const INTERVAL_MS = 200;

/** Writes refused lines to their file: with the flag wx to a new one. */
function write(file: string, lines: readonly Buffer[], flag: 'wx' | 'a'): void {
  try {
    writeFileSync(file, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])), {
      flag,
    });
  } catch (error) {
    const exit = flag === 'a' ? EXIT.output : EXIT.usage;
    const told = new CommandError(`--refused: ${inputErrorOf(file, error).message}`);
    throw Object.assign(told, { exit });
  }
}

/** The report for people. */
function reportOf(result: CheckResult, terminal: Terminal): string {
  const { files, unread, bytes, durationMs, interrupted, counts, kinds } = result;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const lineCount = `${formatCount(counts.lines)} ${counts.lines === 1 ? 'line' : 'lines'}`;
  const row = (count: number, label: string): string[] =>
    count === 0 ? [] : beside(`${formatCount(count).padStart(10)}  `, [label], terminal.columns);
  const summary =
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${lineCount}, ` +
    `${formatBytes(bytes)} in ${formatDuration(durationMs)}`;
  const lines = [
    ...wrap(summary, terminal.columns),
    ...unread.flatMap((file) => wrap(`not fully read: ${file}`, terminal.columns)),
    '',
    ...row(counts.valid, 'valid'),
    ...row(counts.warnings, 'valid, with warnings'),
    ...row(counts.refused, 'refused'),
    ...row(counts.blank, 'blank'),
    ...(kinds.length === 0 ? [] : ['', paint(terminal, 'red', 'faults and warnings')]),
    ...[...kinds]
      .sort((one, other) => other.count - one.count)
      .flatMap(({ verdict, code, field, count, first, examples }) => [
        ...row(count, `${verdict}: ${code} ${field}, first in ${first}`),
        // In one line each, so that they can be copied.
        ...examples.map((one) => `${one.place} ${escapeUnprintable(one.body.trim())}`),
      ]),
  ];
  return `${lines.join('\n')}\n`;
}
