import prettyBytes from 'pretty-bytes';
import prettyMs from 'pretty-ms';
import type { IssueCode } from '../errors.js';
import { escapeUnprintable } from '../internal/issues.js';
import { GAP } from './table.js';
import { pad, paint, type Terminal, wrap } from './terminal.js';
import { formatCount } from './usage.js';

/** The place of a body: the index of its file on the command line, and its line, from 1. */
export interface Place {
  readonly file: number;
  readonly line: number;
}

/** Bodies with the same issue in the same field. */
export interface Kind {
  readonly verdict: 'refused' | 'warnings';
  readonly code: IssueCode;
  /** The documented name, `txAddressOwner.name` e.g., or `body`. */
  readonly field: string;
  count: number;
  readonly first: Place;
  readonly examples: (Place & { readonly body: string })[];
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
  const placeOf = ({ file, line }: Place): string => `${files[file]}:${line}`;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const lineCount = `${formatCount(counts.lines)} ${counts.lines === 1 ? 'line' : 'lines'}`;
  const speed = formatCount(Math.round((counts.lines / Math.max(durationMs, 1)) * 1000));
  const row = (count: number, label: string): string[] => {
    const [first, ...more] = wrap(label, terminal.columns - COUNT_WIDTH - GAP.length);
    const start = formatCount(count).padStart(COUNT_WIDTH) + GAP;
    return count === 0 ? [] : [start + first, ...more.map((line) => pad('', start.length) + line)];
  };
  const summary =
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${lineCount}, ` +
    `${prettyBytes(bytes)} in ${prettyMs(durationMs)}, ${speed} a second`;
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
        ...row(count, `${VERDICTS[verdict]}: ${code} ${field}, first in ${placeOf(first)}`),
        // In one line each, so that they can be copied.
        ...examples.map((one) => `${placeOf(one)} ${escapeUnprintable(one.body.trim())}`),
      ]),
  ];
  return `${lines.join('\n')}\n`;
}

const VERDICTS = { refused: 'refused', warnings: 'warning' };
const COUNT_WIDTH = 10;
