import { inspectBody } from '../inspect/index.js';
import { MAX_BYTES } from '../internal/body.js';
import {
  type DeliverOptions,
  type DeliveryAttempt,
  deliver,
  type RetryPolicy,
} from '../testing/deliver.js';
import { type Endpoint, fetchStart, readEndpoint } from './endpoint.js';
import { EXIT, printError } from './errors.js';
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
import { redactPathIn, redactUrl } from './redact.js';
import { SAMPLE_OPTIONS } from './sample.js';
import { readBodies, type SentBody } from './send-bodies.js';
import { causeOf, endOf, isRefused, linesOf, type SendSummary, warningOf } from './send-report.js';
import { format, jsonLine, showProgress, type Terminal } from './terminal.js';

const OPTIONS = {
  to: text('URL', 'your endpoint, which may contain USER:PASSWORD@'),
  header: list("'NAME: VALUE'", 'add a header, which is never printed'),
  answers: flag('show answers that may contain credentials'),
  ...SAMPLE_OPTIONS,
  variants: flag('send every encoding that a receiver must accept'),
  faulty: flag('then send every kind of faulty body'),
  lines: flag('send each line of archives, plain or gzip'),
  copies: { ...text('N', 'send copies at the same time'), default: '1' },
  retry: flag('retry like a deposit: every 2 minutes for 24 hours'),
  every: text('DURATION', 'retry at this interval (implies --retry)'),
  for: text('DURATION', 'retry for this long (implies --retry)'),
  timeout: { ...text('DURATION', 'wait this long for an answer'), default: '30s' },
  json: flag('print each answer and the totals as lines of JSON'),
  ...COMMON,
} as const;

export const SEND_HELP: string = helpOf(
  'send deposit|withdrawal|FILE… --to URL',
  'Posts a sample body to your endpoint, or saved bodies unchanged: one from each file (- is standard input), or with --lines one from each line, of which only failures are shown. A status from 200 to 299 counts as delivered.',
  OPTIONS,
  'send deposit --to http://127.0.0.1:3000/callbacks',
  'send --lines refused.ndjson \\\n    --to http://127.0.0.1:3000/callbacks --header "authorization: Bearer $TOKEN"',
);

const HIDDEN = '(not shown without --answers)';

export async function send(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const { clock, interrupt } = terminal;
  const endpoint = readEndpoint(values.to, values.header);
  const copies = readCount('--copies', values.copies, 1);
  const policy = { copies, retry: readRetry(values) };
  const timeoutMs = readDuration('--timeout', values.timeout);
  const unread: string[] = [];
  const { bodies, total, faults } = readBodies(positionals, values, terminal, unread);

  const progress = showProgress(terminal);
  const print: Print = (lines, data) => {
    const text = values.json ? data && jsonLine(data) : lines.map((line) => `${line}\n`).join('');
    if (!text) return;
    progress('');
    terminal.print(text);
  };
  const post = createPost(endpoint, { ...values, timeoutMs }, terminal, print);

  const start = clock.now();
  print([`POST ${redactUrl(endpoint.url)}`]);
  let [begun, delivered, attempts] = [0, 0, 0];
  const keys = new Set<string | null>();
  for await (const sent of bodies) {
    begun += 1;
    if (typeof sent.body !== 'string' && sent.body.length > MAX_BYTES) {
      printError(terminal, `${sent.label}: more than ${MAX_BYTES} bytes, so it is not a body`);
      unread.push(sent.label);
      continue;
    }
    const ended = await post(sent, policy);
    attempts += ended.length;
    delivered += ended.filter(({ success }) => success).length;
    // Two keys show that there are several events.
    if (keys.size < 2) keys.add(inspectBody(sent.body).idempotencyKey);
    if (interrupt.aborted) break;
    const counts = `${format.count(begun)} sent, ${format.count(delivered)} delivered`;
    progress(values.lines ? counts : '');
  }
  const { accepted, refused } = await postFaults(faults, post, interrupt);

  const [key = null] = keys.size === 1 ? keys : [];
  const summary: SendSummary = {
    delivered,
    of: Math.max(total, begun) * copies,
    attempts,
    durationMs: clock.now() - start,
    interrupted: interrupt.aborted,
    idempotencyKey: key,
    faulty: { of: faults.length, refused },
  };
  print([...endOf(summary, terminal), ...causeOf(accepted, terminal)], summary);
  if (unread.length > 0) return EXIT.usage;
  const isComplete = delivered === summary.of && refused === faults.length;
  return isComplete && delivered > 0 ? EXIT.ok : EXIT.failed;
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

/** Prints lines, or data with --json. */
type Print = (lines: readonly string[], data?: object) => void;

/** Posts a body, and prints its attempts. */
type Post = (
  sent: SentBody,
  policy?: Pick<DeliverOptions, 'copies' | 'retry'>,
) => Promise<readonly DeliveryAttempt[]>;

function createPost(
  { url, headers }: Endpoint,
  options: Partial<Readonly<Record<'answers' | 'lines' | 'variants', boolean>>> & {
    readonly timeoutMs: number;
  },
  terminal: Terminal,
  print: Print,
): Post {
  const { interrupt: signal, skipWaits } = terminal;
  const request: DeliverOptions = {
    url: url.href,
    headers,
    timeoutMs: options.timeoutMs,
    fetch: fetchStart,
    signal,
    skipWaits,
  };
  const redact = (attempt: DeliveryAttempt): DeliveryAttempt => {
    if (attempt.answer === null || options.answers) return attempt;
    const { status, body } = attempt.answer;
    // An answer may repeat a header in any form, so hide all answers if there are headers.
    const isHidden = Object.keys(headers).length > 0;
    const answer = { status, body: isHidden ? HIDDEN : redactPathIn(body, url) };
    return { ...attempt, answer };
  };
  // Report a refused connection once per attempt, not for every body and copy.
  let refusedAt = 0;
  return async (sent, policy) => {
    const { label, body, code } = sent;
    if (code === undefined && !options.variants) print(warningOf(sent, terminal));
    const onAttempt = (attempt: DeliveryAttempt): void => {
      const { number, error, success } = attempt;
      const isRefused = error?.includes('ECONNREFUSED') ?? false;
      const isKnown = (isRefused && refusedAt === number) || (options.lines && success);
      refusedAt = isRefused ? number : 0;
      const shown = redact(attempt);
      print(isKnown ? [] : linesOf(sent, shown, terminal), { label, code, ...shown });
      if (!success && policy?.retry && !signal.aborted) {
        const waitMs = Math.max(0, policy.retry.everyMs - attempt.durationMs);
        print([`  trying again in ${format.duration(waitMs)}`]);
      }
    };
    const { attempts } = await deliver(body, { ...request, ...policy, onAttempt });
    return attempts;
  };
}

/**
 * Posts each faulty body once. Returns those that were accepted, and the number that was refused.
 */
async function postFaults(
  faults: readonly SentBody[],
  post: Post,
  interrupt: AbortSignal,
): Promise<{ accepted: SentBody[]; refused: number }> {
  const accepted: SentBody[] = [];
  let refused = 0;
  for (const sent of faults) {
    if (interrupt.aborted) break;
    const [attempt] = await post(sent);
    if (attempt?.success) accepted.push(sent);
    else if (attempt && isRefused(attempt)) refused += 1;
  }
  return { accepted, refused };
}
