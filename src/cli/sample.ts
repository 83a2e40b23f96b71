import { WithdrawalStatus } from '../parser/enums.js';
import { quote } from '../parser/messages.js';
import { MAX_SEED, withdrawalSample, writeBody } from '../testing/bodies.js';
import { DEPOSIT_SAMPLE, type Sample, typeOf, WITHDRAWAL_SAMPLE } from '../testing/sample.js';
import { COMMON, LIST, readArguments, readCount, STRING } from './options.js';
import { CommandError, EXIT, type Terminal } from './terminal.js';

export const SAMPLE_OPTIONS: { set: typeof LIST; seed: typeof STRING; status: typeof STRING } = {
  set: LIST,
  seed: STRING,
  status: STRING,
};

export interface SampleChanges {
  readonly set?: readonly string[] | undefined;
  readonly seed?: string | undefined;
  readonly status?: string | undefined;
}

export const SAMPLE_HELP = `payment-notifications sample deposit|withdrawal

Prints a sample webhook, encoded as the service sends it. Amounts keep all of
their digits.

  --set NAME=VALUE  set a field to a value or null (repeatable)
  --seed N          make another event, with its own identifiers
  --status STATUS   set a withdrawal's status: COMPLETED, FAILED or BLOCKED

Examples:

  payment-notifications sample deposit --set actualDepositAmount=0.1 > body.json
  payment-notifications sample withdrawal --status FAILED |
    payment-notifications inspect
`;

export const SAMPLE_KINDS: readonly string[] = ['deposit', 'withdrawal'];

export async function sample(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, { ...SAMPLE_OPTIONS, ...COMMON });
  const [kind = ''] = positionals;
  if (!SAMPLE_KINDS.includes(kind) || positionals.length > 1) {
    throw new CommandError('sample: expected deposit or withdrawal');
  }
  terminal.print(`${makeSample(kind, values)}\n`);
  return EXIT.ok;
}

/** Returns the JSON text of a sample after changes. */
export function makeSample(kind: string, { set = [], seed, status }: SampleChanges): string {
  const isDeposit = kind === 'deposit';
  if (status !== undefined && isDeposit) {
    throw new CommandError('--status: expected a withdrawal, received a deposit');
  }
  if (status !== undefined && !Object.hasOwn(WithdrawalStatus, status)) {
    const expected = Object.keys(WithdrawalStatus).join(', ');
    throw new CommandError(`--status: expected one of ${expected}, received ${quote(status)}`);
  }
  const fields: Sample = isDeposit ? DEPOSIT_SAMPLE : WITHDRAWAL_SAMPLE;
  const overrides: Record<string, unknown> = {};
  for (const assignment of status === undefined ? set : [...set, `status=${status}`]) {
    // Don't quote anything else: it may be a misplaced header.
    const [, name = '', text = ''] = /^([\w.]+)=(.*)$/s.exec(assignment) ?? [];
    if (name === '') throw new CommandError('--set: expected NAME=VALUE, such as network=BITCOIN');
    if (!Object.hasOwn(fields, name)) {
      throw new CommandError(`--set: expected a field of a ${kind}, received "${name}"`);
    }
    overrides[name] = text === 'null' ? null : wireValue(fields, name, text);
  }
  const base = isDeposit ? fields : withdrawalSample(overrides.status);
  const seeded = seed === undefined ? {} : { seed: readCount('--seed', seed, 0, MAX_SEED) };
  try {
    return writeBody(base, overrides, seeded);
  } catch (error) {
    // The message of writeBody says which value does not fit.
    throw new CommandError(`--set ${Object(error).message}`);
  }
}

/**
 * A time becomes a number, as the service sends it. It stays text if it has another form, which
 * writeBody checks, or if a number would change it.
 */
function wireValue(fields: Sample, name: string, text: string): string | number {
  const isTime = typeOf(fields, name)?.kind === 'timestamp';
  return isTime && String(Number(text)) === text ? Number(text) : text;
}
