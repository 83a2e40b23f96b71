// Several bodies. They are read and filtered in slices, so that the page stays usable.
import type { NotificationType } from 'payment-notifications';
import { type Inspection, inspectBody, type Verdict } from 'payment-notifications/inspect';
import { findBodies } from '../../../src/inspect/find-bodies';
import { printable } from './marks';
import { type Outcome, outcomeOf } from './outcome';
import { type Body, type Piece, textOf } from './reading';
import { type Difference, differencesOf, type Relation, relate } from './rows';

/** How long the page may be busy before it looks at keys and clicks again. */
const SLICE_MS = 12;
/** Checking the time costs more than filtering this many entries. */
const FILTERED_AT_ONCE = 100;
/** How often the page shows how far it is. */
const SHOW_MS = 100;
const MAX_NAMED = 2;
/** A file of 50 MB with more of them has no bodies. */
const MAX_LISTED = 250_000;

export interface Entry {
  readonly id: number;
  readonly line: number;
  readonly body: Body;
  readonly verdict: Verdict;
  readonly outcome: Outcome;
  readonly summary: string;
  /** Whether it agrees with an earlier body of the same event; null if it is the first one. */
  readonly repeat: Relation | null;
  /**
   * What the filter looks at, in lower case: what the list shows, and the text that the body was
   * in. Made once, because each keystroke in the filter would take too long otherwise.
   */
  readonly searched: readonly [shown: string, text: string];
  /** Whether no body was found here, so that all of the text counts as a faulty one. */
  readonly isOther: boolean;
}

/** The counts of the command `check`, and the lines of a log that have no body. */
export type Counts = Readonly<Record<'lines' | 'blank' | 'other' | Verdict, number>>;

export interface ArchiveState {
  readonly counts: Counts;
  /** The entries with the text of the filter. */
  readonly hits: readonly Entry[];
  /** Whether every line is read and filtered. */
  readonly isDone: boolean;
}

export interface Archive {
  readonly filter: (text: string) => void;
  readonly stop: () => void;
}

/**
 * Reads several bodies.
 *
 * @param filter - Lists only what contains this text.
 * @param show - Is called with the first slice before this function returns, then every tenth of a
 * second, and at the end.
 */
export function readArchive(
  pieces: Iterable<Piece>,
  as: NotificationType | undefined,
  filter: string,
  show: (state: ArchiveState) => void,
): Archive {
  const unread = readPieces();
  const counts = { lines: 0, blank: 0, other: 0, valid: 0, warnings: 0, refused: 0 };
  /** By idempotency key. */
  const firsts = new Map<string, Entry>();
  let entries: Entry[] = [];
  let count = 0;
  let others = 0;
  let isLog = false;
  let wanted = toWanted(filter);
  let hits: Entry[] = [];
  let filtered = 0;
  let run = 0;

  /**
   * Filters the next entries, or reads the next body. Returns false if there is nothing left to do.
   */
  function step(): boolean {
    if (filtered === entries.length) return unread.next().done !== true;
    for (const entry of entries.slice(filtered, filtered + FILTERED_AT_ONCE)) {
      if (isHit(entry, wanted)) hits.push(entry);
      filtered += 1;
    }
    return true;
  }

  /** Stops after each line and each body, because a line may have thousands of bodies. */
  function* readPieces(): Generator<undefined> {
    for (const piece of pieces) {
      counts.lines += 1;
      const text = textOf(piece.text);
      const found = findBodies(text);
      if (!isLog && found.some(({ from }) => from !== 'whole')) startLog();
      if (/^[ \t\r]*$/.test(text)) counts.blank += 1;
      else if (found.length === 0 && isLog) counts.other += 1;
      else if (found.length === 0) add(piece.line, piece.text, text, true);
      for (const { body, from } of found) {
        // The text around several bodies says nothing of each one.
        const around = found.length === 1 ? text : body;
        add(piece.line, from === 'whole' ? piece.text : body, around, false);
        yield;
      }
      yield;
    }
  }

  function add(line: number, body: Body, text: string, isOther: boolean): void {
    const inspection = inspectBody(body, { as });
    const { verdict, summary } = inspection;
    counts[verdict] += 1;
    if (isOther) others += 1;
    if (entries.length === MAX_LISTED) return;
    const outcome = outcomeOf(inspection);
    const { idempotencyKey: key } = inspection;
    const first = key === null ? undefined : firsts.get(key);
    const repeat = first === undefined ? null : repeatOf(first, line, inspection);
    const shown = `${line} ${verdict} ${summary} ${repeat?.text ?? ''}`;
    const searched = [shown.toLowerCase(), text.toLowerCase()] as const;
    const entry = { id: count, line, body, verdict, outcome, summary, repeat, searched, isOther };
    entries.push(entry);
    count += 1;
    if (key !== null && first === undefined) firsts.set(key, entry);
  }

  /** The first body is inspected once more: to keep all inspections would take too much memory. */
  function repeatOf(first: Entry, line: number, inspection: Inspection): Relation {
    const earlier = inspectBody(first.body, { as });
    const differences = differencesOf(earlier, inspection);
    const { outcome } = relate(earlier, inspection, differences);
    const where = first.line === line ? 'an earlier body of this line' : `line ${first.line}`;
    const texts = {
      good: `same event as ${where}`,
      review: `differs from ${where} in ${namesOf(differences)}`,
      refused: `contradicts ${where}`,
    };
    return { outcome, text: texts[outcome] };
  }

  /** In a log, a line without a body is nothing that the service has sent. */
  function startLog(): void {
    isLog = true;
    counts.other = others;
    counts.refused -= others;
    entries = entries.filter(({ isOther }) => !isOther);
    hits = [];
    filtered = 0;
  }

  async function work(): Promise<void> {
    run += 1;
    const own = run;
    const showState = (isDone: boolean) => show({ counts: { ...counts }, hits, isDone });
    let shown = Number.NEGATIVE_INFINITY;
    for (;;) {
      const start = performance.now();
      while (performance.now() < start + SLICE_MS) {
        if (step()) continue;
        showState(true);
        return;
      }
      if (start >= shown + SHOW_MS) {
        shown = start;
        showState(false);
      }
      await nextTask();
      if (own !== run) return;
    }
  }

  work();
  return {
    filter(text) {
      wanted = toWanted(text);
      filtered = 0;
      hits = [];
      work();
    },
    stop() {
      run += 1;
    },
  };
}

/** The names of the first two fields with different values. */
function namesOf(differences: readonly Difference[]): string {
  const others = differences.filter(({ isEncoding }) => !isEncoding);
  const names = others.slice(0, MAX_NAMED).map(({ name }) => printable(name, 40));
  const left = others.length - names.length;
  return left > 0 ? `${names.join(', ')} and ${left} more` : names.join(' and ');
}

function toWanted(filter: string): string {
  return filter.trim().toLowerCase();
}

function isHit({ searched: [shown, text] }: Entry, wanted: string): boolean {
  return shown.includes(wanted) || text.includes(wanted);
}

/** Unlike a timer, isn't slowed down while the page is in the background. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
