import { formatCount, shorten } from '../inspect/display.js';
import { judgeBody } from '../inspect/judgement.js';
import type { NotificationIssue } from '../parser/errors.js';
import { redactPathIn, redactUrl } from '../shared/redact.js';
import { type DeliveryAttempt, deliver } from '../testing/deliver.js';
import { faultyBodies } from '../testing/faults.js';
import { fetchStart, NO_SERVER, readHeaders, readUrl } from './endpoint.js';
import { COMMON, FLAG, LIST, readArguments, readCount, STRING } from './options.js';
import { type FileCounts, readBodies } from './read-bodies.js';
import { makeSample, SAMPLE_KINDS, SAMPLE_OPTIONS, type SampleChanges } from './sample.js';
import { CommandError, EXIT, marked, type Terminal } from './terminal.js';

const SEND_OPTIONS = {
  to: STRING,
  copies: STRING,
  faulty: FLAG,
  header: LIST,
  ...SAMPLE_OPTIONS,
  ...COMMON,
} as const;

export const SEND_HELP = `payment-notifications send deposit|withdrawal|FILE… --to URL

Posts a sample webhook, or the webhooks of files and folders, unchanged, to your
endpoint. Files are read as by inspect.

  ✓  a valid webhook was answered with 200 to 299, or a faulty webhook with 400
     to 499, except 401, 403, 404, 405, 407 and 429
  ✗  any other answer, such as a redirect, or no answer within 30 seconds

  --to URL          post to this URL
  --copies N        send N copies of a valid webhook at the same time
  --faulty          also send every kind of faulty webhook
  --header HEADER   add a header, 'NAME: VALUE', and hide answers (repeatable)
  --set NAME=VALUE  set a field of the sample to a value or null (repeatable)
  --seed N          make another event, with its own identifiers
  --status STATUS   set a withdrawal's status: COMPLETED, FAILED or BLOCKED

Examples:

  payment-notifications send deposit --copies 2 \\
    --to http://127.0.0.1:3000/0123456789abcdef
  payment-notifications send received \\
    --to http://127.0.0.1:3000/0123456789abcdef
`;

/** Shown in place of an answer that may repeat a header in any form. */
const HIDDEN = '(not shown: it may repeat a header)';
/** Most systems allow no more connections at the same time. */
const MAX_COPIES = 1000;
/** Maximum length of a displayed answer, and of the faults of a body, in characters. */
const MAX_SHOWN = 200;
/** Statuses for a wrong URL, wrong credentials or too many requests, whatever the body. */
const NOT_ABOUT_THE_BODY = [401, 403, 404, 405, 407, 429];

/** How many bodies were sent, and how many of them were answered as they should be. */
interface Counts {
  sent: number;
  right: number;
}

interface Outgoing {
  /** The file of the body, or the fault of a sample. Empty for a valid sample. */
  readonly place: string;
  readonly body: string | Uint8Array;
}

export async function send(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, SEND_OPTIONS);
  const url = readUrl(values.to);
  const headers = readHeaders(values.header);
  const copies = readCount('--copies', values.copies ?? '1', 1, MAX_COPIES);
  const reading = { files: 0, unread: 0 };
  const bodies = chooseBodies(positionals, values, terminal, reading);

  const valid: Counts = { sent: 0, right: 0 };
  const faulty: Counts = { sent: 0, right: 0 };
  terminal.print(`POST ${redactUrl(url)}\n`);
  for await (const { place, body } of bodies) {
    const { issues } = judgeBody(body).judgement;
    const isValid = issues.length === 0;
    const request = { url: url.href, headers, fetch: fetchStart, copies: isValid ? copies : 1 };
    const { attempts } = await deliver(body, request);
    const isRight = (attempt: DeliveryAttempt): boolean =>
      isValid ? attempt.success : isRefusal(attempt);
    const counts = isValid ? valid : faulty;
    counts.sent += attempts.length;
    counts.right += attempts.filter(isRight).length;
    for (const [index, attempt] of attempts.entries()) {
      const copy = index > 0 ? `copy ${index + 1}` : '';
      const text = redactPathIn(attempt.answer?.body ?? '', url);
      const answer =
        values.header && attempt.answer !== null ? HIDDEN : shorten(text.trim(), MAX_SHOWN);
      const parts = [describeAttempt(attempt), place, remarkOn(issues, attempt), copy, answer];
      const line = parts.filter((part) => part !== '').join('  ');
      terminal.print(`  ${marked(isRight(attempt) ? 'good' : 'refused', line)}`);
    }
    if (attempts.some(({ error }) => error === NO_SERVER)) {
      terminal.print('Stopped, because no server listens at this URL.\n');
      break;
    }
  }
  terminal.print(countsLine(valid, faulty));
  if (reading.unread > 0) return EXIT.unable;
  const sent = valid.sent + faulty.sent;
  return sent > 0 && sent === valid.right + faulty.right ? EXIT.ok : EXIT.failed;
}

function chooseBodies(
  operands: readonly string[],
  choice: SampleChanges & { readonly faulty?: boolean | undefined },
  terminal: Terminal,
  reading: FileCounts,
): Iterable<Outgoing> | AsyncIterable<Outgoing> {
  const [kind = ''] = operands;
  if (SAMPLE_KINDS.includes(kind) && operands.length === 1) {
    const body = makeSample(kind, choice);
    const faulty = choice.faulty ? faultyBodies(body) : [];
    return [{ place: '', body }, ...faulty.map(({ label, body }) => ({ place: label, body }))];
  }
  // A misplaced header or URL must not be quoted as the name of a file.
  const isNoFile = (one: string) => SAMPLE_KINDS.includes(one) || /^[A-Za-z][\w-]{1,39}:/.test(one);
  if (kind === '' || operands.some(isNoFile)) {
    throw new CommandError('send: expected deposit, withdrawal or file names');
  }
  const useless = [...Object.keys(SAMPLE_OPTIONS), 'faulty'].find((name) => name in choice);
  if (useless !== undefined) {
    throw new CommandError(`--${useless}: expected a sample, received files`);
  }
  return readBodies(operands, terminal, reading);
}

/** Whether an answer refuses a body, and doesn't report another failure. */
function isRefusal({ answer }: DeliveryAttempt): boolean {
  const { status = 0 } = answer ?? {};
  return status >= 400 && status < 500 && !NOT_ABOUT_THE_BODY.includes(status);
}

function describeAttempt({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer === null) return `failed: ${shorten(error, MAX_SHOWN)}`;
  const hint = answer.status === 404 ? " (is the URL's secret right?)" : '';
  return `${answer.status} in ${durationMs} ms${hint}`;
}

function remarkOn(issues: readonly NotificationIssue[], attempt: DeliveryAttempt): string {
  if (issues.length === 0) return '';
  if (isRefusal(attempt)) return 'refused, as it should be';
  if (!attempt.success) return '';
  const faults = issues.map(({ message }) => message).join('; ');
  return `accepted, but it should be refused: ${shorten(faults, MAX_SHOWN)}`;
}

function countsLine(valid: Counts, faulty: Counts): string {
  const count = ({ sent, right }: Counts, what: string): string[] =>
    sent === 0 ? [] : [`${formatCount(right)} of ${formatCount(sent)} ${what}`];
  const parts = [...count(valid, 'delivered'), ...count(faulty, 'faulty refused')];
  return parts.length === 0 ? 'Nothing was sent.\n' : `${parts.join(', ')}\n`;
}
