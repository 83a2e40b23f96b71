import type { IssueCode, NotificationIssue, NotificationType } from '../errors.js';
import { MAX_BYTES } from '../internal/body.js';
import { nameOfPath } from '../internal/issues.js';
import { parserOf } from '../parse.js';
import { pushEvent, type Seeds } from './events.js';

// What is done with each line of an archive, in any thread. All that is returned can be sent to another thread.

/** How the lines are read. */
export interface TallyOptions {
  readonly as?: NotificationType | undefined;
  /** How many bodies of each kind are kept. */
  readonly show: number;
  /** Whether the refused lines are kept. */
  readonly keepRefused: boolean;
  /** The same in all threads: their hashes are compared. */
  readonly seeds: Seeds;
}

/** What became of a line. */
export type LineVerdict = 'warnings' | 'refused' | 'noBody';

/** Bodies with the same issue in the same field. */
export interface IssueKind {
  readonly verdict: LineVerdict;
  readonly code: IssueCode;
  /** The documented name, `txAddressOwner.name` e.g., or `body`. */
  readonly field: string;
  count: number;
  /** The first line of the kind, counted from 0. */
  readonly line: number;
  readonly examples: Example[];
}

interface Example {
  readonly line: number;
  readonly body: string;
}

/** How many lines there are of each verdict. */
export interface Counts {
  lines: number;
  blank: number;
  valid: number;
  warnings: number;
  refused: number;
  noBody: number;
}

export function createCounts(): Counts {
  return { lines: 0, blank: 0, valid: 0, warnings: 0, refused: 0, noBody: 0 };
}

/** What was found in some lines. */
export interface Tally {
  readonly counts: Counts;
  readonly kinds: Map<string, IssueKind>;
  /** The refused lines as they were, but for those that are too long for a body. */
  readonly refused: Uint8Array;
  /** The event of each notification that was read, see {@link pushEvent}. */
  readonly events: Uint32Array;
  /** The buffer of the lines, to be used again. */
  readonly memory: ArrayBuffer;
}

const NEWLINE = 0x0a;
const LINE_BREAK: Uint8Array = Uint8Array.of(NEWLINE);

/** Codes of a line that holds no JSON object. */
const NO_BODY: ReadonlySet<IssueCode> = new Set([
  'invalid_json',
  'not_an_object',
  'body_too_large',
]);

/** Reads every line of a part of an archive. */
export function tallyLines(bytes: Uint8Array, options: TallyOptions): Tally {
  const parse = parserOf(options.as);
  const counts = createCounts();
  const kinds = new Map<string, IssueKind>();
  const refused: Uint8Array[] = [];
  const events: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const body = bytes.subarray(start, end);
    const line = counts.lines;
    counts.lines += 1;
    start = end + 1;
    if (isBlank(body)) {
      counts.blank += 1;
      continue;
    }
    const { notification, error } = parse(body);
    if (notification !== undefined) {
      pushEvent(events, notification, line, options.seeds);
      if (notification.warnings.length === 0) {
        counts.valid += 1;
        continue;
      }
      counts.warnings += 1;
      note(kinds, 'warnings', notification.warnings, line, body, options);
      continue;
    }
    const verdict = NO_BODY.has(error.issues[0].code) ? 'noBody' : 'refused';
    counts[verdict] += 1;
    note(kinds, verdict, error.issues, line, body, options);
    if (options.keepRefused && body.length <= MAX_BYTES) refused.push(body, LINE_BREAK);
  }
  return {
    counts,
    kinds,
    refused: concat(refused),
    events: new Uint32Array(events),
    memory: bytes.buffer as ArrayBuffer,
  };
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

function isBlank(line: Uint8Array): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}

function note(
  kinds: Map<string, IssueKind>,
  verdict: LineVerdict,
  issues: readonly NotificationIssue[],
  line: number,
  body: Uint8Array,
  { show }: TallyOptions,
): void {
  for (const { code, path } of issues) {
    const field = nameOfPath(path);
    const id = `${verdict} ${code} ${field}`;
    const kind = kinds.get(id) ?? { verdict, code, field, count: 0, line, examples: [] };
    kinds.set(id, kind);
    kind.count += 1;
    if (kind.examples.length < show) {
      kind.examples.push({ line, body: new TextDecoder().decode(body) });
    }
  }
}
