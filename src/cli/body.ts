import type { IssueCode } from '../errors.js';
import { MAX_BYTES } from '../internal/body.js';
import { withdrawalSample, writeBody } from '../testing/bodies.js';
import { faultyBodies } from '../testing/faults.js';
import { bodyVariants } from '../testing/variants.js';
import { DEPOSIT_SAMPLE, encodingOf, type Sample, WITHDRAWAL_SAMPLE } from '../wire/sample.js';
import { InputError, nameOf, readFile } from './input.js';
import type { Terminal } from './terminal.js';
import { CommandError, printError, readCount, usageErrorOf } from './usage.js';

/** A body that is sent. */
export interface SentBody {
  /** Tells it from the others; empty if it is the only one. */
  readonly label: string;
  readonly body: string | Uint8Array;
  /** The code that a faulty body must be refused for. */
  readonly code?: IssueCode;
}

/** The options that say which body to make. */
interface Making {
  readonly status?: string;
  readonly set?: readonly string[];
  readonly omit?: readonly string[];
  readonly seed?: string;
  readonly variants?: boolean;
  readonly faulty?: boolean;
}

/** The bodies that can be made. */
const WORDS: readonly (readonly [word: string, sample: Sample])[] = [
  ['deposit', DEPOSIT_SAMPLE],
  ['withdrawal', WITHDRAWAL_SAMPLE],
];

/** The bodies that `send` was asked for, and a faulty one of each kind; of files, those that can be read. */
export async function readBodies(
  operands: readonly string[],
  making: Making,
  terminal: Terminal,
): Promise<{ readonly bodies: readonly SentBody[]; readonly faults: readonly SentBody[] }> {
  const [word, sample] = WORDS.find(([known]) => operands.includes(known)) ?? [];
  if (sample !== undefined && operands.length === 1) {
    const body = makeBody(`${word}`, sample, making);
    const bodies = making.variants ? bodyVariants(body) : [{ label: '', body }];
    return { bodies, faults: making.faulty ? faultyBodies(body) : [] };
  }
  // Operands are not repeated: one may be a header or an address with a password, in the wrong place.
  if (word !== undefined || operands.length === 0 || operands.some((one) => one.includes('://'))) {
    throw new CommandError('send: expected deposit, withdrawal, or names of files');
  }
  const { status, set, omit, seed, variants, faulty } = making;
  const given = Object.entries({ status, set, omit, seed, variants, faulty });
  const [useless] = given.find(([, value]) => value !== undefined) ?? [];
  if (useless !== undefined) throw new CommandError(`--${useless}: files are sent as they are`);
  return { bodies: await readFiles(operands, terminal), faults: [] };
}

async function readFiles(files: readonly string[], terminal: Terminal): Promise<SentBody[]> {
  const bodies: SentBody[] = [];
  for (const file of files) {
    try {
      const body = await readFile(file, terminal);
      if (body.length > MAX_BYTES) {
        throw new InputError(`${nameOf(file)}: more than ${MAX_BYTES} bytes: not a body`);
      }
      bodies.push({ label: nameOf(file), body });
    } catch (error) {
      // The other files can still be sent.
      if (!(error instanceof InputError)) throw error;
      printError(terminal, error.message);
    }
  }
  return bodies;
}

function makeBody(
  word: string,
  sample: Sample,
  { status, set = [], omit = [], seed }: Making,
): string {
  const overrides: Record<string, unknown> = {};
  const put = (name: string, value: unknown): void => {
    if (!Object.hasOwn(sample, name)) throw new CommandError(`a ${word} has no field "${name}"`);
    overrides[name] = value;
  };
  for (const assignment of status === undefined ? set : [...set, `status=${status}`]) {
    const [name = '', ...value] = assignment.split('=');
    if (value.length === 0) {
      throw new CommandError(`--set: expected FIELD=VALUE, received "${assignment}"`);
    }
    const text = value.join('=');
    // An invalid time stays a string, which the kit refuses.
    const isTime = encodingOf(sample, name) === 'time' && /^\d+$/.test(text);
    put(name, text === 'null' ? null : isTime ? Number(text) : text);
  }
  for (const name of omit) put(name, undefined);
  try {
    const seeded = seed === undefined ? {} : { seed: readCount('--seed', seed, 0) };
    const isDeposit = sample === DEPOSIT_SAMPLE;
    return writeBody(isDeposit ? sample : withdrawalSample(overrides.status), overrides, seeded);
  } catch (error) {
    // The kit's own words for a value that does not fit its field.
    throw usageErrorOf(error);
  }
}
