import { inspectBody } from '../inspect/index.js';
import { type Judgement, judgeBody } from '../inspect/judgement.js';
import type { Verdict } from '../inspect/verdict.js';
import { explainBody, waitOf } from './explain.js';
import { STDIN } from './files.js';
import { COMMON, FLAG, readArguments, readType, STRING } from './options.js';
import { type Input, readBodies } from './read-bodies.js';
import { EXIT, jsonLine, marked, type Terminal } from './terminal.js';
import { createTotals } from './totals.js';
import { createTwinFinder } from './twins.js';

const INSPECT_OPTIONS = { json: FLAG, quiet: FLAG, as: STRING, ...COMMON } as const;

export const INSPECT_HELP = `payment-notifications inspect [FILE|FOLDER…]

Explains one webhook: whether the parser accepts it and why, what to do, and
each field as it was sent and as it is parsed. Without a file, or for the file
name -, it reads standard input.

For several webhooks, it prints a line each, and then totals. A folder has one
webhook in each file. A .jsonl or .ndjson file, and standard input with several
lines of JSON, have one in each line.

  ✓  good: accepted, and as expected
  !  check: accepted, but someone should look at it
  ✗  refused

In a store, such as the folder webhooks, each line also says since when the
webhook has been waiting, and why. The receiver retries the webhooks in progress
and in retry. The webhooks in review wait for a decision. To retry one, move its
.json file to retry.

  --json                   print one line of JSON for each webhook
  --quiet                  hide good webhooks in a list
  --as deposit|withdrawal  read every webhook as this type

Examples:

  payment-notifications inspect body.json
  payment-notifications inspect webhooks
  payment-notifications inspect --quiet received
  payment-notifications inspect --json received | jq .idempotencyKey
`;

/** A refused body of a list is shown with at most this many faults. */
const MAX_FAULTS = 4;

export async function inspect(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, INSPECT_OPTIONS);
  const as = readType(values.as);
  const reading = { files: 0, unread: 0 };
  const totals = createTotals();
  const twinOf = createTwinFinder();

  /** Counts a body of several, and returns its line; empty if it isn't shown. */
  const lineOf = (input: Input): string => {
    const { place, body, saved } = input;
    const options = { as, isSaved: saved !== null };
    const judged = judgeBody(body, options);
    const twin = twinOf(judged, place);
    const outcome = verdictOf(judged.judgement, input, twin);
    totals.add(judged, outcome, input, twin);
    if (values.quiet && outcome === 'good') return '';
    if (!values.json) return listed({ ...judged.judgement, outcome }, input, twin);
    const { since = null, reason = null } = saved ?? {};
    const about = { place, since, reason, sameTransactionAs: twin };
    return jsonLine({ ...about, ...inspectBody(body, options), outcome });
  };

  const paths = positionals.length === 0 ? [STDIN] : positionals;
  // The first body waits, because it is explained if it is the only one.
  let waiting: Input[] = [];
  let isList = values.json === true;
  for await (const input of readBodies(paths, terminal, reading)) {
    waiting.push(input);
    isList ||= waiting.length > 1;
    if (!isList) continue;
    const lines = waiting.map(lineOf).join('');
    waiting = [];
    if (lines !== '') terminal.print(lines);
  }
  for (const input of waiting) {
    const inspection = inspectBody(input.body, { as, isSaved: input.saved !== null });
    const outcome = verdictOf(inspection, input, null);
    totals.counts[outcome] += 1;
    terminal.print(explainBody(input, { ...inspection, outcome }));
  }
  const isNothing = totals.bodies() === 0;
  const isUnread = reading.unread > 0;
  if (!values.json && (isList || (isNothing && !isUnread))) terminal.print(totals.report(reading));
  if (isUnread) return EXIT.unable;
  return totals.counts.refused > 0 || isNothing ? EXIT.failed : EXIT.ok;
}

/**
 * The outcome of a body. One that waits in a store is never good: its reason says why. Neither is
 * one with the transaction of another event.
 */
function verdictOf({ outcome }: Judgement, { saved }: Input, twin: string | null): Verdict {
  return outcome === 'good' && (saved !== null || twin !== null) ? 'check' : outcome;
}

function listed(
  { outcome, summary, issues }: Judgement,
  { place, saved }: Input,
  twin: string | null,
): string {
  // The sentence has already named a single fault.
  const faults = issues.length === 1 ? [] : issues.slice(0, MAX_FAULTS);
  const more = issues.length - MAX_FAULTS;
  const lines = faults.map(({ code, message }) => `    ${code}: ${message}\n`);
  if (more > 0) lines.push(`    and ${more} more\n`);
  const found = twin === null ? summary : `${summary} The same transaction as ${twin}.`;
  const parts = saved === null ? [place, found] : [place, waitOf(saved), found];
  return marked(outcome, parts.join('  ')) + lines.join('');
}
