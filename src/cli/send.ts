import { inspectBody } from '../inspect/index.js';
import { MAX_BYTES } from '../internal/body.js';
import type { Clock } from '../testing/clock.js';
import { type DeliverOptions, type DeliveryAttempt, deliver } from '../testing/deliver.js';
import { fetchStart, readEndpoint } from './endpoint.js';
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
  const { clock, interrupt: signal } = terminal;
  const { url, headers } = readEndpoint(values.to, values.header);
  const intervalMs = readDuration('--every', values.every ?? '2m');
  const retry =
    (values.retry ?? values.every ?? values.for) !== undefined
      ? { intervalMs, durationMs: readDuration('--for', values.for ?? '24h') }
      : null;
  const copies = readCount('--copies', values.copies, 1);
  const timeoutMs = readDuration('--timeout', values.timeout);
  const unread: string[] = [];
  const { bodies, total, faults } = readBodies(positionals, values, terminal, unread);
  const progress = showProgress(terminal);
  const print = (lines: readonly string[], data?: object): void => {
    const text = values.json ? data && jsonLine(data) : lines.map((line) => `${line}\n`).join('');
    if (!text) return;
    progress('');
    terminal.print(text);
  };
  const sleep: Clock['sleep'] = (milliseconds, stop) => {
    print([`  trying again in ${format.duration(milliseconds)}`]);
    return clock.sleep(milliseconds, stop);
  };
  // An answer may repeat a header in any form, so hide all answers if there are headers.
  const hidesAnswers = Object.keys(headers).length > 0 && !values.answers;
  const waiting = { now: clock.now, sleep };
  const endpoint = { url, headers, timeoutMs, fetch: fetchStart, signal, clock: waiting };
  // Report a refused connection once per attempt, not for every body and copy.
  let refusedAt = 0;
  const post = async (sent: SentBody, policy: Partial<DeliverOptions> = {}) => {
    const { label, body, code } = sent;
    if (code === undefined && !values.variants) print(warningOf(sent, terminal));
    const onAttempt = (ended: DeliveryAttempt): void => {
      const { number, answer, error } = ended;
      const isHidden = hidesAnswers && answer !== null;
      const shown = isHidden ? { ...ended, answer: { ...answer, body: HIDDEN } } : ended;
      const isRefused = error?.includes('ECONNREFUSED') ?? false;
      const isKnown = (isRefused && refusedAt === number) || (values.lines && ended.success);
      refusedAt = isRefused ? number : 0;
      print(isKnown ? [] : linesOf(sent, shown, terminal), { label, code, ...shown });
    };
    const { attempts } = await deliver(body, { ...endpoint, onAttempt, ...policy });
    return attempts;
  };

  const start = clock.now();
  let [begun, delivered, attempts, refused] = [0, 0, 0, 0];
  const keys = new Set<string | null>();
  print([`POST ${url}`]);
  for await (const sent of bodies) {
    begun += 1;
    if (typeof sent.body !== 'string' && sent.body.length > MAX_BYTES) {
      printError(terminal, `${sent.label}: more than ${MAX_BYTES} bytes, so it is not a body`);
      unread.push(sent.label);
      continue;
    }
    const ended = await post(sent, { retry, copies });
    attempts += ended.length;
    delivered += ended.filter(({ success }) => success).length;
    // Two keys show that there are several events.
    if (keys.size < 2) keys.add(inspectBody(sent.body).idempotencyKey);
    if (signal.aborted) break;
    const counts = `${format.count(begun)} sent, ${format.count(delivered)} delivered`;
    progress(values.lines ? counts : '');
  }
  const accepted: SentBody[] = [];
  for (const sent of faults) {
    if (signal.aborted) break;
    const [attempt] = await post(sent);
    if (attempt?.success) accepted.push(sent);
    else if (attempt && isRefused(attempt)) refused += 1;
  }
  const [key = null] = keys.size === 1 ? keys : [];
  const summary: SendSummary = {
    ...{ delivered, of: Math.max(total, begun) * copies, attempts },
    ...{ durationMs: clock.now() - start, interrupted: signal.aborted, idempotencyKey: key },
    faulty: { of: faults.length, refused },
  };
  print([...endOf(summary, terminal), ...causeOf(accepted, terminal)], summary);
  if (unread.length > 0) return EXIT.usage;
  const isComplete = delivered === summary.of && refused === faults.length;
  return isComplete && delivered > 0 ? EXIT.ok : EXIT.failed;
}
