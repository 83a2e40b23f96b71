import widthOf from 'string-width';
import type { InspectedField } from '../inspect/index.js';
import { escapeUnprintable } from '../internal/issues.js';
import { fits, fold, pad, paint, type Terminal, wrap } from './terminal.js';

export const INDENT = ' ';
/** Between two columns. */
export const GAP = '  ';
/** In front of what has no room beside its name. */
export const BELOW = '   ';
/** The width of a time, which every column of parsed values has room for. */
const TIME = 20;
/** With less than this for raw values beside the names, all of them stand below. */
const NARROW = 16;

/** A table that fits: each field, raw and parsed, with its notes. A value without room beside its name stands below. */
export function table(
  fields: readonly InspectedField[],
  terminal: Pick<Terminal, 'colours' | 'columns'>,
): string[] {
  const { columns } = terminal;
  const rows = fields.map((field) => ({
    name: escapeUnprintable(field.name),
    raw: escapeUnprintable(field.raw),
    parsed: display(field).map(escapeUnprintable),
    notes: field.quirks.map(({ note }) => `└ ${escapeUnprintable(note)}`),
  }));
  const header = { name: 'field', raw: 'raw', parsed: ['parsed'], notes: [] };
  const nameWidth = Math.max(...rows.map(({ name }) => widthOf(name)));
  const rawStart = INDENT.length + nameWidth + GAP.length;
  const room = columns - rawStart - GAP.length;
  const needed = Math.max(...rows.flatMap(({ parsed }) => parsed.map((line) => widthOf(line))));
  const parsedWidth = Math.min(needed, Math.max(Math.floor(room / 2), TIME));
  const rawNeeded = Math.max(...rows.map(({ raw }) => widthOf(raw)));
  const rawWidth = Math.min(rawNeeded, room - parsedWidth);
  const isNarrow = rawWidth < Math.min(rawNeeded, NARROW);
  const parsedStart = isNarrow
    ? Math.max(columns - parsedWidth, BELOW.length)
    : rawStart + rawWidth + GAP.length;

  return [header, ...rows].flatMap(({ name, raw, parsed, notes }) => {
    const hasRoom = parsed.every((line) => widthOf(line) <= parsedWidth);
    const isBeside =
      !isNarrow && hasRoom && widthOf(raw) <= rawWidth && fits(notes.join(' '), columns - rawStart);
    const start = isBeside ? ' '.repeat(rawStart) : BELOW;
    const lines = fold(raw, columns - start.length).map((line) => start + line);
    const last = `${lines.pop()}`;
    const [first = '', ...more] = parsed;
    if (!hasRoom) {
      const [arrow, ...others] = parsed.flatMap((line) => fold(line, columns - start.length - 2));
      lines.push(last, `${start}→ ${arrow}`, ...others.map((line) => `${start}  ${line}`));
    } else {
      const isShort = widthOf(last) + GAP.length <= parsedStart;
      lines.push(
        ...(isShort ? [pad(last, parsedStart) + first] : [last, pad('', parsedStart) + first]),
      );
      lines.push(...more.map((line) => pad('', parsedStart) + line));
    }
    for (const line of notes.flatMap((note) => wrap(note, columns - start.length))) {
      lines.push(start + paint(terminal, 'yellow', line));
    }
    const names = fold(name, columns - INDENT.length).map((line) => paint(terminal, 'cyan', line));
    if (!isBeside) return [...names.map((line) => INDENT + line), ...lines];
    const [beside = '', ...rest] = lines;
    const label = paint(terminal, 'cyan', pad(name, nameWidth));
    return [INDENT + label + beside.slice(rawStart - GAP.length), ...rest];
  });
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
