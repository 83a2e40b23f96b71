import type { IssueCode } from '../errors.js';
import { faultyBodies } from '../testing/faults.js';
import { bodyVariants } from '../testing/variants.js';
import { CommandError } from './errors.js';
import { isBlank, readEach, readFile, readLines } from './input.js';
import { makeSample, SAMPLE_KINDS, SAMPLE_OPTIONS, type SampleChanges } from './sample.js';
import type { Terminal } from './terminal.js';

export interface SentBody {
  /** Identifies the body in the output; empty if it is the only one. */
  readonly label: string;
  readonly body: string | Uint8Array;
  /** The code that a faulty body should be refused with. */
  readonly code?: IssueCode;
}

/** A sample with its variants and faulty versions, files, or the lines of archives. */
interface Bodies {
  readonly bodies: Iterable<SentBody> | AsyncIterable<SentBody>;
  /** The number of bodies; 0 for archives, whose lines are not counted in advance. */
  readonly total: number;
  readonly faults: readonly SentBody[];
}

type Choice = SampleChanges & Partial<Record<'lines' | 'variants' | 'faulty', boolean>>;

/** @param unread - Gets the names of files that can't be read. */
export function readBodies(
  operands: readonly string[],
  choice: Choice,
  terminal: Terminal,
  unread: string[],
): Bodies {
  const [kind = ''] = operands;
  if (SAMPLE_KINDS.includes(kind) && operands.length === 1 && !choice.lines) {
    const body = makeSample(kind, choice);
    const bodies = choice.variants ? bodyVariants(body) : [{ label: '', body }];
    return { bodies, total: bodies.length, faults: choice.faulty ? faultyBodies(body) : [] };
  }
  // Don't quote operands: a misplaced one may be a header or a URL with a password.
  if (kind === '' || operands.some((one) => SAMPLE_KINDS.includes(one) || one.includes('://'))) {
    const expected = choice.lines ? 'file names for --lines' : 'deposit, withdrawal, or file names';
    throw new CommandError(`send: expected ${expected}`);
  }
  const ofSamples = [...Object.keys(SAMPLE_OPTIONS), 'variants', 'faulty'];
  const useless = Object.keys(choice).find((name) => ofSamples.includes(name));
  if (useless !== undefined) throw new CommandError(`--${useless}: can't be used with files`);
  const bodies = choice.lines
    ? withoutBlank(readEach(operands, terminal, unread, readLines))
    : readEach(operands, terminal, unread, readFile);
  return { bodies, total: choice.lines ? 0 : operands.length, faults: [] };
}

async function* withoutBlank(batches: ReturnType<typeof readLines>): AsyncGenerator<SentBody> {
  for await (const lines of batches) yield* lines.filter((line) => !isBlank(line));
}
