import { DepositStatus } from '../deposit-received.js';
import { withdrawalSample, writeBody } from '../testing/bodies.js';
import { DEPOSIT_SAMPLE, type Sample, WITHDRAWAL_SAMPLE } from '../wire/sample.js';
import { WithdrawalStatus } from '../withdrawal-broadcast.js';
import { readCount, suggest, UsageError, usageErrorOf } from './usage.js';

/** What the command line says about the body to send. */
export interface BodyArguments {
  readonly status?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly omit?: readonly string[] | undefined;
  readonly seed?: string | undefined;
}

/** One of the two bodies, by the word that the command line has for it. */
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

/** The body that `send` was asked for. */
export function readBody(
  operands: readonly string[],
  { status, set = [], omit = [], seed }: BodyArguments,
): string {
  const kind = readKind(operands);
  const overrides: Record<string, unknown> = {};
  const put = (name: string, value: unknown): void => {
    const [, part] = OWNER_FIELD.exec(name) ?? [];
    if (part !== undefined && kind.sample.txAddressOwner !== undefined) {
      const owner = overrides.txAddressOwner ?? JSON.parse(`${kind.sample.txAddressOwner.value}`);
      overrides.txAddressOwner = { ...owner, [part]: value };
    } else if (Object.hasOwn(kind.sample, name)) overrides[name] = value;
    else throw new UsageError(`a ${kind.word} has no field "${name}"${suggestField(kind, name)}`);
  };
  for (const assignment of status === undefined ? set : [...set, `status=${status}`]) {
    const mark = assignment.indexOf('=');
    if (mark === -1) throw new UsageError(`--set: expected FIELD=VALUE, received "${assignment}"`);
    const name = assignment.slice(0, mark);
    put(name, readValue(kind, name, assignment.slice(mark + 1)));
  }
  for (const name of omit) put(name, undefined);
  checkStatus(kind, overrides.status);
  const sample =
    kind.sample === DEPOSIT_SAMPLE ? DEPOSIT_SAMPLE : withdrawalSample(overrides.status);
  try {
    const seeded = seed === undefined ? {} : { seed: readCount('--seed', seed, 0) };
    return writeBody(sample, overrides, seeded);
  } catch (error) {
    // The kit's own words for a value that does not fit its field.
    throw usageErrorOf(error);
  }
}

function readKind(operands: readonly string[]): BodyKind {
  const [word, ...others] = operands;
  const kind = KINDS.find((candidate) => candidate.word === word);
  if (kind !== undefined && others.length === 0) return kind;
  const received = word === undefined ? 'nothing' : `"${operands.join(' ')}"`;
  throw new UsageError(`send: expected deposit or withdrawal, received ${received}`);
}

/** A value as the kit takes it; one that does not fit stays text, which the kit refuses. */
function readValue({ sample }: BodyKind, name: string, text: string): unknown {
  if (text === 'null') return null;
  return sample[name]?.as === 'time' && /^\d+$/.test(text) ? Number(text) : text;
}

function checkStatus({ word, statuses }: BodyKind, status: unknown): void {
  if (typeof status !== 'string' || statuses.includes(status)) return;
  throw new UsageError(`a ${word} has no status "${status}", only ${statuses.join(', ')}`);
}

/** The fields whose names hold the unknown one, or the one that is spelled most like it. */
function suggestField({ sample }: BodyKind, unknown: string): string {
  const names = Object.keys(sample);
  const part = unknown.toLowerCase();
  const found = part === '' ? [] : names.filter((name) => name.toLowerCase().includes(part));
  return found.length === 0
    ? suggest(unknown, names)
    : `: is it ${found.slice(0, 4).join(' or ')}?`;
}
