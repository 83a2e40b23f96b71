import {
  ACCOUNTS,
  AMOUNTS,
  CURRENCIES,
  EVENT_WORDS,
  KIND,
  keyOf,
  LINE,
  mix,
  randomSeeds,
  wordAt,
} from './events.js';

/** Where a body is. */
export interface Place {
  /** The number of the file in the order of the command line. */
  readonly file: number;
  /** The number of the line, from 1. */
  readonly line: number;
}

/** In what two bodies of one event may differ. */
const DIFFERENCES = ['amount', 'currency', 'account'] as const;
export type Difference = (typeof DIFFERENCES)[number];

/** Bodies of one event that contradict each other. */
interface Conflict {
  readonly key: string;
  readonly differs: Difference[];
  /** The first body of the event, and each that differs from it in something that none before it did. */
  readonly places: Place[];
}

/** The events of an archive by their idempotency keys. */
export interface KeyTable {
  /** Takes the events of some lines, the first of which is the given one. */
  add(events: Uint32Array, first: Place): void;
  /** What there is by now. */
  summary(): KeySummary;
}

export interface KeySummary {
  /** How many keys are remembered at most. */
  readonly limit: number;
  readonly different: number;
  /** Bodies whose key was there before. */
  readonly repeated: number;
  /** Bodies whose key was not remembered, because the table was full: their repetitions went unseen. */
  readonly unremembered: number;
  /** Keys whose bodies differ. */
  readonly conflicting: number;
  /** Of these, how many differ in what; a key may differ in several. */
  readonly differing: Readonly<Record<Difference, number>>;
  /** The first conflicts. */
  readonly conflicts: readonly Conflict[];
}

/** Where the two words of each hash begin. */
const HASHES: Readonly<Record<Difference, number>> = {
  amount: AMOUNTS,
  currency: CURRENCIES,
  account: ACCOUNTS,
};
/** The word KIND of an entry: the kind of event in bits 0 and 1, known differences in 2 to 4, then the file. */
const DIFFERS_SHIFT = 2;
const FILE_SHIFT = 5;
const KIND_MASK = (1 << DIFFERS_SHIFT) - 1;

const SEGMENT_BITS = 14;
/** Events are kept in arrays of this many, so that none is copied when there are more. */
const SEGMENT = 1 << SEGMENT_BITS;

/**
 * Remembers events in about 60 bytes each: JavaScript's own maps take five times as much.
 *
 * @param limit - How many keys are remembered.
 * @param listed - How many conflicts are listed.
 */
export function createKeyTable(limit: number, listed: number): KeyTable {
  const [seed] = randomSeeds();
  const segments: Uint32Array[] = [];
  // An open hash table of the numbers of events, from 1; 0 is a free place.
  let slots = new Uint32Array(1 << 10);
  let different = 0;
  let repeated = 0;
  let unremembered = 0;
  let conflicting = 0;
  const differing: Record<Difference, number> = { amount: 0, currency: 0, account: 0 };
  const conflicts = new Map<string, Conflict>();

  const segmentOf = (number: number): Uint32Array =>
    segments[number >>> SEGMENT_BITS] as Uint32Array;

  const grow = (): void => {
    slots = new Uint32Array(slots.length * 2);
    for (let number = 0; number < different; number += 1) {
      const at = startOf(number);
      let slot = hashOf(segmentOf(number), at, seed) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = number + 1;
    }
  };

  const addOne = (events: Uint32Array, start: number, place: Place): void => {
    let slot = hashOf(events, start, seed) & (slots.length - 1);
    for (;;) {
      const number = wordAt(slots, slot) - 1;
      if (number === -1) break;
      const segment = segmentOf(number);
      const at = startOf(number);
      if (isSameKey(segment, at, events, start)) {
        repeated += 1;
        compare(segment, at, events, start, place);
        return;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    if (different === limit) {
      unremembered += 1;
      return;
    }
    slots[slot] = different + 1;
    const at = startOf(different);
    if (at === 0) segments.push(new Uint32Array(SEGMENT * EVENT_WORDS));
    const segment = segmentOf(different);
    segment.set(events.subarray(start, start + EVENT_WORDS), at);
    segment[at + KIND] = wordAt(events, start + KIND) | (place.file << FILE_SHIFT);
    segment[at + LINE] = place.line;
    different += 1;
    if (different * 4 > slots.length * 3) grow();
  };

  const compare = (
    segment: Uint32Array,
    at: number,
    events: Uint32Array,
    start: number,
    place: Place,
  ): void => {
    let word = wordAt(segment, at + KIND);
    const isFirst = ((word >>> DIFFERS_SHIFT) & 7) === 0;
    const differs = DIFFERENCES.filter((difference, index) => {
      const isKnown = ((word >>> (DIFFERS_SHIFT + index)) & 1) === 1;
      const hash = HASHES[difference];
      return (
        !isKnown &&
        (segment[at + hash] !== events[start + hash] ||
          segment[at + hash + 1] !== events[start + hash + 1])
      );
    });
    if (differs.length === 0) return;
    for (const difference of differs) {
      differing[difference] += 1;
      word |= 1 << (DIFFERS_SHIFT + DIFFERENCES.indexOf(difference));
    }
    segment[at + KIND] = word;
    if (isFirst) conflicting += 1;
    const key = keyOf(events, start);
    const known = conflicts.get(key);
    if (known !== undefined) {
      known.differs.push(...differs);
      known.places.push(place);
    } else if (conflicts.size < listed) {
      const first = { file: word >>> FILE_SHIFT, line: wordAt(segment, at + LINE) };
      conflicts.set(key, { key, differs, places: [first, place] });
    }
  };

  return {
    add(events, { file, line }) {
      for (let start = 0; start < events.length; start += EVENT_WORDS) {
        addOne(events, start, { file, line: line + wordAt(events, start + LINE) });
      }
    },
    summary: () => ({
      limit,
      different,
      repeated,
      unremembered,
      conflicting,
      differing: { ...differing },
      conflicts: [...conflicts.values()],
    }),
  };
}

function startOf(number: number): number {
  return (number & (SEGMENT - 1)) * EVENT_WORDS;
}

/** Seeded, so that nobody can make up identifiers that all want the same slot. */
function hashOf(events: Uint32Array, start: number, seed: number): number {
  let hash = wordAt(events, start + KIND) & KIND_MASK;
  for (let at = start; at < start + KIND; at += 1) hash = mix(hash, wordAt(events, at) ^ seed);
  return hash ^ (hash >>> 16);
}

function isSameKey(one: Uint32Array, at: number, other: Uint32Array, start: number): boolean {
  for (let word = 0; word < KIND; word += 1) {
    if (one[at + word] !== other[start + word]) return false;
  }
  return (wordAt(one, at + KIND) & KIND_MASK) === other[start + KIND];
}
