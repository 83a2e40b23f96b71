import { rmSync, statSync, writeFileSync } from 'node:fs';
import { MAX_BYTES } from '../internal/body.js';
import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parse.js';
import { type CheckResult, mostFrequent, reportOf } from './check-report.js';
import { createTally } from './check-tally.js';
import { CommandError, EXIT } from './errors.js';
import {
  filesIn,
  type Input,
  isFolder,
  nameOf,
  readEach,
  readLines,
  readOnlyBody,
  STDIN,
} from './input.js';
import { COMMON, flag, helpOf, readArguments, readCount, readType, text } from './options.js';
import { format, jsonLine, showProgress, type Terminal } from './terminal.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  show: { ...text('N', 'print N bodies with each fault or warning'), default: '0' },
  refused: text('FILE', 'write refused bodies of up to 64 KiB to a new file'),
  json: flag('print the report as one line of JSON'),
  ...COMMON,
} as const;

export const CHECK_HELP: string = helpOf(
  'check [FILE|FOLDER…]',
  "Finds saved bodies that this version can't parse. Reads files with one body, archives with one body a line, plain or gzip, all files in a folder, or an archive from standard input. Counts the fields that this version doesn't know.",
  OPTIONS,
  'check callbacks',
  'check --show 3 --refused refused.ndjson 2026-*.ndjson.gz',
);

const PARSERS = {
  'deposit.received': safeParseDepositReceived,
  'withdrawal.broadcast': safeParseWithdrawalBroadcast,
};

const NO_BODIES = 'There are no bodies to check.';
const NO_ARCHIVE =
  'Most of these are not bodies. check reads one body from a file, or one from each line.';

/** How many names of unknown fields are listed. */
const MAX_UNKNOWN = 20;

export async function check(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const files = positionals.length === 0 ? [STDIN] : positionals;
  const type = readType(values.as);
  const parse = type === undefined ? safeParseNotification : PARSERS[type];
  const tally = createTally(parse, readCount('--show', values.show, 0));
  const { counts } = tally;
  if (values.refused !== undefined) write(values.refused, [], 'wx');
  const start = terminal.clock.now();
  const unread: string[] = [];
  let bytes = 0;

  const progress = showProgress(terminal);
  const onBytes = (count: number) => {
    bytes += count;
  };
  for await (const batch of readAll(files, terminal, unread, onBytes)) {
    const refused = batch.filter(tally.add);
    if (values.refused !== undefined) write(values.refused, refused, 'a');
    progress(`${format.count(counts.bodies)} bodies, ${format.bytes(bytes)}`);
  }
  progress('');
  // Remove an empty file: it would stop the same command from running again.
  if (values.refused !== undefined && statSync(values.refused).size === 0) rmSync(values.refused);
  const isNoArchive = tally.unidentified() > counts.bodies / 2;
  const result: CheckResult = {
    files: files.map(nameOf),
    unread,
    bytes,
    durationMs: terminal.clock.now() - start,
    interrupted: terminal.interrupt.aborted,
    counts,
    hint: counts.bodies === 0 ? NO_BODIES : isNoArchive ? NO_ARCHIVE : null,
    kinds: [...tally.kinds.values()],
    unknownFields: mostFrequent(tally.unknownFields.values()).slice(0, MAX_UNKNOWN),
  };
  terminal.print(values.json ? jsonLine(result) : reportOf(result, terminal));
  if (unread.length > 0) return EXIT.usage;
  return counts.refused > 0 || counts.bodies === 0 ? EXIT.failed : EXIT.ok;
}

/** Reads bodies in batches from files, archives and the files in folders. */
function readAll(
  paths: readonly string[],
  terminal: Terminal,
  unread: string[],
  onBytes: (count: number) => void,
): AsyncGenerator<Input[]> {
  return readEach(paths, terminal, unread, async function* (path) {
    if (isFolder(path)) {
      yield* readAll(filesIn(path), terminal, unread, onBytes);
      return;
    }
    const only = readOnlyBody(path);
    if (only === null) {
      yield* readLines(path, terminal, onBytes);
      return;
    }
    onBytes(only.body.length);
    yield [only];
  });
}

/**
 * Writes bodies of up to 64 KiB to the --refused file. The flag wx creates it, and fails if it
 * exists.
 */
function write(file: string, inputs: readonly Input[], flag: 'wx' | 'a'): void {
  const lines = inputs.filter(({ body }) => body.length <= MAX_BYTES).map(lineOf);
  try {
    writeFileSync(file, Buffer.concat(lines), { flag });
  } catch (error) {
    const failed = new CommandError(`--refused: ${nameOf(file)}: ${Object(error).message}`);
    throw Object.assign(failed, { exit: flag === 'a' ? EXIT.output : EXIT.usage });
  }
}

/** In JSON, a line break between two values is the same as a space. */
function lineOf({ body }: Input): Buffer {
  return Buffer.from(`${body.toString('latin1').replaceAll('\n', ' ')}\n`, 'latin1');
}
