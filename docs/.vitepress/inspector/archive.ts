// Several bodies. They are read and filtered in slices, so that the page stays usable.
import type { NotificationType } from 'payment-notifications';
import { inspectBody, type Verdict } from 'payment-notifications/inspect';
import { findBodies } from '../../../src/inspect/find-bodies';
import { type Outcome, outcomeOf } from './outcome';
import { type Body, type Piece, textOf } from './reading';

/** How long the page may be busy before it looks at keys and clicks again. */
const SLICE_MS = 12;
/** How often the page shows how far it is. */
const SHOW_MS = 100;
/** A file of 50 MB with more of them has no bodies. */
const MAX_LISTED = 250_000;

export interface Entry {
  readonly id: number;
  readonly line: number;
  readonly body: Body;
  readonly verdict: Verdict;
  readonly outcome: Outcome;
  readonly summary: string;
  /** What the body was in, which the filter looks at. */
  readonly text: Body;
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
  const unread = pieces[Symbol.iterator]();
  const counts = { lines: 0, blank: 0, other: 0, valid: 0, warnings: 0, refused: 0 };
  let entries: Entry[] = [];
  let count = 0;
  let others = 0;
  let isLog = false;
  let wanted = toWanted(filter);
  let hits: Entry[] = [];
  let filtered = 0;
  let run = 0;

  /**
   * Filters the next entry, or reads the next piece. Returns false if there is nothing left to do.
   */
  function step(): boolean {
    const entry = entries[filtered];
    if (entry !== undefined) {
      filtered += 1;
      if (isHit(entry, wanted)) hits.push(entry);
      return true;
    }
    const { done, value } = unread.next();
    if (!done) readPiece(value);
    return !done;
  }

  function readPiece(piece: Piece): void {
    counts.lines += 1;
    const text = textOf(piece.text);
    if (/^[ \t\r]*$/.test(text)) {
      counts.blank += 1;
      return;
    }
    const found = findBodies(text);
    if (!isLog && found.some(({ from }) => from !== 'whole')) startLog();
    if (found.length > 0) {
      for (const { body, from } of found) add(piece, from === 'whole' ? piece.text : body, false);
    } else if (isLog) counts.other += 1;
    else add(piece, piece.text, true);
  }

  function add({ line, text }: Piece, body: Body, isOther: boolean): void {
    const inspection = inspectBody(body, { as });
    const { verdict, summary } = inspection;
    counts[verdict] += 1;
    if (isOther) others += 1;
    if (entries.length === MAX_LISTED) return;
    const outcome = outcomeOf(inspection);
    entries.push({ id: count, line, body, verdict, outcome, summary, text, isOther });
    count += 1;
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

function toWanted(filter: string): string {
  return filter.trim().toLowerCase();
}

function isHit({ line, text, verdict, summary }: Entry, wanted: string): boolean {
  if (wanted === '') return true;
  const shown = `${line} ${verdict} ${summary}`.toLowerCase();
  return shown.includes(wanted) || textOf(text).toLowerCase().includes(wanted);
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
