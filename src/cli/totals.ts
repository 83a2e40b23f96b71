import type { Relation } from '../inspect/events.js';
import type { Judged } from '../inspect/judgement.js';
import type { Outcome } from '../inspect/outcome.js';
import { nameOfPath } from '../parser/messages.js';
import { SAMPLES, WITHDRAWAL_SAMPLE } from '../testing/sample.js';
import type { Reading } from './read-bodies.js';
import { beside, type Color, format, highlight, shorten, type Terminal, wrap } from './terminal.js';

/** The number of events that are compared. Each takes about 300 bytes. */
export const MAX_EVENTS = 100_000;
/**
 * How many different faults, names and contradictions are counted. An archive may have names made
 * of identifiers, which would take all memory.
 */
const MAX_KINDS = 10_000;
/** How many unknown names and contradictions are listed. */
const MAX_LISTED = 20;
/** Maximum length of a name, in characters. */
const MAX_NAME = 40;

/** What several bodies have in common, such as a fault of one field. */
interface Kind {
  readonly title: string;
  count: number;
  /** The place of the first body, and what its message says. */
  readonly first: string;
  readonly message: string;
}

/** Counts bodies, and what was found in them. */
export interface Totals {
  readonly counts: Record<Outcome, number>;
  /** @param relation - Undefined for a body that was not compared. */
  add(
    judged: Judged,
    outcome: Outcome,
    place: string,
    relation: Relation<string> | null | undefined,
  ): void;
  /** Reports everything that was counted. */
  report(reading: Reading, terminal: Terminal): string;
}

export function createTotals(): Totals {
  const counts = { good: 0, review: 0, bad: 0 };
  let [warned, repeats, notCompared] = [0, 0, 0];
  const faults = new Map<string, Kind>();
  const unknown = new Map<string, Kind>();
  const contradictions = new Map<string, Kind>();

  return {
    counts,
    add(judged, outcome, place, relation) {
      const { issues, warnings } = judged.judgement;
      counts[outcome] += 1;
      if (warnings.length > 0) warned += 1;
      for (const { code, path, message } of issues) {
        countKind(faults, `refused: ${code} ${nameOfPath(path)}`, place, message);
      }
      for (const { code, path, message } of warnings) {
        countKind(faults, `warning: ${code} ${nameOfPath(path)}`, place, message);
      }
      // The names of another notification than the expected one are no news.
      const isOther = issues[0]?.code === 'unrecognized_notification';
      for (const name of isOther ? [] : unknownNames(judged)) {
        countKind(unknown, shorten(name, MAX_NAME), place, '');
      }
      if (relation === undefined) notCompared += 1;
      if (relation?.kind === 'repeats') repeats += 1;
      if (relation?.kind === 'contradicts') countKind(contradictions, relation.place, place, '');
    },
    report(reading, terminal) {
      const { columns, interrupt } = terminal;
      const { files, unread, others, firstOther } = reading;
      const row = (number: number, ...texts: string[]): string[] =>
        number === 0 ? [] : beside(`${format.count(number).padStart(10)}  `, texts, columns);
      const section = (color: Color, title: string, rows: string[]): string[] =>
        rows.length === 0 ? [] : ['', ...highlight(terminal, color, title), ...rows];
      const bodies = counts.good + counts.review + counts.bad;
      const interrupted = interrupt.aborted ? 'Interrupted: ' : '';
      const lines = [
        ...(bodies === 0 ? [] : ['']),
        `${interrupted}${plural(bodies, 'body', 'bodies')} in ${plural(files, 'file')}`,
        ...unread.flatMap((place) => wrap(`not read: ${place}`, columns)),
        '',
        ...(bodies === 0 ? ['There is no body.'] : []),
        ...row(counts.good, 'good'),
        ...row(counts.review, 'for review'),
        ...row(counts.bad, 'refused'),
        ...row(warned, 'with warnings, counted above'),
        ...row(repeats, 'repeating another body, counted above'),
        ...row(others, `lines of other text, first in ${firstOther}`),
        ...row(notCompared, `not compared: there are more than ${format.count(MAX_EVENTS)} events`),
        ...section(
          'red',
          'faults and warnings',
          mostFrequent(faults).flatMap(({ title, count, first, message }) =>
            row(count, `${title}, first in ${first}`, message),
          ),
        ),
        ...section(
          'yellow',
          'unknown fields',
          listed(unknown, ({ title, count, first }) => row(count, `${title}, first in ${first}`)),
        ),
        ...section(
          'red',
          'contradictions: bodies of one depositId or withdrawalId that differ in amount, currency, order or status',
          listed(contradictions, ({ title, count, first }) =>
            row(
              count,
              count === 1 ? `${first} contradicts ${title}` : `contradict ${title}, first ${first}`,
            ),
          ),
        ),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function plural(count: number, one: string, several = `${one}s`): string {
  return `${format.count(count)} ${count === 1 ? one : several}`;
}

function countKind(kinds: Map<string, Kind>, title: string, first: string, message: string): void {
  const known = kinds.get(title);
  if (known !== undefined) known.count += 1;
  else if (kinds.size < MAX_KINDS) kinds.set(title, { title, count: 1, first, message });
}

/** The most frequent first; of the same frequency, the one that came first. */
function mostFrequent(kinds: ReadonlyMap<string, Kind>): Kind[] {
  return [...kinds.values()].sort((one, other) => other.count - one.count);
}

function listed(kinds: ReadonlyMap<string, Kind>, show: (kind: Kind) => string[]): string[] {
  const more = kinds.size - MAX_LISTED;
  const end = more > 0 ? [`            and ${format.count(more)} more`] : [];
  return [...mostFrequent(kinds).slice(0, MAX_LISTED).flatMap(show), ...end];
}

/** The names that this version doesn't know. */
function unknownNames({ judgement: { type }, fields, notification }: Judged): string[] {
  if (type === null) return [];
  // A refused body may have a known field under a new name.
  const { additionalFields: sent = fields ?? {} } = notification ?? {};
  const names = Object.keys(sent).filter((name) => !Object.hasOwn(SAMPLES[type], name));
  const owner = fields?.txAddressOwner;
  if (type === 'deposit.received' || typeof owner !== 'object' || owner === null) return names;
  const known = Object(WITHDRAWAL_SAMPLE.txAddressOwner);
  const nested = Object.keys(owner).filter((name) => !Object.hasOwn(known, name));
  return [...names, ...nested.map((name) => `txAddressOwner.${name}`)];
}
