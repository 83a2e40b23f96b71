import { escapeUnprintable } from '../internal/issues.js';
import type { FoundKind } from './findings.js';
import type { Difference, KeySummary, Place } from './key-table.js';
import { formatBytes, formatCount } from './progress.js';
import { INDENT } from './table.js';
import type { Counts, LineVerdict } from './tally.js';
import { pad, paint, type Style, type Terminal } from './terminal.js';
import { formatDuration } from './usage.js';

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
      [counts.noBody, 'line that is not a JSON object', 'lines that are not a JSON object'],
      [counts.blank, 'blank line', 'blank lines'],
    ]),
    ...(['refused', 'noBody', 'warnings'] as const).flatMap((verdict) =>
      kindLines(verdict, kinds, place, terminal),
    ),
    ...keyLines(keys, place, terminal),
  ];
  return `${lines.join('\n')}\n`;
}

function headline(result: CheckResult): string {
  const { files, unread, bytes, durationMs, interrupted, counts } = result;
  const name = files.length === 1 ? files[0] : `${files.length} files`;
  const which = files.length === 1 ? '' : `${unread.length} of them `;
  const gap = unread.length === 0 ? '' : `, ${which}not read to the end`;
  const rate = Math.round((counts.lines / Math.max(durationMs, 1)) * 1000);
  const lines = counts.lines === 1 ? '1 line' : `${formatCount(counts.lines)} lines`;
  const speed = `in ${formatDuration(durationMs)}, ${formatCount(rate)} a second`;
  return `${interrupted ? 'Interrupted: ' : ''}${name}${gap}: ${lines}, ${formatBytes(bytes)} ${speed}`;
}

/** Counts and what they count, without those of which there are none; the first one stays. */
function numbers(
  rows: readonly (readonly [count: number, one: string, several?: string])[],
): string[] {
  const shown = rows.filter(([count], index) => count > 0 || index === 0);
  const width = Math.max(...shown.map(([count]) => formatCount(count).length));
  return shown.map(([count, one, several = one]) => {
    return `${INDENT}${formatCount(count).padStart(width)}  ${count === 1 ? one : several}`;
  });
}

const TITLES: Readonly<Record<LineVerdict, readonly [title: string, style: Style]>> = {
  refused: ['refused', 'red'],
  noBody: ['not a JSON object', 'red'],
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
  const [countWidth, codeWidth, fieldWidth] = [
    Math.max(...kinds.map(({ count }) => formatCount(count).length)),
    Math.max(...kinds.map(({ code }) => code.length)),
    Math.max(...kinds.map(({ field }) => field.length)),
  ];
  const [title, style] = TITLES[verdict];
  return [
    '',
    paint(terminal, style, title),
    ...kinds.flatMap(({ count, code, field, first, examples }) => [
      `${INDENT}${formatCount(count).padStart(countWidth)}  ${pad(code, codeWidth)}  ${pad(field, fieldWidth)}  first in ${place(first)}`,
      ...examples.map((example) => {
        const where = paint(terminal, 'cyan', place(example));
        return `${INDENT}  ${where} ${escapeUnprintable(example.body.trim())}`;
      }),
    ]),
  ];
}

/** A noun per difference, so that the compiler misses none. */
const NOUNS: Readonly<Record<Difference, string>> = {
  amount: 'an amount',
  currency: 'a currency',
  account: 'an account',
};

function keyLines(
  { limit, different, repeated, unremembered, conflicting, differing, conflicts }: KeySummary,
  place: (place: Place) => string,
  terminal: Terminal,
): string[] {
  const beyond = `beyond ${formatCount(limit)} ${limit === 1 ? 'key' : 'keys'}: not compared (--keys)`;
  const lines = [
    '',
    'idempotency keys',
    ...numbers([
      [different, 'different'],
      [repeated, 'redelivery', 'redeliveries'],
      [conflicting, 'with conflicting bodies'],
      [unremembered, `body ${beyond}`, `bodies ${beyond}`],
    ]),
  ];
  if (conflicting === 0) return lines;
  const found = Object.entries(differing).filter(([, count]) => count > 0);
  return [
    ...lines,
    '',
    paint(terminal, 'red', 'contradictions'),
    ...numbers(
      found.map(([difference, count]) => {
        const noun = NOUNS[difference as Difference];
        return [count, `differs in ${noun}`, `differ in ${noun}`];
      }),
    ),
    ...conflicts.map(({ key, differs, places }) => {
      const where = paint(terminal, 'cyan', places.map(place).join(' and '));
      return `${INDENT}${where} ${key} ${differs.join(', ')}`;
    }),
    ...(conflicting > conflicts.length
      ? [`${INDENT}and ${formatCount(conflicting - conflicts.length)} more`]
      : []),
  ];
}
