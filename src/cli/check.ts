import { rmSync, statSync, writeFileSync } from 'node:fs';
import { MAX_BYTES } from '../internal/body.js';
import { nameOfPath } from '../internal/issues.js';
import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parse.js';
import { type CheckResult, type Kind, reportOf } from './check-report.js';
import { CommandError, EXIT } from './errors.js';
import { type Input, isBlank, nameOf, readEach, readLines, STDIN } from './input.js';
import { COMMON, flag, helpOf, readArguments, readCount, readType, text } from './options.js';
import { format, jsonLine, showProgress, type Terminal } from './terminal.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  show: { ...text('N', 'print N bodies with each fault or warning'), default: '0' },
  refused: text('FILE', 'write refused lines of up to 64 KiB to a new file'),
  json: flag('print the report as one line of JSON'),
  ...COMMON,
} as const;

export const CHECK_HELP: string = helpOf(
  'check [FILE…]',
  "Finds saved bodies that this version can't parse. Reads archives with one body a line, plain or gzip, or standard input.",
  OPTIONS,
  'check archive.ndjson',
  'check --show 3 --refused refused.ndjson 2026-*.ndjson.gz',
);

const PARSERS = {
  'deposit.received': safeParseDepositReceived,
  'withdrawal.broadcast': safeParseWithdrawalBroadcast,
};

const NO_BODIES = 'There are no bodies to check.';
const NO_ARCHIVE =
  'Most lines are not bodies. check reads one body a line; inspect reads one body that spans lines.';

export async function check(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const files = positionals.length === 0 ? [STDIN] : positionals;
  const type = readType(values.as);
  const parse = type === undefined ? safeParseNotification : PARSERS[type];
  const show = readCount('--show', values.show, 0);
  if (values.refused !== undefined) write(values.refused, [], 'wx');
  const start = terminal.clock.now();
  const counts = { lines: 0, blank: 0, valid: 0, warnings: 0, refused: 0 };
  let unidentified = 0;
  const kinds = new Map<string, Kind>();
  const unread: string[] = [];
  let bytes = 0;

  // Returns whether to write the line to the --refused file.
  const count = (line: Input): boolean => {
    const { label, body } = line;
    counts.lines += 1;
    const { success, notification, error } = parse(body);
    if (!success && isBlank(line)) {
      counts.blank += 1;
      return false;
    }
    const issues = success ? notification.warnings : error.issues;
    const verdict = success ? 'warnings' : 'refused';
    counts[issues.length === 0 ? 'valid' : verdict] += 1;
    if (!success && Object.keys(error.reference).length === 0) unidentified += 1;
    for (const { code, path, message } of issues) {
      const field = nameOfPath(path);
      const id = `${verdict} ${code} ${field}`;
      const own = { verdict, code, field, count: 0, first: label, message } as const;
      const kind = kinds.get(id) ?? { ...own, examples: [] };
      kinds.set(id, kind);
      kind.count += 1;
      if (kind.examples.length < show) kind.examples.push({ place: label, body: `${body}` });
    }
    return !success && body.length <= MAX_BYTES;
  };

  const progress = showProgress(terminal);
  const read = (file: string) => readLines(file, terminal, (count) => (bytes += count));
  for await (const lines of readEach(files, terminal, unread, read)) {
    const aside = lines.filter(count);
    if (values.refused !== undefined) write(values.refused, aside, 'a');
    progress(`${format.count(counts.lines)} lines, ${format.bytes(bytes)}`);
  }
  progress('');
  // Remove an empty file: it would stop the same command from running again.
  if (values.refused !== undefined && statSync(values.refused).size === 0) rmSync(values.refused);
  const bodies = counts.lines - counts.blank;
  const hint = bodies === 0 ? NO_BODIES : unidentified > bodies / 2 ? NO_ARCHIVE : null;
  const result: CheckResult = {
    ...{ files: files.map(nameOf), unread, bytes, durationMs: terminal.clock.now() - start },
    ...{ interrupted: terminal.interrupt.aborted, counts, hint, kinds: [...kinds.values()] },
  };
  terminal.print(values.json ? jsonLine(result) : reportOf(result, terminal));
  if (unread.length > 0) return EXIT.usage;
  return counts.refused > 0 || bodies === 0 ? EXIT.failed : EXIT.ok;
}

/** Writes lines to the --refused file. The flag wx creates it, and fails if it exists. */
function write(file: string, lines: readonly Input[], flag: 'wx' | 'a'): void {
  const newline = Buffer.from('\n');
  try {
    writeFileSync(file, Buffer.concat(lines.flatMap(({ body }) => [body, newline])), { flag });
  } catch (error) {
    const failed = new CommandError(`--refused: ${nameOf(file)}: ${Object(error).message}`);
    throw Object.assign(failed, { exit: flag === 'a' ? EXIT.output : EXIT.usage });
  }
}
