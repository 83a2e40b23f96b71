import { inspectBody } from '../inspect/index.js';
import { escapeUnprintable } from '../internal/issues.js';
import { safeParseNotification } from '../parse.js';
import type { Clock } from '../testing/clock.js';
import {
  type DeliverOptions,
  type Delivery,
  type DeliveryAttempt,
  deliver,
} from '../testing/deliver.js';
import { readBodies, type SentBody } from './body.js';
import { readEndpoint } from './endpoint.js';
import { paint, type Terminal, wrap } from './terminal.js';
import {
  COMMON,
  EXIT,
  flag,
  formatDuration,
  helpOf,
  readArguments,
  readCount,
  readDuration,
  text,
} from './usage.js';

const OPTIONS = {
  to: text('URL', 'the endpoint; its user name and password become an Authorization header'),
  header: { ...text("'NAME: VALUE'", 'a header; its value is never printed'), multiple: true },
  answers: flag('show answers even with a header or a password, which they may repeat'),
  status: text('STATUS', 'of a withdrawal: COMPLETED (default), FAILED or BLOCKED'),
  set: { ...text('FIELD=VALUE', 'set a field, every digit kept; null sends null'), multiple: true },
  omit: { ...text('FIELD', 'leave a field out'), multiple: true },
  seed: text('N', 'a different event for each N; without it, always the same one'),
  variants: flag('send the notification in every encoding that a receiver must accept'),
  faulty: flag('then send, once each, a body of each kind that must be refused'),
  copies: { ...text('N', 'send N copies at once'), default: '1' },
  retry: flag('try again until delivered, as with deposits: every 2 minutes, for up to 24 hours'),
  every: text('DURATION', '--retry at this interval: 500ms, 10s, 2m, 1h'),
  for: text('DURATION', '--retry, and give up after this long'),
  timeout: { ...text('DURATION', 'how long an answer may take'), default: '30s' },
  json: flag('one line of JSON for each answer, and one for the outcome'),
  ...COMMON,
} as const;

export const SEND_HELP: string = `payment-notifications send deposit|withdrawal|FILE… --to URL

Posts a sample notification to your endpoint, as the service does, or bodies
that you have kept, one from each file, unchanged. Shows how each answer
begins: a status from 200 to 299 counts as delivered.

${helpOf(OPTIONS)}

Exit code: 0 if everything was delivered and each faulty body was answered, but
not with success; 1 if not, 2 for wrong usage or a file that can't be read, 3 if
the output can't be written, 130 for Ctrl-C.

Examples:

  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks
  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks \\
    --set actualDepositAmount=0.123456789012345678 --set depositCurrency=ETH
  payment-notifications send refused/*.json \\
    --to http://127.0.0.1:3000/callbacks --header "authorization: Bearer $TOKEN"
`;

const HIDDEN = '(not shown without --answers)';

/** `payment-notifications send`. */
export async function send(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const { clock, interrupt: signal } = terminal;
  const { url, headers } = readEndpoint(values.to, values.header);
  const intervalMs = readDuration('--every', values.every ?? '2m');
  const retry =
    (values.retry ?? values.every ?? values.for) !== undefined
      ? { intervalMs, durationMs: readDuration('--for', values.for ?? '24h') }
      : null;
  const policy = { retry, copies: readCount('--copies', values.copies, 1) };
  const timeoutMs = readDuration('--timeout', values.timeout);
  const { bodies, faults } = await readBodies(positionals, values, terminal);
  if (bodies.length === 0) return EXIT.usage;
  const print = (lines: readonly string[], data?: object): void => {
    if (!values.json) terminal.print(lines.map((line) => `${line}\n`).join(''));
    else if (data !== undefined) terminal.print(`${JSON.stringify(data)}\n`);
  };
  const waiting: Clock = {
    now: clock.now,
    sleep(milliseconds, stop) {
      print([`  trying again in ${formatDuration(milliseconds)}`]);
      return clock.sleep(milliseconds, stop);
    },
  };
  // An endpoint may repeat a header in any form, so its words are shown only if there is none.
  const hidesAnswers = Object.keys(headers).length > 0 && !values.answers;
  const endpoint = { url, headers, timeoutMs };
  const post = async (sent: SentBody, more: Partial<DeliverOptions>): Promise<Delivery> => {
    const { label, body, code } = sent;
    if (code === undefined && !values.variants) print(warningOf(sent, terminal));
    const onAttempt = (ended: DeliveryAttempt): void => {
      const { answer } = ended;
      const isHidden = hidesAnswers && answer !== null;
      const shown = isHidden ? { ...ended, answer: { ...answer, body: HIDDEN } } : ended;
      print(linesOf(sent, shown, terminal), { label, code, ...shown });
    };
    return deliver(body, { ...endpoint, signal, clock: waiting, onAttempt, ...more });
  };

  const start = clock.now();
  let [delivered, attempts, refused] = [0, 0, 0];
  print([`POST ${url}`]);
  for (const sent of bodies) {
    const { attempts: ended } = await post(sent, policy);
    attempts += ended.length;
    delivered += ended.filter(({ success }) => success).length;
    if (signal.aborted) break;
  }
  for (const sent of faults) {
    if (signal.aborted) break;
    const [attempt] = (await post(sent, {})).attempts;
    if (attempt?.answer && !attempt.success) refused += 1;
  }
  const keys = new Set(bodies.map(({ body }) => inspectBody(body).idempotencyKey));
  const [key = null] = keys.size === 1 ? keys : [];
  const summary: SendSummary = {
    ...{ delivered, of: bodies.length * policy.copies, attempts },
    ...{ durationMs: clock.now() - start, interrupted: signal.aborted, idempotencyKey: key },
    faulty: { of: faults.length, refused },
  };
  print(endOf(summary, terminal), summary);
  if (signal.aborted) return EXIT.interrupted;
  if (bodies.length < positionals.length) return EXIT.usage;
  return delivered === summary.of && refused === faults.length ? EXIT.ok : EXIT.failed;
}

/** What came of everything that was sent. */
interface SendSummary {
  readonly delivered: number;
  readonly of: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Null for several events, or a body that a handler should refuse. */
  readonly idempotencyKey: string | null;
  /** Refused are those that were answered, but not with success. */
  readonly faulty: { readonly of: number; readonly refused: number };
}

/** How much of an answer is shown, in characters. */
const MAX_SHOWN = 200;

/** A warning of a body that a handler should refuse. */
function warningOf({ label, body }: SentBody, terminal: Terminal): string[] {
  const { success, error } = safeParseNotification(body);
  if (success) return [];
  const text = `A handler should refuse ${label || 'this body'}: ${error.message}`;
  return wrap(text, terminal.columns).map((line) => paint(terminal, 'yellow', line));
}

/** The lines about an attempt. */
function linesOf(sent: SentBody, attempt: DeliveryAttempt, terminal: Terminal): string[] {
  const { success, answer, copy, number } = attempt;
  const isGood = sent.code === undefined ? success : answer !== null && !success;
  const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
  const body = answer?.body.trim() ?? '';
  const end = body.length > MAX_SHOWN ? '…' : '';
  const shown = escapeUnprintable(body.slice(0, MAX_SHOWN)) + end;
  const text = [outcomeOf(attempt), sent.label, ...counts, shown];
  const lines = wrap(text.filter(Boolean).join('  '), terminal.columns - 4);
  return lines.map((line, index) => (index === 0 ? `  ${mark} ` : '    ') + line);
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) return `${answer.status} in ${formatDuration(durationMs)}`;
  const hint = error?.includes('ECONNREFUSED') ? ' (is the server running?)' : '';
  return `failed: ${escapeUnprintable(`${error}`)}${hint}`;
}

/** The lines at the end. */
function endOf(summary: SendSummary, terminal: Terminal): string[] {
  const { delivered, of, attempts, durationMs, interrupted, faulty, idempotencyKey } = summary;
  const result = (count: number, all: number, text: string): string =>
    paint(terminal, count === all ? 'green' : 'red', `${count} of ${all} ${text}`);
  const tries = attempts === of ? '' : `, ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  const isOne = of > 1 && idempotencyKey !== null;
  const hint = `These are all one event: credit or debit it once, as ${idempotencyKey}.`;
  return [
    `${interrupted ? 'Interrupted: ' : ''}${result(delivered, of, 'delivered')}` +
      ` in ${formatDuration(durationMs)}${tries}`,
    ...(faulty.of === 0 ? [] : [result(faulty.refused, faulty.of, 'faulty bodies refused')]),
    ...(isOne ? wrap(hint, terminal.columns) : []),
  ];
}
