import type { IssueCode } from '../errors.js';
import { escapeUnprintable } from '../internal/issues.js';
import type { Keys, Place } from './events.js';
import { formatBytes, formatCount } from './progress.js';
import { INDENT } from './table.js';
import { pad, paint, type Terminal } from './terminal.js';
import { formatDuration } from './usage.js';

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
  readonly keys: Keys;
}

/** The report for people. */
export function reportOf(result: CheckResult, terminal: Terminal): string {
  const { files, unread, bytes, durationMs, interrupted, counts, kinds, keys } = result;
  const placeOf = ({ file, line }: Place): string =>
    paint(terminal, 'cyan', `${files[file]}:${line}`);
  const kindRows = (verdict: Kind['verdict'], title: string): string[] => {
    const found = kinds.filter((kind) => kind.verdict === verdict);
    const widthOf = (key: 'code' | 'field') => Math.max(...found.map((kind) => kind[key].length));
    found.sort((one, other) => other.count - one.count);
    const rows = found.map(
      ({ count, code, field, first, examples }): Row => [
        count,
        `${pad(code, widthOf('code'))}  ${pad(field, widthOf('field'))}  first in ${placeOf(first)}`,
        ...examples.map((one) => `${placeOf(one)} ${escapeUnprintable(one.body.trim())}`),
      ],
    );
    return found.length === 0 ? [] : ['', title, ...linesOf(rows)];
  };
  const differing = Object.entries(keys.differing).filter(([, count]) => count > 0);
  const more = keys.conflicting - keys.conflicts.length;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const speed = Math.round((counts.lines / Math.max(durationMs, 1)) * 1000);
  const lines = [
    `${interrupted ? 'Interrupted: ' : ''}${name}: ${formatCount(counts.lines)} lines, ` +
      `${formatBytes(bytes)} in ${formatDuration(durationMs)}, ${formatCount(speed)} a second`,
    '',
    ...linesOf([
      [counts.valid, 'valid'],
      [counts.warnings, 'valid, with warnings'],
      [counts.refused, 'refused'],
      [counts.noBody, 'not a JSON object'],
      [counts.blank, 'blank'],
      [unread.length, `not read to the end: ${unread.join(', ')}`],
    ]),
    ...kindRows('refused', paint(terminal, 'red', 'refused')),
    ...kindRows('noBody', paint(terminal, 'red', 'not a JSON object')),
    ...kindRows('warnings', paint(terminal, 'yellow', 'warnings')),
    '',
    'idempotency keys',
    ...linesOf([
      [keys.different, 'different'],
      [keys.repeated, 'redelivered'],
      [keys.conflicting, 'with bodies that contradict each other'],
      [keys.unremembered, `beyond the first ${formatCount(keys.limit)}: not compared (--keys)`],
    ]),
    ...(differing.length === 0 ? [] : ['', paint(terminal, 'red', 'contradictions')]),
    ...linesOf(differing.map(([what, count]) => [count, `in an ${what}`])),
    ...keys.conflicts.map(({ key, differs, places }) => {
      return `${INDENT}${places.map(placeOf).join(' and ')} ${key} ${differs.join(', ')}`;
    }),
    ...(more === 0 ? [] : [`${INDENT}and ${formatCount(more)} more`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** A number, its label, and lines that go below. */
type Row = readonly [count: number, label: string, ...details: string[]];

/** Labelled numbers; zeros but the first are dropped. */
function linesOf(rows: readonly Row[]): string[] {
  const shown = rows.filter(([count], index) => count > 0 || index === 0);
  const width = Math.max(...shown.map(([count]) => formatCount(count).length));
  return shown.flatMap(([count, label, ...details]) => [
    `${INDENT}${formatCount(count).padStart(width)}  ${label}`,
    ...details.map((line) => `${INDENT}  ${line}`),
  ]);
}
