import widthOf from 'string-width';
import type { InspectedField } from '../inspect/index.js';
import { escapeUnprintable } from '../internal/issues.js';
import { fold, pad, paint, type Terminal, wrap } from './terminal.js';

/** One, so that at 80 columns an amount of 18 decimals takes one line on either side. */
export const INDENT = ' ';
/** Between two columns. */
export const GAP = '  ';
/** With less than this beside its name, both values of a field stand under it. */
const NARROW = 32;

/** A table that fits: each field, raw and parsed, with its notes below. */
export function table(
  fields: readonly InspectedField[],
  terminal: Pick<Terminal, 'colours' | 'columns'>,
): string[] {
  const rows = fields.map((field) => ({
    name: escapeUnprintable(field.name),
    raw: escapeUnprintable(field.raw),
    display: display(field).map(escapeUnprintable),
    notes: field.quirks.map(({ note }) => escapeUnprintable(note)),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => widthOf(name)));
  const isNarrow = terminal.columns - nameWidth < NARROW;
  const start = INDENT + (isNarrow ? INDENT : ' '.repeat(nameWidth) + GAP);
  const [rawWidth, displayWidth] = share(
    terminal.columns - start.length - GAP.length,
    Math.max('raw'.length, ...rows.map(({ raw }) => widthOf(raw))),
    Math.max('parsed'.length, ...rows.flatMap((row) => row.display.map((line) => widthOf(line)))),
  );
  const cells = (left: readonly string[], right: readonly string[]): string[] =>
    Array.from({ length: Math.max(left.length, right.length) }, (_, line) =>
      (pad(left[line] ?? '', rawWidth) + GAP + (right[line] ?? '')).trimEnd(),
    );
  const block = (name: string, lines: readonly string[]): string[] => {
    const below = lines.map((line) => start + line);
    const cyan = (text: string): string => INDENT + paint(terminal, 'cyan', text);
    if (isNarrow) return [...fold(name, terminal.columns - 1).map(cyan), ...below];
    return [`${cyan(pad(name, nameWidth))}${GAP}${lines[0]}`, ...below.slice(1)];
  };
  return [
    ...block('field', cells(['raw'], ['parsed'])),
    ...rows.flatMap(({ name, raw, display, notes }) => {
      const parsed = display.flatMap((line) => fold(line, displayWidth));
      const sentences = notes.flatMap((note) =>
        wrap(`└ ${note}`, rawWidth + GAP.length + displayWidth),
      );
      const painted = sentences.map((line) => paint(terminal, 'yellow', line));
      return block(name, [...cells(fold(raw, rawWidth), parsed), ...painted]);
    }),
  ];
}

/** A parsed value for people: a line for each of its parts. */
function display({ name, raw, parsed }: InspectedField): string[] {
  if (parsed === null) return [raw === 'null' || raw === '""' ? 'no value' : 'not read'];
  if (JSON.stringify(parsed) === raw) return ['as sent'];
  if (typeof parsed !== 'object') return [`${parsed}`.replace('.000Z', 'Z')];
  // In a deposit, both names are unknown, and may hold anything.
  const parts = new Map(Object.entries(parsed));
  const part = (key: string): string => {
    const value = parts.get(key);
    return typeof value === 'string' ? value : 'unknown';
  };
  if (name === 'toTxAddress') {
    const tag = parts.get('destinationTag') === null ? 'no tag' : `tag ${part('destinationTag')}`;
    return [part('address'), tag];
  }
  if (name === 'txAddressOwner') return [`name ${part('name')}`, `category ${part('category')}`];
  return ['as sent'];
}

/** Divides the room between two columns: the second has what it needs, up to a half. */
function share(room: number, first: number, second: number): [number, number] {
  if (first + second <= room) return [first, second];
  const needed = Math.min(second, Math.max(Math.floor(room / 2), 1));
  return [Math.max(room - needed, 1), needed];
}
