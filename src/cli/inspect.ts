import { inspectBody } from '../inspect/index.js';
import { type Judgement, judgeBody } from '../inspect/judgement.js';
import type { Verdict } from '../inspect/verdict.js';
import { EXIT } from './errors.js';
import { explain, waitOf } from './explain.js';
import { COMMON, flag, helpOf, readArguments, readType, text } from './options.js';
import { createProgress } from './progress.js';
import { type Input, readBodies, STDIN } from './read-bodies.js';
import { beside, jsonLine, marked, type Terminal } from './terminal.js';
import { createTotals } from './totals.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  quiet: flag('of several, list only those to check or refused'),
  json: flag('print one line of JSON for each body'),
  ...COMMON,
} as const;

export const INSPECT_HELP: string = helpOf(
  'inspect [FILE|FOLDER…]',
  `Explains one body: whether the endpoint accepts it and why, what to do, and each
field as it was sent and read. A file is one body.

Lists several bodies: of folders and files, or lines of JSON, which are in a
.jsonl or .ndjson file or come from standard input. Then it counts the reasons
and the unknown fields.

  ✓  good: accepted, and as expected
  !  check: accepted, but someone should look at it
  ✗  refused

In a store, such as webhooks, each line also says since when the body has been
waiting, and why. The receiver tries those in progress and in retry again. Those
in review wait for someone. To settle one of them, move its .json to retry.`,
  OPTIONS,
  'inspect body.json',
  'inspect webhooks',
  'inspect --quiet callbacks',
  'inspect --json callbacks | jq .idempotencyKey',
);

/** A refused body of a list is shown with at most this many faults. */
const MAX_FAULTS = 4;

export async function inspect(args: string[], given: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const as = readType(values.as);
  const reading = { files: 0, unread: 0 };
  const totals = createTotals();
  const progress = createProgress(given, ['inspected', 'refused']);
  const { terminal } = progress;

  /** Counts a body of several, and returns its line; empty if it isn't shown. */
  const lineOf = (input: Input): string => {
    const { place, body, saved } = input;
    const judged = judgeBody(body, { as });
    const outcome = outcomeOf(judged.judgement, saved);
    totals.add(judged, outcome, input);
    progress.add(outcome === 'refused');
    if (values.quiet && outcome === 'good') return '';
    if (!values.json) return listed({ ...judged.judgement, outcome }, input, terminal);
    const { since = null, reason = null } = saved ?? {};
    return jsonLine({ place, since, reason, ...inspectBody(body, { as }), outcome });
  };

  const paths = positionals.length === 0 ? [STDIN] : positionals;
  // The first body waits, because it is explained if it is the only one.
  let waiting: Input[] = [];
  let isList = values.json === true;
  for await (const inputs of readBodies(paths, terminal, reading)) {
    waiting.push(...inputs);
    isList ||= waiting.length > 1;
    if (!isList) continue;
    const lines = waiting.map(lineOf).join('');
    if (lines !== '') terminal.print(lines);
    waiting = [];
  }
  progress.end();
  for (const input of waiting) {
    const inspection = inspectBody(input.body, { as });
    const outcome = outcomeOf(inspection, input.saved);
    totals.counts[outcome] += 1;
    terminal.print(explain(input, { ...inspection, outcome }, terminal));
  }
  const { good, check, refused } = totals.counts;
  const isNothing = good + check + refused === 0;
  const isUnread = reading.unread > 0;
  if (!values.json && (isList || (isNothing && !isUnread))) {
    terminal.print(totals.report(reading, terminal));
  }
  if (isUnread) return EXIT.usage;
  return refused > 0 || isNothing ? EXIT.failed : EXIT.ok;
}

/** The outcome of a body. One that waits in a store is never good: its reason says why. */
function outcomeOf({ outcome }: Judgement, saved: Input['saved']): Verdict {
  return outcome === 'good' && saved !== null ? 'check' : outcome;
}

function listed(
  { outcome, summary, issues }: Judgement,
  { place, saved }: Input,
  terminal: Terminal,
): string {
  // The sentence has already named a single fault.
  const faults = issues.length === 1 ? [] : issues.slice(0, MAX_FAULTS);
  const more = issues.length - MAX_FAULTS;
  const texts = faults.map(({ code, message }) => `${code}: ${message}`);
  if (more > 0) texts.push(`and ${more} more`);
  const lines = texts.flatMap((fault) => beside('    ', [fault], terminal.columns));
  const parts = saved === null ? [place, summary] : [place, waitOf(saved), summary];
  const shown = marked(outcome, parts.join('  '), terminal);
  return shown + lines.map((line) => `${line}\n`).join('');
}
