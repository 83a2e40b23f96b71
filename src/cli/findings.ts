import type { KeyTable, Place } from './key-table.js';
import { type Counts, createCounts, type IssueKind, type Tally } from './tally.js';

/** Bodies with the same issue in the same field, in all files. */
export interface FoundKind extends Omit<IssueKind, 'line' | 'examples'> {
  /** Where the first one is. */
  readonly first: Place;
  readonly examples: FoundBody[];
}

/** A body, and where it is. */
interface FoundBody extends Place {
  readonly body: string;
}

/** What was found in all files. */
export interface Findings {
  readonly counts: Counts;
  readonly kinds: readonly FoundKind[];
  /** Adds what was found in the lines of a file that come next. */
  add(tally: Tally, file: number): void;
}

const COUNTED = Object.keys(createCounts()) as (keyof Counts)[];

/**
 * @param show - How many bodies of each kind are kept.
 * @param keys - Where the events are remembered.
 */
export function createFindings(show: number, keys: KeyTable): Findings {
  const counts = createCounts();
  const kinds = new Map<string, FoundKind>();
  const linesOf = new Map<number, number>();

  const addKind = (id: string, kind: IssueKind, file: number, before: number): void => {
    const { line, examples, ...rest } = kind;
    const placeOf = (index: number): Place => ({ file, line: before + index + 1 });
    const found = kinds.get(id);
    const known = found ?? { ...rest, count: 0, first: placeOf(line), examples: [] };
    kinds.set(id, known);
    known.count += kind.count;
    for (const example of examples.slice(0, show - known.examples.length)) {
      known.examples.push({ ...placeOf(example.line), body: example.body });
    }
  };

  return {
    counts,
    get kinds() {
      return [...kinds.values()];
    },
    add(tally, file) {
      const before = linesOf.get(file) ?? 0;
      linesOf.set(file, before + tally.counts.lines);
      keys.add(tally.events, { file, line: before + 1 });
      for (const [id, kind] of tally.kinds) addKind(id, kind, file, before);
      for (const name of COUNTED) counts[name] += tally.counts[name];
    },
  };
}
