import { escapeUnprintable } from '../internal/issues.js';
import type { InspectedField } from './inspection.js';
import { fold, pad, paint, type Terminal, widthOf, wrap } from './terminal.js';

/** One, so that at 80 columns an amount of 18 decimals takes one line on either side. */
export const INDENT = ' ';
/** Between two columns. */
export const GAP = '  ';
/** With less than this beside its name, both values of a field stand under it. */
const NARROW = 32;

/** A table that fits: field, as it came, as understood, and what is to be noted under them. */
export function table(fields: readonly InspectedField[], terminal: Terminal): string[] {
  const rows = fields.map(({ name, came, said, quirks }) => ({
    name: escapeUnprintable(name),
    came: escapeUnprintable(came),
    said: said.map(escapeUnprintable),
    notes: quirks.map(({ message }) => escapeUnprintable(message)),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => widthOf(name)));
  const isNarrow = terminal.columns - nameWidth < NARROW;
  const start = INDENT + (isNarrow ? INDENT : ' '.repeat(nameWidth) + GAP);
  const [cameWidth, saidWidth] = share(
    terminal.columns - start.length - GAP.length,
    Math.max('as it came'.length, ...rows.map(({ came }) => widthOf(came))),
    Math.max('as understood'.length, ...rows.flatMap(({ said }) => said.map(widthOf))),
  );
  const head = (name: string): string[] =>
    isNarrow
      ? fold(name, terminal.columns - 1).map((line) => paint(terminal, 'cyan', INDENT + line))
      : [];
  const cells = (name: string, came: readonly string[], said: readonly string[]): string[] =>
    Array.from({ length: Math.max(came.length, said.length) }, (_, line) => {
      const first =
        line === 0 && !isNarrow
          ? INDENT + paint(terminal, 'cyan', pad(name, nameWidth)) + GAP
          : start;
      return (first + pad(came[line] ?? '', cameWidth) + GAP + (said[line] ?? '')).trimEnd();
    });
  return [
    paint(terminal, 'dim', cells('field', ['as it came'], ['as understood']).join('')),
    ...rows.flatMap(({ name, came, said, notes }) => [
      ...head(name),
      ...cells(
        name,
        fold(came, cameWidth),
        said.flatMap((line) => fold(line, saidWidth)),
      ),
      ...notes.flatMap((note) =>
        wrap(`└ ${note}`, cameWidth + GAP.length + saidWidth).map(
          (line) => start + paint(terminal, 'yellow', line),
        ),
      ),
    ]),
  ];
}

/** Divides the room between two columns: the second has what it needs, up to a half. */
function share(room: number, first: number, second: number): [number, number] {
  if (first + second <= room) return [first, second];
  const needed = Math.min(second, Math.max(Math.floor(room / 2), 1));
  return [Math.max(room - needed, 1), needed];
}
