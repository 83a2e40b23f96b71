import type { IssueCode } from '../errors.js';
import { escapeUnprintable } from '../internal/quote.js';
import { beside, format, highlight, paint, type Terminal, wrap } from './terminal.js';

/** Bodies with the same issue in the same field, `body` for a body as a whole. */
export interface Kind {
  readonly verdict: 'refused' | 'warnings';
  readonly code: IssueCode;
  readonly field: string;
  count: number;
  /** File and line of the first body, such as `archive.ndjson:2`, and its issue. */
  readonly first: string;
  readonly message: string;
  readonly examples: { readonly place: string; readonly body: string }[];
}

/** The result of `check`. */
export interface CheckResult {
  readonly files: readonly string[];
  /** Files that could not be read to the end. */
  readonly unread: readonly string[];
  /** Bytes read, before unzipping. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly counts: Readonly<Record<'lines' | 'blank' | 'valid' | Kind['verdict'], number>>;
  /** Why these are probably no archives. */
  readonly hint: string | null;
  readonly kinds: readonly Kind[];
}

export function reportOf(result: CheckResult, terminal: Terminal): string {
  const { files, unread, bytes, durationMs, interrupted, counts, hint, kinds } = result;
  const { columns } = terminal;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const lineCount = `${format.count(counts.lines)} ${counts.lines === 1 ? 'line' : 'lines'}`;
  const row = (count: number, ...labels: string[]): string[] =>
    count === 0 ? [] : beside(`${format.count(count).padStart(10)}  `, labels, columns);
  const summary =
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${lineCount}, ` +
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
    ...(kinds.length === 0 ? [] : ['', paint(terminal, 'red', 'faults and warnings')]),
    ...[...kinds]
      .sort((one, other) => other.count - one.count)
      .flatMap(({ verdict, code, count, first, message, examples }) => [
        ...row(count, `${verdict}: ${code}, first in ${first}`, message),
        // One line each, so that they can be copied.
        ...examples.map((one) => `${one.place} ${escapeUnprintable(one.body.trim())}`),
      ]),
  ];
  return `${lines.join('\n')}\n`;
}
