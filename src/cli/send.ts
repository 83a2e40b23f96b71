import { judgeBody } from '../inspect/judgement.js';
import { redactPathIn, redactUrl } from '../shared/redact.js';
import { DEPOSIT_RETRY, type DeliveryAttempt, deliver } from '../testing/deliver.js';
import { faultyBodies } from '../testing/faults.js';
import { fetchStart, NO_SERVER, readEndpoint } from './endpoint.js';
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
import { createProgress } from './progress.js';
import { type FileCounts, readBodies } from './read-bodies.js';
import { makeSample, SAMPLE_KINDS, SAMPLE_OPTIONS, type SampleChanges } from './sample.js';
import { causeOf, endOf, isRefusal, linesOf, type SentBody } from './send-report.js';
import type { Terminal } from './terminal.js';

const OPTIONS = {
  to: text('URL', 'post to this URL, which may contain USER:PASSWORD@'),
  header: list("'NAME: VALUE'", 'add a header, which is never printed'),
  ...SAMPLE_OPTIONS,
  faulty: flag('then send every kind of faulty body'),
  copies: { ...text('N', 'send copies of a body at the same time'), default: '1' },
  concurrency: { ...text('N', 'send this many bodies at the same time'), default: '1' },
  retry: flag('retry like a deposit: every 2 minutes for 24 hours'),
  timeout: { ...text('DURATION', 'wait this long for an answer'), default: '30s' },
  ...COMMON,
} as const;

export const SEND_HELP: string = helpOf(
  'send deposit|withdrawal|FILE… --to URL',
  `Posts a sample body to your endpoint, or saved bodies unchanged, which it reads
like inspect: files, folders, lines of JSON, or standard input (-).

A status from 200 to 299 counts as delivered. A faulty body is sent once, and
has to be refused: with a status from 400 to 499, except 401, 403, 404, 405, 407
and 429, which say nothing about the body. Of lines of JSON, only failures are
shown.`,
  OPTIONS,
  'send deposit --to http://127.0.0.1:3000/0123456789abcdef',
  'send callbacks --concurrency 10 \\\n    --to http://127.0.0.1:3000/0123456789abcdef',
);

/** Shown in place of an answer that may repeat a header in any form. */
const HIDDEN = '(not shown: it may repeat a header)';
/** Maximum of each option. Most systems allow no more connections at the same time. */
const MAX_AT_ONCE = 1000;

export async function send(args: string[], given: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const { url, headers } = readEndpoint(values.to, values.header);
  const copies = readCount('--copies', values.copies, 1, MAX_AT_ONCE);
  const concurrency = readCount('--concurrency', values.concurrency, 1, MAX_AT_ONCE);
  const retry = values.retry ? DEPOSIT_RETRY : null;
  const timeoutMs = readDuration('--timeout', values.timeout);
  const progress = createProgress(given, ['sent', 'failed']);
  const { terminal } = progress;
  const { interrupt: signal } = terminal;
  const reading = { files: 0, unread: 0 };
  const bodies = chooseBodies(positionals, values, terminal, reading);

  const print = (lines: readonly string[]): void =>
    terminal.print(lines.map((line) => `${line}\n`).join(''));
  const isHidden = Object.keys(headers).length > 0;
  const redact = (attempt: DeliveryAttempt): DeliveryAttempt => {
    if (attempt.answer === null) return attempt;
    const { status, body } = attempt.answer;
    return { ...attempt, answer: { status, body: isHidden ? HIDDEN : redactPathIn(body, url) } };
  };
  const counts = { of: 0, delivered: 0, attempts: 0, faulty: 0, refused: 0 };
  const keys = new Set<string | null>();
  const accepted: SentBody[] = [];
  // A server that doesn't run is reported once per attempt, not for every body and copy.
  let refusedAt = 0;

  const post = async (sent: SentBody): Promise<void> => {
    const { issues, idempotencyKey } = judgeBody(sent.body).judgement;
    const isFaulty = issues.length > 0;
    // Two keys show that there are several events.
    if (keys.size < 2 && !sent.isFaulty) keys.add(idempotencyKey);
    const onAttempt = (attempt: DeliveryAttempt): void => {
      const { number, error, success } = attempt;
      const isKnown = error === NO_SERVER && refusedAt === number;
      refusedAt = error === NO_SERVER ? number : 0;
      if (isKnown || (sent.isLine && success)) return;
      print(linesOf(sent.label, issues, redact(attempt), terminal));
    };
    const request = { url: url.href, headers, timeoutMs, fetch: fetchStart, signal, onAttempt };
    const { attempts } = isFaulty
      ? await deliver(sent.body, { ...request, isSuccess: isRefusal })
      : await deliver(sent.body, { ...request, copies, retry });
    const successes = attempts.filter(({ success }) => success).length;
    if (isFaulty) {
      counts.faulty += 1;
      counts.refused += successes;
      if (successes === 0 && sent.isFaulty) accepted.push(sent);
      progress.add(successes === 0);
    } else {
      counts.of += copies;
      counts.delivered += successes;
      counts.attempts += attempts.length;
      progress.add(successes < copies);
    }
  };

  const start = Date.now();
  const plan = retry === null ? '' : ', again every 2m for up to 24h';
  print([`POST ${redactUrl(url)}${plan}`]);
  await forEach(bodies, concurrency, signal, post);
  progress.end();
  const [idempotencyKey = null] = keys.size === 1 ? keys : [];
  const summary = { ...counts, durationMs: Date.now() - start, idempotencyKey };
  print([...endOf(summary, terminal), ...causeOf(accepted, terminal)]);
  if (reading.unread > 0) return EXIT.usage;
  const { of, delivered, faulty, refused } = counts;
  const isComplete = delivered === of && refused === faulty && of + faulty > 0;
  return isComplete ? EXIT.ok : EXIT.failed;
}

type Bodies = Iterator<SentBody> | AsyncIterator<SentBody>;

/** Acts on bodies, `concurrency` of them at a time, until the signal is aborted. */
async function forEach(
  bodies: Bodies,
  concurrency: number,
  signal: AbortSignal,
  act: (body: SentBody) => Promise<void>,
): Promise<void> {
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const { done, value } = await bodies.next();
      if (done) return;
      await act(value);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

function chooseBodies(
  operands: readonly string[],
  choice: SampleChanges & { readonly faulty?: boolean },
  terminal: Terminal,
  reading: FileCounts,
): Bodies {
  const [kind = ''] = operands;
  if (SAMPLE_KINDS.includes(kind) && operands.length === 1) {
    const body = makeSample(kind, choice);
    const faulty = choice.faulty ? faultyBodies(body) : [];
    const others = faulty.map((one) => ({ label: one.label, body: one.body, isFaulty: true }));
    return [{ label: '', body }, ...others].values();
  }
  // Don't quote operands: a misplaced one may be a header or a URL with a password.
  if (kind === '' || operands.some((one) => SAMPLE_KINDS.includes(one) || one.includes('://'))) {
    throw new CommandError('send: expected deposit, withdrawal or file names');
  }
  const ofSamples = [...Object.keys(SAMPLE_OPTIONS), 'faulty'];
  const useless = Object.keys(choice).find((name) => ofSamples.includes(name));
  if (useless !== undefined) {
    throw new CommandError(`--${useless}: expected a sample, received files`);
  }
  return savedBodies(operands, terminal, reading);
}

async function* savedBodies(
  paths: readonly string[],
  terminal: Terminal,
  reading: FileCounts,
): AsyncGenerator<SentBody> {
  for await (const inputs of readBodies(paths, terminal, reading)) {
    for (const { place, body, isLine } of inputs) yield { label: place, body, isLine };
  }
}
