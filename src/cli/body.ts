import { DepositStatus } from '../deposit-received.js';
import type { IssueCode } from '../errors.js';
import { MAX_BYTES } from '../internal/body.js';
import { withdrawalSample, writeBody } from '../testing/bodies.js';
import { faultyBodies } from '../testing/faults.js';
import { bodyVariants } from '../testing/variants.js';
import { DEPOSIT_SAMPLE, type Sample, WITHDRAWAL_SAMPLE } from '../wire/sample.js';
import { WithdrawalStatus } from '../withdrawal-broadcast.js';
import { InputError, nameOf, readFile } from './input.js';
import { suggest } from './options.js';
import type { Terminal } from './terminal.js';
import { printError, readCount, UsageError, usageErrorOf } from './usage.js';

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

/** A body that can be made. */
interface BodyKind {
  readonly word: string;
  readonly sample: Sample;
  readonly statuses: readonly string[];
}

const KINDS: readonly BodyKind[] = [
  { word: 'deposit', sample: DEPOSIT_SAMPLE, statuses: Object.keys(DepositStatus) },
  { word: 'withdrawal', sample: WITHDRAWAL_SAMPLE, statuses: Object.keys(WithdrawalStatus) },
];

/** The owner's two fields are set one by one. */
const OWNER_FIELD = /^txAddressOwner\.(name|category)$/;

/** The bodies that `send` was asked for, and a faulty one of each kind; of files, those that can be read. */
export async function readBodies(
  operands: readonly string[],
  making: Making,
  terminal: Terminal,
): Promise<{ readonly bodies: readonly SentBody[]; readonly faults: readonly SentBody[] }> {
  const kind = KINDS.find(({ word }) => operands.includes(word));
  if (kind !== undefined && operands.length === 1) {
    const body = makeBody(kind, making);
    const bodies = making.variants ? bodyVariants(body) : [{ label: '', body }];
    return { bodies, faults: making.faulty ? faultyBodies(body) : [] };
  }
  if (kind !== undefined || operands.length === 0) {
    const received = kind === undefined ? 'nothing' : `"${operands.join(' ')}"`;
    throw new UsageError(`send: expected deposit, withdrawal or files, received ${received}`);
  }
  const { status, set, omit, seed, variants, faulty } = making;
  const given = Object.entries({ status, set, omit, seed, variants, faulty });
  const [useless] = given.find(([, value]) => value !== undefined) ?? [];
  if (useless !== undefined) {
    throw new UsageError(`--${useless} is for a deposit or withdrawal: files are sent as they are`);
  }
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
      const words = KINDS.map(({ word }) => word);
      printError(terminal, error.message + suggest(file, words));
    }
  }
  return bodies;
}

function makeBody(kind: BodyKind, { status, set = [], omit = [], seed }: Making): string {
  const { word, sample, statuses } = kind;
  const overrides: Record<string, unknown> = {};
  const put = (name: string, value: unknown): void => {
    const [, part] = OWNER_FIELD.exec(name) ?? [];
    if (part !== undefined && sample.txAddressOwner !== undefined) {
      const owner = overrides.txAddressOwner ?? JSON.parse(`${sample.txAddressOwner.value}`);
      overrides.txAddressOwner = { ...owner, [part]: value };
    } else if (Object.hasOwn(sample, name)) overrides[name] = value;
    else throw new UsageError(`a ${word} has no field "${name}"${suggestField(sample, name)}`);
  };
  for (const assignment of status === undefined ? set : [...set, `status=${status}`]) {
    const [name = '', ...value] = assignment.split('=');
    if (value.length === 0) {
      throw new UsageError(`--set: expected FIELD=VALUE, received "${assignment}"`);
    }
    const text = value.join('=');
    // An invalid time stays a string, which the kit refuses.
    const isTime = sample[name]?.as === 'time' && /^\d+$/.test(text);
    put(name, text === 'null' ? null : isTime ? Number(text) : text);
  }
  for (const name of omit) put(name, undefined);
  const { status: wanted } = overrides;
  if (typeof wanted === 'string' && !statuses.includes(wanted)) {
    throw new UsageError(`a ${word} has no status "${wanted}", only ${statuses.join(', ')}`);
  }
  try {
    const seeded = seed === undefined ? {} : { seed: readCount('--seed', seed, 0) };
    return writeBody(word === 'deposit' ? sample : withdrawalSample(wanted), overrides, seeded);
  } catch (error) {
    // The kit's own words for a value that does not fit its field.
    throw usageErrorOf(error);
  }
}

/** The fields whose names hold the unknown one, or the one that is spelled most like it. */
function suggestField(sample: Sample, unknown: string): string {
  const names = Object.keys(sample);
  const part = unknown.toLowerCase();
  const found = part === '' ? [] : names.filter((name) => name.toLowerCase().includes(part));
  return found.length === 0
    ? suggest(unknown, names)
    : `: is it ${found.slice(0, 4).join(' or ')}?`;
}
