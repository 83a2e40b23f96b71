import { escapeUnprintable } from '../internal/quote.js';
import type { Counts, Kind, UnknownField } from './check-tally.js';
import { beside, type Color, format, highlight, paint, type Terminal, wrap } from './terminal.js';

/** The result of `check`. */
export interface CheckResult {
  readonly files: readonly string[];
  /** Files that could not be read to the end. */
  readonly unread: readonly string[];
  /** Bytes read, before unzipping. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly counts: Readonly<Counts>;
  /** Why these are probably no archives. */
  readonly hint: string | null;
  readonly kinds: readonly Kind[];
  /** The most frequent ones. */
  readonly unknownFields: readonly UnknownField[];
}

/** The most frequent first; of the same frequency, the one that came first. */
export function mostFrequent<T extends { readonly count: number }>(found: Iterable<T>): T[] {
  return [...found].sort((one, other) => other.count - one.count);
}

export function reportOf(result: CheckResult, terminal: Terminal): string {
  const { files, unread, bytes, durationMs, interrupted, counts, hint, kinds, unknownFields } =
    result;
  const { columns } = terminal;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const bodies = `${format.count(counts.bodies)} ${counts.bodies === 1 ? 'body' : 'bodies'}`;
  const row = (count: number, ...labels: string[]): string[] =>
    count === 0 ? [] : beside(`${format.count(count).padStart(10)}  `, labels, columns);
  const title = (color: Color, text: string): string[] => ['', paint(terminal, color, text)];
  const summary =
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${bodies}, ` +
    `${format.bytes(bytes)} in ${format.duration(durationMs)}`;
  const lines = [
    ...wrap(summary, columns),
    ...unread.flatMap((file) => wrap(`not fully read: ${file}`, columns)),
    '',
    ...row(counts.valid, 'valid'),
    ...row(counts.warnings, 'valid, with warnings'),
    ...row(counts.refused, 'refused'),
    ...row(counts.blank, 'blank'),
    ...(hint === null ? [] : ['', ...highlight(terminal, 'yellow', hint)]),
    ...(kinds.length === 0 ? [] : title('red', 'faults and warnings')),
    ...mostFrequent(kinds).flatMap(({ verdict, code, count, first, message, examples }) => [
      ...row(count, `${verdict}: ${code}, first in ${first}`, message),
      // One line each, so that they can be copied.
      ...examples.map((one) => `${one.place} ${escapeUnprintable(one.body.trim())}`),
    ]),
    ...(unknownFields.length === 0 ? [] : title('yellow', 'unknown fields')),
    ...unknownFields.flatMap(({ name, count, first }) => row(count, `${name}, first in ${first}`)),
  ];
  return `${lines.join('\n')}\n`;
}
