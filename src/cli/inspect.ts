import { createEvents, RELATIONS, type Relation } from '../inspect/events.js';
import { inspectBody } from '../inspect/index.js';
import { type Judgement, judgeBody } from '../inspect/judgement.js';
import { EXIT } from './errors.js';
import { explain } from './explain.js';
import { COMMON, flag, helpOf, readArguments, readType, text } from './options.js';
import { createReading, type Input, readBodies, STDIN } from './read-bodies.js';
import { beside, jsonLine, marked, type Terminal } from './terminal.js';
import { createTotals, MAX_EVENTS } from './totals.js';

const OPTIONS = {
  as: text('deposit|withdrawal', 'accept only this notification'),
  quiet: flag('of several, list only those refused or for review'),
  json: flag('print one line of JSON for each body'),
  ...COMMON,
} as const;

export const INSPECT_HELP: string = helpOf(
  'inspect [FILE|FOLDER…]',
  'Explains one body: what arrived, what to do, faults, warnings, and values that are easy to misread. Of several, lists each as good (✓), for review (!) or refused (✗), then prints totals: faults and warnings with their first place, unknown fields, and bodies of one deposit or withdrawal that contradict each other. Reads files, folders, or standard input. A file is one body, or a text with bodies, such as a log. In a file over 1 MiB, each body must be on one line.',
  OPTIONS,
  'inspect body.json',
  'inspect --quiet callbacks',
  'inspect --json callbacks | jq .idempotencyKey',
);

/** A refused body of a list is shown with at most this many faults. */
const MAX_FAULTS = 4;

export async function inspect(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const as = readType(values.as);
  const reading = createReading();
  const totals = createTotals();
  const relate = createEvents<string>(MAX_EVENTS);

  /** Counts a body of several, and returns its line; empty if it isn't shown. */
  const lineOf = ({ place, body, opened }: Input): string => {
    const judged = judgeBody(body, as ?? null, opened);
    const { judgement, notification } = judged;
    const relation = notification && relate(notification, place);
    const outcome = relation?.kind === 'contradicts' ? 'review' : judgement.outcome;
    totals.add(judged, outcome, place, relation);
    if (values.quiet && outcome === 'good') return '';
    if (!values.json) return listed({ ...judgement, outcome }, place, relation, terminal);
    return jsonLine({ place, relation: relation ?? null, ...inspectBody(body, { as }), outcome });
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
  for (const { place, body, isFile } of waiting) {
    const inspection = inspectBody(body, { as });
    totals.counts[inspection.outcome] += 1;
    terminal.print(explain(isFile ? place : `${place}, in other text`, inspection, terminal));
  }
  const { good, review, bad } = totals.counts;
  const isNothing = good + review + bad === 0;
  const isUnread = reading.unread.length > 0;
  if (!values.json && (isList || (isNothing && !isUnread))) {
    terminal.print(totals.report(reading, terminal));
  }
  if (isUnread) return EXIT.usage;
  return bad > 0 || isNothing ? EXIT.failed : EXIT.ok;
}

/** The line of a body in a list, and its faults if it is refused. */
function listed(
  { outcome, summary, issues }: Judgement,
  place: string,
  relation: Relation<string> | null | undefined,
  terminal: Terminal,
): string {
  const related = relation ? `  (${RELATIONS[relation.kind]} ${relation.place})` : '';
  // The sentence has said the only one.
  const faults = issues.length === 1 ? [] : issues.slice(0, MAX_FAULTS);
  const more = issues.length - MAX_FAULTS;
  const texts = faults.map(({ code, message }) => `${code}: ${message}`);
  if (more > 0) texts.push(`and ${more} more`);
  const lines = texts.flatMap((fault) => beside('    ', [fault], terminal.columns));
  const shown = marked(outcome, `${place}  ${summary}${related}`, terminal);
  return shown + lines.map((line) => `${line}\n`).join('');
}
