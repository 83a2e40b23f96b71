import { formatCount, plural, shorten } from '../inspect/display.js';
import type { Judged } from '../inspect/judgement.js';
import type { Verdict } from '../inspect/verdict.js';
import type { NotificationIssue } from '../parser/errors.js';
import { nameOfPath } from '../parser/messages.js';
import type { FileCounts, Input } from './read-bodies.js';

/**
 * How many different reasons are counted. Without a limit, an archive in which each of them has
 * another name in it would take all memory.
 */
const MAX_KINDS = 10_000;
const MAX_LISTED = 20;
const MAX_TITLE = 200;
/** What to do about the bodies of a store. */
const NEXT_STEP = `
The receiver retries the webhooks in progress and in retry. The webhooks in review wait for a
decision. For each reason, see node_modules/payment-notifications/docs/runbook.md.
`;

/** How often something was found, and in which body first. */
interface Tally {
  count: number;
  readonly place: string;
}

/** Counts bodies by outcome, and the reasons why they are not good. */
interface Totals {
  readonly counts: Record<Verdict, number>;
  bodies(): number;
  add(
    judged: Judged,
    outcome: Verdict,
    input: Pick<Input, 'place' | 'saved'>,
    twin: string | null,
  ): void;
  report(reading: FileCounts): string;
}

export function createTotals(): Totals {
  const counts = { good: 0, check: 0, refused: 0 };
  const reasons = new Map<string, Tally>();
  let isStore = false;
  const bodies = (): number => counts.good + counts.check + counts.refused;

  return {
    counts,
    bodies,
    add(judged, outcome, { place, saved }, twin) {
      counts[outcome] += 1;
      isStore ||= saved !== null;
      for (const reason of reasonsOf(judged, saved)) count(reasons, reason, place);
      if (twin !== null) count(reasons, 'check: the same transaction as another deposit', place);
    },
    report({ files, unread }) {
      const notRead = unread === 0 ? '' : `, ${formatCount(unread)} not read`;
      const lines = [
        `${plural(bodies(), 'webhook')} in ${plural(files, 'file')}${notRead}`,
        ...(bodies() > 0 ? [''] : []),
        ...(counts.good > 0 ? [countRow(counts.good, 'good')] : []),
        ...(counts.check > 0 ? [countRow(counts.check, 'to check')] : []),
        ...(counts.refused > 0 ? [countRow(counts.refused, 'refused')] : []),
        ...reasonRows(reasons),
      ];
      return `${bodies() > 0 ? '\n' : ''}${lines.join('\n')}\n${isStore ? NEXT_STEP : ''}`;
    },
  };
}

function countRow(count: number, text: string): string {
  return `${formatCount(count).padStart(10)}  ${text}`;
}

/** The most frequent first; among equally frequent ones, the one that came first. */
function reasonRows(kinds: ReadonlyMap<string, Tally>): string[] {
  if (kinds.size === 0) return [];
  const sorted = [...kinds].sort(([, one], [, other]) => other.count - one.count);
  const rows = sorted
    .slice(0, MAX_LISTED)
    .map(([name, { count, place }]) => countRow(count, `${name}, first in ${place}`));
  const more = kinds.size - MAX_LISTED;
  return [
    '',
    'reasons',
    ...rows,
    ...(more > 0 ? [`            and ${formatCount(more)} more`] : []),
  ];
}

function count(kinds: Map<string, Tally>, name: string, place: string): void {
  const title = shorten(name, MAX_TITLE);
  const known = kinds.get(title);
  if (known !== undefined) known.count += 1;
  else if (kinds.size < MAX_KINDS) kinds.set(title, { count: 1, place });
}

/** Why a body isn't good: what its endpoint has written about it, or else what is judged. */
function reasonsOf({ judgement, checks }: Judged, saved: Input['saved']): string[] {
  if (saved?.reason) return [`${saved.folder}: ${withoutValues(saved.reason)}`];
  return [
    // The reason is missing if someone moved only the body.
    ...(saved === null ? [] : [`${saved.folder}: without a reason`]),
    ...judgement.issues.map((issue) => `refused: ${titleOf(issue)}`),
    ...judgement.warnings.map((issue) => `warning: ${titleOf(issue)}`),
    ...checks.map((check) => `check: ${check}`),
  ];
}

function titleOf({ code, path, received }: NotificationIssue): string {
  // Faults of a whole body share the empty path, and often a code. What was received differs.
  return `${code} ${path.length === 0 ? withoutValues(received) : nameOfPath(path)}`;
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
