import { judgeBody } from '../inspect/judgement.js';
import {
  type DeliverOptions,
  type DeliveryAttempt,
  deliver,
  type RetryPolicy,
} from '../testing/deliver.js';
import { faultyBodies } from '../testing/faults.js';
import { bodyVariants } from '../testing/variants.js';
import { type Endpoint, fetchStart, NO_SERVER, readEndpoint } from './endpoint.js';
import { CommandError, EXIT } from './errors.js';
import {
  COMMON,
  flag,
  helpOf,
  list,
  readArguments,
  readCount,
  readDuration,
  text,
} from './options.js';
import { createReading, type Reading, readBodies } from './read-bodies.js';
import { redactPathIn, redactUrl } from './redact.js';
import { makeSample, SAMPLE_KINDS, SAMPLE_OPTIONS, type SampleChanges } from './sample.js';
import { causeOf, endOf, isRefused, linesOf, type SentBody, warningOf } from './send-report.js';
import { format, type Terminal } from './terminal.js';

const OPTIONS = {
  to: text('URL', 'post to this URL, which may contain USER:PASSWORD@'),
  header: list("'NAME: VALUE'", 'add a header, which is never printed'),
  ...SAMPLE_OPTIONS,
  variants: flag('send every encoding that a receiver must accept'),
  faulty: flag('then send every kind of faulty body'),
  copies: { ...text('N', 'send copies at the same time'), default: '1' },
  retry: flag('retry like a deposit: every 2 minutes for 24 hours'),
  every: text('DURATION', 'retry at this interval (implies --retry)'),
  for: text('DURATION', 'retry for this long (implies --retry)'),
  timeout: { ...text('DURATION', 'wait this long for an answer'), default: '30s' },
  ...COMMON,
} as const;

export const SEND_HELP: string = helpOf(
  'send deposit|withdrawal|FILE… --to URL',
  'Posts a sample body to your endpoint, or saved bodies unchanged: those that inspect finds in files, folders or standard input (-). Of several in one file, only failures are shown. A status from 200 to 299 counts as delivered.',
  OPTIONS,
  'send deposit --to http://127.0.0.1:3000/0123456789abcdef',
  'send callbacks \\\n    --to http://127.0.0.1:3000/0123456789abcdef',
);

/** Shown in place of an answer that may repeat a header in any form. */
const HIDDEN = '(not shown: it may repeat a header)';

export async function send(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const endpoint = readEndpoint(values.to, values.header);
  const copies = readCount('--copies', values.copies, 1);
  const retry = readRetry(values);
  const timeoutMs = readDuration('--timeout', values.timeout);
  const reading = createReading();
  const { bodies, total, faults } = chooseBodies(positionals, values, terminal, reading);

  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) terminal.print(lines.map((line) => `${line}\n`).join(''));
  };
  const post = createPost(endpoint, timeoutMs, terminal, print);

  const start = Date.now();
  print([`POST ${redactUrl(endpoint.url)}${retry === null ? '' : `, ${planOf(retry)}`}`]);
  let [begun, delivered, attempts] = [0, 0, 0];
  const keys = new Set<string | null>();
  for await (const sent of bodies) {
    begun += 1;
    const { judgement } = judgeBody(sent.body, null);
    if (!values.variants) print(warningOf(sent.label, judgement, terminal));
    const ended = await post(sent, { copies, retry });
    attempts += ended.length;
    delivered += ended.filter(({ success }) => success).length;
    // Two keys show that there are several events.
    if (keys.size < 2) keys.add(judgement.idempotencyKey);
    if (terminal.interrupt.aborted) break;
  }
  const accepted: SentBody[] = [];
  let refused = 0;
  for (const sent of faults) {
    if (terminal.interrupt.aborted) break;
    const [attempt] = await post(sent);
    if (attempt?.success) accepted.push(sent);
    else if (attempt && isRefused(attempt)) refused += 1;
  }

  const of = Math.max(total, begun) * copies;
  const [key = null] = keys.size === 1 ? keys : [];
  const { others, firstOther } = reading;
  const summary = {
    ...{ delivered, of, attempts, durationMs: Date.now() - start, idempotencyKey: key },
    ...{ faulty: { of: faults.length, refused }, others, firstOther },
  };
  print([...endOf(summary, terminal), ...causeOf(accepted, terminal)]);
  if (reading.unread.length > 0) return EXIT.usage;
  const isComplete = delivered === of && refused === faults.length;
  return isComplete && delivered > 0 ? EXIT.ok : EXIT.failed;
}

/** A sample with its variants and faulty versions, or the bodies of files. */
interface Bodies {
  readonly bodies: Iterable<SentBody> | AsyncIterable<SentBody>;
  /** The number of bodies; 0 for files, whose bodies are not counted in advance. */
  readonly total: number;
  readonly faults: readonly SentBody[];
}

function chooseBodies(
  operands: readonly string[],
  choice: SampleChanges & Partial<Record<'variants' | 'faulty', boolean>>,
  terminal: Terminal,
  reading: Reading,
): Bodies {
  const [kind = ''] = operands;
  if (SAMPLE_KINDS.includes(kind) && operands.length === 1) {
    const body = makeSample(kind, choice);
    const bodies = choice.variants ? bodyVariants(body) : [{ label: '', body }];
    return { bodies, total: bodies.length, faults: choice.faulty ? faultyBodies(body) : [] };
  }
  // Don't quote operands: a misplaced one may be a header or a URL with a password.
  if (kind === '' || operands.some((one) => SAMPLE_KINDS.includes(one) || one.includes('://'))) {
    throw new CommandError('send: expected deposit, withdrawal, or file names');
  }
  const ofSamples = [...Object.keys(SAMPLE_OPTIONS), 'variants', 'faulty'];
  const useless = Object.keys(choice).find((name) => ofSamples.includes(name));
  if (useless !== undefined) throw new CommandError(`--${useless}: can't be used with files`);
  return { bodies: savedBodies(operands, terminal, reading), total: 0, faults: [] };
}

async function* savedBodies(
  paths: readonly string[],
  terminal: Terminal,
  reading: Reading,
): AsyncGenerator<SentBody> {
  for await (const inputs of readBodies(paths, terminal, reading)) {
    for (const { place, body, isFile } of inputs) yield { label: place, body, isPart: !isFile };
  }
}

/** Reads the options for retries; null if there are none. */
function readRetry(
  values: Partial<Readonly<Record<'every' | 'for', string> & { retry: boolean }>>,
): RetryPolicy | null {
  const everyMs = readDuration('--every', values.every ?? '2m');
  const forMs = readDuration('--for', values.for ?? '24h');
  const isAsked = values.retry || values.every !== undefined || values.for !== undefined;
  return isAsked ? { everyMs, forMs } : null;
}

function planOf({ everyMs, forMs }: RetryPolicy): string {
  return `again every ${format.duration(everyMs)} for up to ${format.duration(forMs)}`;
}

/** Posts a body, and prints its attempts. */
type Post = (
  sent: SentBody,
  policy?: Pick<DeliverOptions, 'copies' | 'retry'>,
) => Promise<readonly DeliveryAttempt[]>;

function createPost(
  { url, headers }: Endpoint,
  timeoutMs: number,
  terminal: Terminal,
  print: (lines: readonly string[]) => void,
): Post {
  const signal = terminal.interrupt;
  const request = { url: url.href, headers, timeoutMs, fetch: fetchStart, signal };
  const isHidden = Object.keys(headers).length > 0;
  const redact = (attempt: DeliveryAttempt): DeliveryAttempt => {
    if (attempt.answer === null) return attempt;
    const { status, body } = attempt.answer;
    return { ...attempt, answer: { status, body: isHidden ? HIDDEN : redactPathIn(body, url) } };
  };
  // A server that doesn't run is reported once per attempt, not for every body and copy.
  let refusedAt = 0;
  return async (sent, policy) => {
    const onAttempt = (attempt: DeliveryAttempt): void => {
      const { number, error, success } = attempt;
      const isKnown = error === NO_SERVER && refusedAt === number;
      refusedAt = error === NO_SERVER ? number : 0;
      if (isKnown || (sent.isPart && success)) return;
      print(linesOf(sent, redact(attempt), terminal));
    };
    const { attempts } = await deliver(sent.body, { ...request, ...policy, onAttempt });
    return attempts;
  };
}
