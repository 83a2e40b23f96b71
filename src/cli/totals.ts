import { formatCount, formatTime, plural, shorten } from '../inspect/display.js';
import type { Judged } from '../inspect/judgement.js';
import type { Verdict } from '../inspect/verdict.js';
import type { NotificationIssue } from '../parser/errors.js';
import { nameOfPath } from '../parser/messages.js';
import { TX_ADDRESS_OWNER } from '../parser/withdrawal-broadcast.js';
import type { FileCounts, Input } from './read-bodies.js';
import { beside, type Color, highlight, type Terminal, wrap } from './terminal.js';

/**
 * How many different reasons and names are counted. Without a limit, an archive in which each name
 * contains an identifier would take all memory.
 */
const MAX_KINDS = 10_000;
/** How many kinds a section lists. */
const MAX_LISTED = 20;
/** Maximum length of a name and of a reason, in characters. */
const [MAX_NAME, MAX_REASON] = [40, 200];
/** What to do about the bodies of a store. */
const NEXT_STEP =
  'The receiver tries those in progress and in retry again. Those in review wait for someone: docs/runbook.md of this package says what to do for each reason.';

/** What several bodies have in common, such as a reason. */
interface Kind {
  readonly title: string;
  count: number;
  /** The place of the first body. */
  readonly first: string;
  /** Says more about the first body. */
  readonly message: string;
  /** When a store saved the oldest of these bodies; null if the kind isn't a store's reason. */
  since: Date | null;
}

/** Counts bodies by outcome, and the reasons why they are not good. */
export interface Totals {
  readonly counts: Record<Verdict, number>;
  add(judged: Judged, outcome: Verdict, input: Pick<Input, 'place' | 'saved'>): void;
  report(reading: FileCounts, terminal: Terminal): string;
}

export function createTotals(): Totals {
  const counts = { good: 0, check: 0, refused: 0 };
  const reasons = new Map<string, Kind>();
  const unknown = new Map<string, Kind>();
  let isStore = false;

  return {
    counts,
    add(judged, outcome, { place, saved }) {
      const { issues, warnings } = judged.judgement;
      counts[outcome] += 1;
      const count = (title: string, message = '', since: Date | null = null) =>
        countKind(reasons, { title, first: place, message, since });
      isStore ||= saved !== null;
      if (saved !== null) {
        // The endpoint wrote the reason. It is missing if someone moved only the body.
        const words = saved.reason ? withoutValues(saved.reason) : 'without a reason';
        count(shorten(`${saved.folder}: ${words}`, MAX_REASON), '', saved.since);
      }
      if (!saved?.reason) {
        for (const issue of issues) count(titleOf('refused', issue), issue.message);
        for (const issue of warnings) count(titleOf('warning', issue), issue.message);
        for (const check of judged.checks) count(`check: ${check}`);
      }
      // If the other type was expected, most names seem unknown, and need no mention.
      const isOther = issues[0]?.code === 'unrecognized_notification';
      for (const name of isOther ? [] : unknownNames(judged)) {
        const title = shorten(name, MAX_NAME);
        countKind(unknown, { title, first: place, message: '', since: null });
      }
    },
    report({ files, unread }, terminal) {
      const { columns, interrupt } = terminal;
      const row = (number: number, ...texts: string[]): string[] =>
        number === 0 ? [] : beside(`${formatCount(number).padStart(10)}  `, texts, columns);
      const section = (color: Color, title: string, kinds: ReadonlyMap<string, Kind>): string[] => {
        if (kinds.size === 0) return [];
        const rows = mostFrequent(kinds).flatMap(({ title, count, first, message, since }) =>
          since === null
            ? row(count, `${title}, first in ${first}`, ...(message === '' ? [] : [message]))
            : row(count, title, `the oldest since ${timeOf(since)}`),
        );
        const more = kinds.size - MAX_LISTED;
        const end = more > 0 ? [`${BESIDE}and ${formatCount(more)} more`] : [];
        return ['', ...highlight(terminal, color, title), ...rows, ...end];
      };
      const bodies = counts.good + counts.check + counts.refused;
      const interrupted = interrupt.aborted ? 'Interrupted: ' : '';
      const notRead = unread === 0 ? '' : `, ${formatCount(unread)} not read`;
      const lines = [
        ...(bodies === 0 ? [] : ['']),
        `${interrupted}${plural(bodies, 'body', 'bodies')} in ${plural(files, 'file')}${notRead}`,
        '',
        ...(bodies === 0 ? ['There is no body.'] : []),
        ...row(counts.good, 'good'),
        ...row(counts.check, 'to check'),
        ...row(counts.refused, 'refused'),
        ...section('yellow', 'reasons', reasons),
        ...section('cyan', 'unknown fields', unknown),
        ...(isStore ? ['', ...wrap(NEXT_STEP, columns)] : []),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

const BESIDE = ' '.repeat(12);

/** Formats a time for people, to the second. */
export function timeOf(since: Date): string {
  return formatTime(since.toISOString().replace(/\.\d+/, ''));
}

function titleOf(kind: string, { code, path, received }: NotificationIssue): string {
  // Faults of a whole body share the empty path, and often a code. What was received differs.
  const text = path.length === 0 ? withoutValues(received) : nameOfPath(path);
  return `${kind}: ${code} ${text}`;
}

/** Removes identifiers and amounts, so that similar reasons are counted together. */
function withoutValues(reason: string): string {
  // The message of a refusal ends with the identifiers of the event.
  const end = reason.endsWith(']') ? reason.lastIndexOf(' [') : -1;
  return (end === -1 ? reason : reason.slice(0, end))
    .split(' ')
    .map((word) => (/\d/.test(word) && !/^(?:UTF-|base64)/.test(word) ? '…' : word))
    .join(' ');
}

function countKind(kinds: Map<string, Kind>, kind: Omit<Kind, 'count'>): void {
  const known = kinds.get(kind.title);
  if (known === undefined) {
    if (kinds.size < MAX_KINDS) kinds.set(kind.title, { ...kind, count: 1 });
    return;
  }
  known.count += 1;
  // If a folder has the name of an outcome, a reason may have the title of another kind.
  if (kind.since !== null && known.since !== null && kind.since < known.since) {
    known.since = kind.since;
  }
}

/** The most frequent first; among equally frequent ones, the one that came first. */
function mostFrequent(kinds: ReadonlyMap<string, Kind>): Kind[] {
  return [...kinds.values()].sort((one, other) => other.count - one.count).slice(0, MAX_LISTED);
}

/** The names that this version doesn't know. */
function unknownNames({ reading }: Judged): string[] {
  if (reading === null) return [];
  const { rules, notification } = reading;
  const isKnown = (name: string) => rules.some((rule) => rule.name === name);
  const names = Object.keys(notification.additionalFields).filter((name) => !isKnown(name));
  if (notification.type === 'deposit.received') return names;
  const nested = Object.keys(notification.txAddressOwner?.additionalFields ?? {});
  const others = nested.filter((name) => !Object.hasOwn(TX_ADDRESS_OWNER, name));
  return [...names, ...others.map((name) => `txAddressOwner.${name}`)];
}
