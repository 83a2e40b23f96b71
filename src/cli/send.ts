import type { Clock } from '../testing/clock.js';
import {
  DEPOSIT_RETRY,
  type DeliveryAttempt,
  deliver,
  type RetryPolicy,
  urlErrorOf,
} from '../testing/deliver.js';
import { bodyVariants } from '../testing/variants.js';
import { readBody } from './body.js';
import { eventKeyOf, INDENT, jsonReport, type SendSummary, textReport } from './report.js';
import { CLEAR_LINE, cut, paint, type Terminal } from './terminal.js';
import {
  EXIT,
  formatDuration,
  readArguments,
  readCount,
  readDuration,
  UsageError,
} from './usage.js';

export const SEND_HELP = `payment-notifications send deposit|withdrawal --to URL

Posts a notification body to an endpoint of yours, as the service does, and shows each
answer. An answer from 200 to 299 counts as delivered.

  --to URL             the endpoint
  --status STATUS      of a withdrawal: COMPLETED (default), FAILED or BLOCKED
  --set FIELD=VALUE    another value for a field, digit by digit; null is JSON null;
                       may be repeated
  --omit FIELD         leaves a field out; may be repeated
  --seed N             another event: the same N gives the same identifiers
  --variants           the notification in every encoding that a receiver must tolerate
  --copies N           send N copies at once
  --retry              tries again as the service does with deposits: every 2 minutes,
                       for up to 24 hours, until delivered
  --every DURATION     with --retry, another interval: 500ms, 10s, 2m, 1h
  --for DURATION       with --retry, give up after this long
  --timeout DURATION   how long an answer may take (30s)
  --json               one line of JSON for each answer, and one for the outcome
  -h, --help
  -v, --version

Exit code: 0 if everything was delivered, 1 if not, 2 for wrong usage, 3 if the output
can't be written, 130 for Ctrl-C.

Examples:

  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks
  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks \\
    --set actualDepositAmount=0.123456789012345678 --set depositCurrency=ETH
  payment-notifications send withdrawal --to http://127.0.0.1:3000/callbacks \\
    --status FAILED --seed 7
  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks \\
    --variants --copies 5
  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks \\
    --retry --every 10s --for 5m
`;

const OPTIONS = {
  to: { type: 'string' },
  status: { type: 'string' },
  set: { type: 'string', multiple: true },
  omit: { type: 'string', multiple: true },
  seed: { type: 'string' },
  variants: { type: 'boolean', default: false },
  copies: { type: 'string', default: '1' },
  retry: { type: 'boolean', default: false },
  every: { type: 'string' },
  for: { type: 'string' },
  timeout: { type: 'string', default: '30s' },
  json: { type: 'boolean', default: false },
} as const;

/** `payment-notifications send`. */
export async function send(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments({ args, options: OPTIONS, allowPositionals: true });
  const { clock } = terminal;
  const body = readBody(positionals, values);
  const bodies = values.variants ? bodyVariants(body) : [{ label: '', body }];
  const copies = readCount('--copies', values.copies, 1);
  const options = {
    url: readUrl(values.to),
    retry: readRetry(values),
    copies,
    timeoutMs: readDuration('--timeout', values.timeout),
    signal: terminal.interrupt,
    clock: values.json ? clock : { now: clock.now, sleep: sleepWithCountdown(terminal) },
  };
  const report = values.json ? jsonReport(terminal) : textReport(terminal);
  const start = clock.now();
  let delivered = 0;
  let attempts = 0;
  report.begin(options.url, body);
  for (const { label, body: variant } of bodies) {
    const onAttempt = (attempt: DeliveryAttempt): void => report.attempt(label, attempt);
    const { attempts: ended } = await deliver(variant, { ...options, onAttempt });
    attempts += ended.length;
    delivered += ended.filter(({ success }) => success).length;
    if (terminal.interrupt.aborted) break;
  }
  const outcome: SendSummary = {
    delivered,
    of: bodies.length * copies,
    attempts,
    durationMs: clock.now() - start,
    interrupted: terminal.interrupt.aborted,
    idempotencyKey: eventKeyOf(body),
  };
  report.end(outcome);
  if (outcome.interrupted) return EXIT.interrupted;
  return outcome.delivered === outcome.of ? EXIT.ok : EXIT.failed;
}

function readUrl(url = ''): string {
  if (url === '') throw new UsageError('--to URL is missing: the endpoint to post to');
  const reason = urlErrorOf(url);
  if (reason !== null) throw new UsageError(`--to: ${reason}`);
  return url;
}

function readRetry(values: {
  retry: boolean;
  every?: string | undefined;
  for?: string | undefined;
}): RetryPolicy | null {
  if (!values.retry) {
    const useless = (['every', 'for'] as const).find((name) => values[name] !== undefined);
    if (useless !== undefined) throw new UsageError(`--${useless} says how to retry: add --retry`);
    return null;
  }
  const { intervalMs, durationMs } = DEPOSIT_RETRY;
  return {
    intervalMs: values.every === undefined ? intervalMs : readDuration('--every', values.every),
    durationMs: values.for === undefined ? durationMs : readDuration('--for', values.for),
  };
}

/** Waits for a retry and says so: on a terminal in one line that counts down. */
function sleepWithCountdown(terminal: Terminal): Clock['sleep'] {
  const { clock } = terminal;
  return async (milliseconds, signal) => {
    if (!terminal.interactive) {
      terminal.print(`${INDENT}trying again in ${formatDuration(milliseconds)}\n`);
      return clock.sleep(milliseconds, signal);
    }
    const end = clock.now() + milliseconds;
    // By the count, not by the clock: a timer may fire a moment early, and a second would show twice.
    const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
    for (let left = seconds; left > 0 && !signal?.aborted; left -= 1) {
      const line = `${INDENT}trying again in ${formatDuration(left * 1000)}, Ctrl-C stops`;
      terminal.print(CLEAR_LINE + paint(terminal, 'dim', cut(line, terminal.columns - 1)));
      await clock.sleep(end - (left - 1) * 1000 - clock.now(), signal);
    }
    terminal.print(CLEAR_LINE);
  };
}
