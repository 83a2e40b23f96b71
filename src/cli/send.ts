import { MAX_BYTES } from '../internal/body.js';
import { idempotencyKey } from '../notification.js';
import { safeParseNotification } from '../parse.js';
import type { Clock } from '../testing/clock.js';
import { type DeliverOptions, type DeliveryAttempt, deliver } from '../testing/deliver.js';
import { readBodies, type SentBody } from './body.js';
import { fetchStart, readEndpoint } from './endpoint.js';
import { COMMON, flag, helpOf, list, readArguments, text } from './options.js';
import { causeOf, endOf, linesOf, type SendSummary, warningOf } from './report.js';
import { SAMPLE_OPTIONS } from './sample.js';
import { showProgress, type Terminal } from './terminal.js';
import {
  EXIT,
  formatCount,
  formatDuration,
  jsonLine,
  printError,
  readCount,
  readDuration,
} from './usage.js';

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

export const SEND_HELP: string = `payment-notifications send deposit|withdrawal|FILE… --to URL

Posts a sample body to your endpoint, or saved bodies unchanged: one from each
file, or with --lines one from each line. The file - is standard input. An
answer with a status from 200 to 299 means delivered. Shows the first 64 KiB of
each answer; with --lines, only those of bodies that are not delivered.

${helpOf(OPTIONS)}

Examples:

  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks
  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks \\
    --set actualDepositAmount=0.123456789012345678 --set depositCurrency=ETH
  payment-notifications send --lines refused.ndjson \\
    --to http://127.0.0.1:3000/callbacks --header "authorization: Bearer $TOKEN"
`;

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
    progress(null);
    terminal.print(text);
  };
  const waiting: Clock = {
    now: clock.now,
    sleep(milliseconds, stop) {
      print([`  trying again in ${formatDuration(milliseconds)}`]);
      return clock.sleep(milliseconds, stop);
    },
  };
  // An answer may repeat a header in any form, so hide all answers if there are headers.
  const hidesAnswers = Object.keys(headers).length > 0 && !values.answers;
  const endpoint = { url, headers, timeoutMs, fetch: fetchStart, signal, clock: waiting };
  // Report a refused connection once per attempt, not for every body and copy.
  let refusedAt = 0;
  const post = async (
    sent: SentBody,
    more: Partial<DeliverOptions>,
  ): Promise<readonly DeliveryAttempt[]> => {
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
    const { attempts } = await deliver(body, { ...endpoint, onAttempt, ...more });
    return attempts;
  };

  const start = clock.now();
  let [begun, delivered, attempts, refused] = [0, 0, 0, 0];
  const keys = new Set<string | null>();
  print([`POST ${url}`]);
  for await (const sent of bodies) {
    begun += 1;
    if (sent.body.length > MAX_BYTES) {
      printError(terminal, `${sent.label}: more than ${MAX_BYTES} bytes, so it is not a body`);
      unread.push(sent.label);
      continue;
    }
    const ended = await post(sent, { retry, copies });
    attempts += ended.length;
    delivered += ended.filter(({ success }) => success).length;
    // Two keys show that there are several events.
    if (keys.size < 2) keys.add(keyOf(sent));
    if (signal.aborted) break;
    const counts = `${formatCount(begun)} sent, ${formatCount(delivered)} delivered`;
    progress(values.lines ? counts : null);
  }
  const accepted: SentBody[] = [];
  for (const sent of faults) {
    if (signal.aborted) break;
    const [attempt] = await post(sent, {});
    if (attempt?.success) accepted.push(sent);
    else if (attempt?.answer) refused += 1;
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

function keyOf({ body }: SentBody): string | null {
  const { success, notification } = safeParseNotification(body);
  return success ? idempotencyKey(notification) : null;
}
