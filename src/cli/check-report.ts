import prettyBytes from 'pretty-bytes';
import prettyMs from 'pretty-ms';
import type { IssueCode } from '../errors.js';
import { escapeUnprintable } from '../internal/issues.js';
import { beside, paint, type Terminal, wrap } from './terminal.js';
import { formatCount } from './usage.js';

/** Bodies with the same issue in the same field. */
export interface Kind {
  readonly verdict: 'refused' | 'warnings';
  readonly code: IssueCode;
  /** The documented name, `txAddressOwner.name` e.g., or `body`. */
  readonly field: string;
  count: number;
  /** `archive.ndjson:2` e.g.: the file, and the line from 1. */
  readonly first: string;
  readonly examples: { readonly place: string; readonly body: string }[];
}

/** What was found in archives. */
export interface CheckResult {
  readonly files: readonly string[];
  /** Those that could not be read, or not to their end. */
  readonly unread: readonly string[];
  /** As many as were read; of a gzip file, before it is unzipped. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly counts: Readonly<Record<'lines' | 'blank' | 'valid' | Kind['verdict'], number>>;
  readonly kinds: readonly Kind[];
}

/** The report for people. */
export function reportOf(result: CheckResult, terminal: Terminal): string {
  const { files, unread, bytes, durationMs, interrupted, counts, kinds } = result;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const lineCount = `${formatCount(counts.lines)} ${counts.lines === 1 ? 'line' : 'lines'}`;
  const row = (count: number, label: string): string[] =>
    count === 0 ? [] : beside(`${formatCount(count).padStart(10)}  `, [label], terminal.columns);
  const summary =
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${lineCount}, ` +
    `${prettyBytes(bytes)} in ${prettyMs(durationMs)}`;
  const lines = [
    ...wrap(summary, terminal.columns),
    ...unread.flatMap((file) => wrap(`not fully read: ${file}`, terminal.columns)),
    '',
    ...row(counts.valid, 'valid'),
    ...row(counts.warnings, 'valid, with warnings'),
    ...row(counts.refused, 'refused'),
    ...row(counts.blank, 'blank'),
    ...(kinds.length === 0 ? [] : ['', paint(terminal, 'red', 'faults and warnings')]),
    ...[...kinds]
      .sort((one, other) => other.count - one.count)
      .flatMap(({ verdict, code, field, count, first, examples }) => [
        ...row(count, `${verdict}: ${code} ${field}, first in ${first}`),
        // In one line each, so that they can be copied.
        ...examples.map((one) => `${one.place} ${escapeUnprintable(one.body.trim())}`),
      ]),
  ];
  return `${lines.join('\n')}\n`;
}
