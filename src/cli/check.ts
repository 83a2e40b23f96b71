import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { CHUNK_BYTES, readLines } from './archive.js';
import { type CheckResult, reportOf } from './check-report.js';
import { randomSeeds } from './events.js';
import { createFindings } from './findings.js';
import { InputError, inputErrorOf, nameOf, openInput, STDIN } from './input.js';
import { createKeyTable } from './key-table.js';
import { createProgress } from './progress.js';
import type { Tally, TallyOptions } from './tally.js';
import type { Terminal } from './terminal.js';
import { type Crew, createCrew } from './threads.js';
import {
  CommandError,
  EXIT,
  printError,
  readArguments,
  readCount,
  readType,
  UsageError,
} from './usage.js';

export const CHECK_HELP = `payment-notifications check [FILE…]

Reads archives of notification bodies, one JSON text a line, plain or gzip, or standard
input, and reports how this version reads them: how many are valid, have warnings or
are refused; the same by fault and field, with the first line of each; how many are
redeliveries; and which events came with different amounts, currencies or accounts.

  --as deposit|withdrawal  read them as what this endpoint receives; without it, each
                           body's identifier tells which notification it is
  --show N                 print the first N bodies of each kind
  --refused FILE           write the refused lines, and those that are not a JSON
                           object, to a new file, except lines over 64 KiB; without
                           any there is no file
  --keys N                 remember at most N idempotency keys, in 60 bytes each
                           (2000000); the report says how many were not remembered
  --json                   one line of JSON
  -h, --help
  -v, --version

Exit code: 0 if every body is valid and no two contradict each other, 1 if not or if
some could not be compared (--keys), 2 for wrong usage or a file that can't be read, 3
if the output can't be written, 130 for Ctrl-C.

Examples:

  payment-notifications check archive.ndjson
  payment-notifications check --show 3 2026-*.ndjson.gz
  payment-notifications check --refused refused.ndjson archive.ndjson
  zcat 2026-*.gz | payment-notifications check --json | jq .counts
`;

const OPTIONS = {
  as: { type: 'string' },
  show: { type: 'string', default: '0' },
  refused: { type: 'string' },
  keys: { type: 'string', default: '2000000' },
  json: { type: 'boolean', default: false },
} as const;

/** Parts of an archive that are read or wait to be read, for each thread. */
const PARTS_AHEAD = 2;
/** How many conflicts are listed. */
const LISTED = { text: 10, json: 1000 } as const;

/** `payment-notifications check`. */
export async function check(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments({ args, options: OPTIONS, allowPositionals: true });
  const files = positionals.length === 0 ? [STDIN] : positionals;
  const options: TallyOptions = {
    as: readType(values.as),
    show: readCount('--show', values.show, 0),
    keepRefused: values.refused !== undefined,
    seeds: randomSeeds(),
  };
  const limit = readCount('--keys', values.keys, 0);
  const keys = createKeyTable(limit, values.json ? LISTED.json : LISTED.text);
  const findings = createFindings(options.show, keys);
  const refused = values.refused === undefined ? null : await create(values.refused);
  const crew = createCrew(options, terminal.threads, terminal.startThread);
  const { clock } = terminal;
  const start = clock.now();
  const progress = createProgress(terminal, await sizeOf(files));
  const unread: string[] = [];
  const spare: ArrayBuffer[] = [];
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
  };
  try {
    for (const [file, name] of files.entries()) {
      try {
        const parts = readFile(name, terminal, onBytes, spare);
        for await (const tally of inOrder(parts, crew, terminal.threads * PARTS_AHEAD)) {
          findings.add(tally, file);
          spare.push(tally.memory);
          await refused?.append(tally.refused);
          progress.update(bytes, findings.counts.lines);
        }
      } catch (error) {
        if (terminal.interrupt.aborted) break;
        // The other files can still be read.
        if (!(error instanceof InputError)) throw error;
        progress.end();
        printError(terminal, error.message);
        unread.push(name);
      }
    }
  } finally {
    progress.end();
    crew.dismiss();
    await refused?.close();
  }
  const { counts, kinds } = findings;
  const result: CheckResult = {
    files: files.map(nameOf),
    unread: unread.map(nameOf),
    bytes,
    durationMs: clock.now() - start,
    interrupted: terminal.interrupt.aborted,
    counts,
    kinds,
    keys: keys.summary(),
  };
  terminal.print(values.json ? `${JSON.stringify(result)}\n` : reportOf(result, terminal));
  if (result.interrupted) return EXIT.interrupted;
  if (unread.length > 0) return EXIT.usage;
  const { conflicting, unremembered } = result.keys;
  return counts.refused + counts.noBody + conflicting + unremembered > 0 ? EXIT.failed : EXIT.ok;
}

/** A file that lines are written to. */
interface Output {
  append(lines: Uint8Array): Promise<void>;
  /** Deletes the file if it is empty, so that the command can be run again as it is. */
  close(): Promise<void>;
}

/** A new file: what is there already, the archive itself e.g., is not written over. */
async function create(file: string): Promise<Output> {
  const reasonOf = (error: unknown): string => `--refused: ${inputErrorOf(file, error).message}`;
  let handle: FileHandle;
  try {
    handle = await open(file, 'wx');
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
  let isEmpty = true;
  return {
    async append(lines) {
      if (lines.length === 0) return;
      isEmpty = false;
      try {
        // Not `write`, which may write less.
        await handle.writeFile(lines);
      } catch (error) {
        // Only a process can have too little room: npm run test:package.
        /* v8 ignore next */
        throw new CommandError(reasonOf(error), EXIT.output);
      }
    },
    async close() {
      await handle.close();
      if (isEmpty) await rm(file, { force: true });
    },
  };
}

/** The size of all files; null if one of them has none, as standard input. */
async function sizeOf(files: readonly string[]): Promise<number | null> {
  let sum = 0;
  for (const file of files) {
    if (file === STDIN) return null;
    const stats = await stat(file).catch(() => null);
    if (stats === null || !stats.isFile()) return null;
    sum += stats.size;
  }
  return sum;
}

async function* readFile(
  file: string,
  terminal: Terminal,
  onBytes: (count: number) => void,
  spare: ArrayBuffer[],
): AsyncGenerator<Uint8Array> {
  try {
    yield* readLines(openInput(file, terminal, CHUNK_BYTES / 4), onBytes, spare);
  } catch (error) {
    throw inputErrorOf(file, error);
  }
}

/** What is found in parts of a file, of which several are read at once, in their order. */
async function* inOrder(
  parts: AsyncIterable<Uint8Array>,
  crew: Crew,
  ahead: number,
): AsyncGenerator<Tally> {
  const tallies: Promise<Tally>[] = [];
  let failure: unknown = null;
  try {
    for await (const part of parts) {
      const tally = crew.tally(part);
      // Its failure is thrown where it is awaited, below. Until then, Node.js must not take it for unhandled.
      tally.catch(() => {});
      tallies.push(tally);
      const next = tallies.length < ahead ? undefined : tallies.shift();
      if (next !== undefined) yield await next;
    }
  } catch (error) {
    failure = error;
  }
  // What was read before the file broke counts.
  for (const tally of tallies) yield await tally;
  if (failure !== null) throw failure;
}
