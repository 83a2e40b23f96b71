import { escapeUnprintable } from '../internal/issues.js';
import type { FoundKind } from './findings.js';
import type { KeySummary, Place } from './key-table.js';
import { sayBytes, sayCount } from './progress.js';
import { INDENT } from './table.js';
import type { Counts, LineVerdict } from './tally.js';
import { pad, paint, type Style, type Terminal, widthOf } from './terminal.js';
import { sayDuration } from './usage.js';

/** What was found in archives. */
export interface CheckResult {
  readonly files: readonly string[];
  /** Those that could not be read, or not to their end. */
  readonly unread: readonly string[];
  /** As many as were read; of a gzip file, before it is unzipped. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly counts: Counts;
  readonly kinds: readonly FoundKind[];
  readonly keys: KeySummary;
}

/** What was found, for people. */
export function reportOf(result: CheckResult, terminal: Terminal): string {
  const { files, counts, kinds, keys } = result;
  const place = ({ file, line }: Place): string => `${files[file]}:${line}`;
  const lines = [
    headline(result),
    '',
    ...numbers([
      [counts.valid, 'valid'],
      [counts.warnings, 'valid, with warnings'],
      [counts.refused, 'refused'],
      [counts.noBody, 'lines that are no body'],
      [counts.blank, 'blank lines'],
    ]),
    ...(['refused', 'no body', 'warnings'] as const).flatMap((verdict) =>
      kindLines(verdict, kinds, place, terminal),
    ),
    ...keyLines(keys, place, terminal),
  ];
  return `${lines.join('\n')}\n`;
}

function headline({ files, bytes, durationMs, interrupted, counts }: CheckResult): string {
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const rate = Math.round((counts.lines / Math.max(durationMs, 1)) * 1000);
  const amount = `${sayCount(counts.lines)} lines, ${sayBytes(bytes)}`;
  const speed = `in ${sayDuration(durationMs)}, ${sayCount(rate)} a second`;
  return `${interrupted ? 'Interrupted: ' : ''}${name}: ${amount} ${speed}`;
}

/** Counts and what they count, without those of which there are none; the first one stays. */
function numbers(rows: readonly (readonly [count: number, noun: string])[]): string[] {
  const shown = rows.filter(([count], index) => count > 0 || index === 0);
  const texts = shown.map(([count]) => sayCount(count));
  const width = Math.max(...texts.map(widthOf));
  return shown.map(
    ([, noun], index) => `${INDENT}${(texts[index] ?? '').padStart(width)}  ${noun}`,
  );
}

const TITLES: Readonly<Record<LineVerdict, readonly [title: string, style: Style]>> = {
  refused: ['refused', 'red'],
  'no body': ['no body', 'red'],
  warnings: ['warnings', 'yellow'],
};

function kindLines(
  verdict: LineVerdict,
  all: readonly FoundKind[],
  place: (place: Place) => string,
  terminal: Terminal,
): string[] {
  const kinds = all.filter((kind) => kind.verdict === verdict);
  if (kinds.length === 0) return [];
  kinds.sort((one, other) => other.count - one.count);
  const counts = kinds.map(({ count }) => sayCount(count));
  const [countWidth, codeWidth, fieldWidth] = [
    Math.max(...counts.map(widthOf)),
    Math.max(...kinds.map(({ code }) => code.length)),
    Math.max(...kinds.map(({ field }) => field.length)),
  ];
  const [title, style] = TITLES[verdict];
  return [
    '',
    paint(terminal, style, title),
    ...kinds.flatMap(({ code, field, first, examples }, index) => [
      `${INDENT}${(counts[index] ?? '').padStart(countWidth)}  ${pad(code, codeWidth)}  ${pad(field, fieldWidth)}  first in ${place(first)}`,
      ...examples.map((example) => {
        const where = paint(terminal, 'cyan', place(example));
        return `${INDENT}  ${where} ${escapeUnprintable(example.body.trim())}`;
      }),
    ]),
  ];
}

function keyLines(
  { limit, different, repeated, unremembered, conflicting, differing, conflicts }: KeySummary,
  place: (place: Place) => string,
  terminal: Terminal,
): string[] {
  const lines = [
    '',
    'idempotency keys',
    ...numbers([
      [different, 'different'],
      [repeated, 'bodies that came again'],
      [conflicting, 'whose bodies differ'],
      [unremembered, `bodies beyond ${sayCount(limit)} keys: not compared (--keys)`],
    ]),
  ];
  if (conflicting === 0) return lines;
  const counts = Object.entries(differing).filter(([, count]) => count > 0);
  return [
    ...lines,
    '',
    paint(terminal, 'red', 'contradictions'),
    ...numbers(counts.map(([difference, count]) => [count, `differ in an ${difference}`])),
    ...conflicts.map(({ key, differs, places: [first, other] }) => {
      const where = paint(terminal, 'cyan', `${place(first)} and ${place(other)}`);
      return `${INDENT}${where} ${key} ${differs.join(', ')}`;
    }),
    ...(conflicting > conflicts.length
      ? [`${INDENT}and ${sayCount(conflicting - conflicts.length)} more`]
      : []),
  ];
}
