import { DEPOSIT_SAMPLE, type Sample, typeOf, WITHDRAWAL_SAMPLE } from '../shared/sample.js';
import { MAX_SEED, withdrawalSample, writeBody } from '../testing/bodies.js';
import { CommandError, EXIT } from './errors.js';
import {
  COMMON,
  helpOf,
  type List,
  list,
  readArguments,
  readCount,
  type Text,
  text,
} from './options.js';
import type { Terminal } from './terminal.js';

export const SAMPLE_OPTIONS: Record<'status' | 'seed', Text> &
  Record<'set' | 'add' | 'omit', List> = {
  status: text('STATUS', "set a withdrawal's status (COMPLETED, FAILED, BLOCKED)"),
  set: list('FIELD=VALUE', 'set a field to a value or null'),
  add: list('NAME=JSON', 'add a field unknown to this version'),
  omit: list('FIELD', 'leave a field out'),
  seed: text('N', 'make another event, with its own identifiers'),
};

export type SampleChanges = Partial<
  Record<'status' | 'seed', string> & Record<'set' | 'add' | 'omit', readonly string[]>
>;

const OPTIONS = { ...SAMPLE_OPTIONS, ...COMMON } as const;

export const SAMPLE_HELP: string = helpOf(
  'sample deposit|withdrawal',
  'Prints a sample body, encoded as the service sends it. Amounts and JSON are written digit for digit.',
  OPTIONS,
  'sample deposit --set actualDepositAmount=0.1 > body.json',
  'sample withdrawal --add networkFeeAmount=0.10 |\n    payment-notifications send - --to http://127.0.0.1:3000/0123456789abcdef',
);

export const SAMPLE_KINDS: readonly string[] = ['deposit', 'withdrawal'];

/** The two nested fields, which `--set` can change one by one. */
const OWNER_FIELD = /^txAddressOwner\.(name|category)$/;

export async function sample(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const [kind = ''] = positionals;
  if (!SAMPLE_KINDS.includes(kind) || positionals.length > 1) {
    throw new CommandError('sample: expected deposit or withdrawal');
  }
  terminal.print(`${makeSample(kind, values)}\n`);
  return EXIT.ok;
}

/** Returns the JSON text of a sample after changes. */
export function makeSample(kind: string, changes: SampleChanges): string {
  const { status, set = [], add = [], omit = [], seed } = changes;
  const fields: Sample = kind === 'deposit' ? DEPOSIT_SAMPLE : WITHDRAWAL_SAMPLE;
  const overrides: Record<string, unknown> = {};
  const put = (option: string, name: string, value: unknown): void => {
    const [, part] = OWNER_FIELD.exec(name) ?? [];
    if (part !== undefined && fields.txAddressOwner !== undefined) {
      const owner = overrides.txAddressOwner ?? fields.txAddressOwner;
      overrides.txAddressOwner = { ...owner, [part]: value };
    } else if (Object.hasOwn(fields, name)) overrides[name] = value;
    else throw new CommandError(`${option}: a ${kind} has no field "${name}"`);
  };
  if (status !== undefined && kind === 'deposit') {
    throw new CommandError(
      '--status: expected a withdrawal, received a deposit, which has only one status',
    );
  }
  for (const assignment of status === undefined ? set : [...set, `status=${status}`]) {
    const [name, value] = split('--set', 'FIELD=VALUE', assignment);
    // A time becomes a number, as the service sends it. It stays a string if it has another form,
    // which writeBody checks, or if a number would change it.
    const isTime = typeOf(fields, name)?.kind === 'timestamp';
    const isNumber = isTime && String(Number(value)) === value;
    put('--set', name, value === 'null' ? null : isNumber ? Number(value) : value);
  }
  for (const name of omit) put('--omit', name, undefined);
  const additions = add.map((assignment) => split('--add', 'NAME=JSON', assignment));
  const [known] = additions.find(([name]) => Object.hasOwn(fields, name)) ?? [];
  if (known !== undefined) {
    throw new CommandError(`--add: a ${kind} has a field "${known}". Use --set ${known}=VALUE`);
  }
  const base = kind === 'deposit' ? fields : withdrawalSample(overrides.status);
  try {
    const seeded = seed === undefined ? {} : { seed: readCount('--seed', seed, 0, MAX_SEED) };
    return writeBody(base, overrides, { additional: Object.fromEntries(additions), ...seeded });
  } catch (error) {
    // The message of writeBody says which value does not fit.
    throw new CommandError(Object(error).message);
  }
}

function split(option: string, form: string, assignment: string): [name: string, value: string] {
  const end = assignment.indexOf('=');
  if (end > 0) return [assignment.slice(0, end), assignment.slice(end + 1)];
  throw new CommandError(`${option}: expected ${form}, received "${assignment}"`);
}
