import type { IssueCode } from '../errors.js';
import { escapeUnprintable } from '../internal/issues.js';
import { paint, type Terminal } from './terminal.js';
import { formatBytes, formatCount, formatDuration } from './usage.js';

/** The place of a body: the index of its file on the command line, and its line, from 1. */
export interface Place {
  readonly file: number;
  readonly line: number;
}

/** Bodies with the same issue in the same field. */
export interface Kind {
  readonly verdict: 'refused' | 'noBody' | 'warnings';
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
  const lines = [
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${lineCount}, ` +
      `${formatBytes(bytes)} in ${formatDuration(durationMs)}, ${speed} a second`,
    ...unread.map((file) => `not fully read: ${file}`),
    '',
    ...row(counts.valid, 'valid'),
    ...row(counts.warnings, 'valid, with warnings'),
    ...row(counts.refused, 'refused'),
    ...row(counts.noBody, 'not a JSON object in one line'),
    ...row(counts.blank, 'blank'),
    ...(kinds.length === 0 ? [] : ['', paint(terminal, 'red', 'faults and warnings')]),
    ...[...kinds]
      .sort((one, other) => other.count - one.count)
      .flatMap((kind) => [
        ...row(
          kind.count,
          `${VERDICTS[kind.verdict]}: ${kind.code} ${kind.field}, first in ${placeOf(kind.first)}`,
        ),
        ...kind.examples.map((one) => `${placeOf(one)} ${escapeUnprintable(one.body.trim())}`),
      ]),
  ];
  return `${lines.join('\n')}\n`;
}

const VERDICTS = { refused: 'refused', noBody: 'not a JSON object', warnings: 'warning' };

/** A number and its label, unless it is 0. */
function row(count: number, label: string): string[] {
  return count === 0 ? [] : [`${formatCount(count).padStart(10)}  ${label}`];
}
