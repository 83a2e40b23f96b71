// Several bodies. They are read and filtered in slices, so that the page stays usable.
import type { NotificationType } from 'payment-notifications';
import { inspectBody, type Verdict } from 'payment-notifications/inspect';
import { findBodiesAndBroken } from '../../../src/inspect/find-bodies';
import {
  createRelations,
  isForReview,
  type Relation,
  withRelation,
} from '../../../src/inspect/relations';
import { type Outcome, outcomeOf } from './outcome';
import { type Body, type Piece, textOf } from './reading';

/** The first slice is longer, so that a short list is complete when it appears. */
const FIRST_SLICE_MS = 12;
/** How long the page may be busy before it looks at keys and clicks again. */
const SLICE_MS = 4;
/** Checking the time costs more than filtering this many entries. */
const FILTERED_AT_ONCE = 100;
/**
 * How often the page shows how far it is, and how long after a key it shows the hits, unless it is
 * done earlier. To draw another body for each key would take longer than the key may.
 */
const SHOW_MS = 250;
/** A file of 50 MB with more of them has no bodies. */
const MAX_LISTED = 250_000;

export interface Entry {
  readonly id: number;
  readonly line: number;
  readonly body: Body;
  readonly verdict: Verdict;
  readonly outcome: Outcome;
  readonly summary: string;
  /**
   * What the filter looks at, in lower case: what the list shows, and the text that the body was
   * in. Made once, because each keystroke in the filter would take too long otherwise.
   */
  readonly searched: readonly [shown: string, text: string];
  /** Whether no body was found here, so that all of the text counts as a faulty one. */
  readonly isOther: boolean;
}

/** By the ID of an entry. */
export type Relations = ReadonlyMap<number, readonly Relation[]>;

/**
 * The counts of the command `check`, the lines of a log that have no body, the bodies that
 * contradict another one, which count as nothing else, and the withdrawals with several statuses.
 */
export type Counts = Readonly<
  Record<'lines' | 'blank' | 'other' | 'contradicting' | 'withdrawals' | Verdict, number>
>;

export interface ArchiveState {
  readonly counts: Counts;
  /** The entries with the text of the filter. */
  readonly hits: readonly Entry[];
  readonly relations: Relations;
  /** The text of the filter that these are the hits of. */
  readonly filter: string;
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
 * @param show - Is called with the first slice before this function returns, then four times a
 * second, and at the end.
 */
export function readArchive(
  pieces: Iterable<Piece>,
  as: NotificationType | undefined,
  filter: string,
  show: (state: ArchiveState) => void,
): Archive {
  const unread = readPieces();
  const counts = {
    ...{ lines: 0, blank: 0, other: 0 },
    ...{ valid: 0, warnings: 0, refused: 0, contradicting: 0, withdrawals: 0 },
  };
  const relations = new Map<number, readonly Relation[]>();
  /** Those with several statuses. */
  const withdrawals = new Set<string>();
  const relate = createRelations<Entry>(({ body }) => inspectBody(body, { as }), note);
  let entries: Entry[] = [];
  let count = 0;
  let others = 0;
  let isLog = false;
  let current = filter;
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
      if (isHit(entry)) hits.push(entry);
      filtered += 1;
    }
    return true;
  }

  /** Stops after each line and each body, because a line may have thousands of bodies. */
  function* readPieces(): Generator<undefined> {
    for (const piece of pieces) {
      counts.lines += 1;
      const text = textOf(piece.text);
      const found = findBodiesAndBroken(text);
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
    const shown = `${line} ${verdict} ${summary}`;
    const searched = [shown.toLowerCase(), text.toLowerCase()] as const;
    const entry = { id: count, line, body, verdict, outcome, summary, searched, isOther };
    entries.push(entry);
    count += 1;
    relate(entry, inspection);
  }

  /** An earlier entry may get or lose a relation after it was filtered. */
  function note(entry: Entry, relation: Relation | null, replaced?: Relation | null): void {
    const known = relations.get(entry.id) ?? [];
    if (relation?.kind === 'contradicts' && !isContradicting(known)) {
      counts[entry.verdict] -= 1;
      counts.contradicting += 1;
    }
    if (relation?.withdrawalId !== undefined) withdrawals.add(relation.withdrawalId);
    counts.withdrawals = withdrawals.size;
    const wasHit = isHit(entry);
    relations.set(entry.id, withRelation(known, relation, replaced));
    const isFiltered = entry.id <= (entries[filtered - 1]?.id ?? -1);
    if (!isFiltered || wasHit === isHit(entry)) return;
    const at = hits.findLastIndex(({ id }) => id < entry.id);
    if (wasHit) hits.splice(at + 1, 1);
    else hits.splice(at + 1, 0, entry);
  }

  function isHit({ id, searched: [shown, text] }: Entry): boolean {
    if (shown.includes(wanted) || text.includes(wanted)) return true;
    const related = relations.get(id) ?? [];
    return related.some((relation) => relation.text.toLowerCase().includes(wanted));
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

  /** @param sliceMs - The length of the first slice. */
  async function work(sliceMs: number, shownAt: number): Promise<void> {
    run += 1;
    const own = run;
    const showState = (isDone: boolean) =>
      show({ counts: { ...counts }, hits, relations, filter: current, isDone });
    let shown = shownAt;
    let slice = sliceMs;
    for (;;) {
      const start = performance.now();
      while (performance.now() < start + slice) {
        if (step()) continue;
        showState(true);
        return;
      }
      if (start >= shown + SHOW_MS) {
        shown = start;
        showState(false);
      }
      slice = SLICE_MS;
      await nextTask();
      if (own !== run) return;
    }
  }

  work(FIRST_SLICE_MS, Number.NEGATIVE_INFINITY);
  return {
    filter(text) {
      current = text;
      wanted = toWanted(text);
      filtered = 0;
      hits = [];
      work(SLICE_MS, performance.now());
    },
    stop() {
      run += 1;
    },
  };
}

/** Whether a body contradicts another one, so that neither is good. */
function isContradicting(relations: readonly Relation[]): boolean {
  return relations.some(({ kind }) => kind === 'contradicts');
}

/** The outcome of a body in its list. */
export function outcomeIn({ id, outcome }: Entry, relations: Relations): Outcome {
  return isForReview(relations.get(id) ?? []) ? 'review' : outcome;
}

function toWanted(filter: string): string {
  return filter.trim().toLowerCase();
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
