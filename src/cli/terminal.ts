import type { Readable } from 'node:stream';
import { MARKS } from '../inspect/display.js';
import type { Verdict } from '../inspect/verdict.js';
import { escapeUnprintable } from '../parser/messages.js';

/** What a command reads from and writes to. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Writes to standard output, and `warn` to standard error. */
  print(text: string): void;
  warn(text: string): void;
  /** Width in characters. Infinity, for no wrapping, if it is unknown. */
  readonly columns: number;
  readonly colors: boolean;
  /** Whether standard error is a terminal, which shows the progress of long work. */
  readonly showsProgress: boolean;
  /** Aborted by Ctrl-C. */
  readonly interrupt: AbortSignal;
  /** A time in milliseconds, to measure with. */
  now(): number;
}

// Not with util.styleText, which needs Node.js 20.12.
const COLORS = { red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Color = keyof typeof COLORS;

/** The color and sign of a line about a body, or about a request without one. */
export const SIGNS: Readonly<Record<Verdict | 'none', readonly [Color, string]>> = {
  good: ['green', MARKS.good],
  check: ['yellow', MARKS.check],
  refused: ['red', MARKS.refused],
  none: ['cyan', '?'],
};

export type Mark = keyof typeof SIGNS;

/** Indents text that doesn't fit next to its label. */
const BELOW = '   ';

export function paint({ colors }: Pick<Terminal, 'colors'>, color: Color, text: string): string {
  return colors ? `\u001b[${COLORS[color]}m${text}\u001b[39m` : text;
}

/** A line that starts with a mark, wrapped. */
export function marked(mark: Mark, text: string, terminal: Terminal): string {
  const [color, sign] = SIGNS[mark];
  // A mark may be two columns wide.
  const lines = wrap(escapeUnprintable(text), terminal.columns - 3).join('\n  ');
  return `${paint(terminal, color, sign)} ${lines}\n`;
}

/** Formats data as one line of JSON, with an escape for whatever doesn't print. */
export function jsonLine(data: object): string {
  return `${escapeUnprintable(JSON.stringify(data))}\n`;
}

export const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `340ms`, `1.3s`, `2m` or `24h` */
export function formatDuration(milliseconds: number): string {
  const fitting = Object.entries(DURATIONS).filter(([, size]) => milliseconds >= size);
  const [unit, size] = fitting.at(-1) ?? ['ms', 1];
  return `${Number((milliseconds / size).toFixed(size === 1 ? 0 : 1))}${unit}`;
}

/**
 * Returns how many columns a text takes at most. From U+1100, a character may be two columns wide.
 */
export function widthOf(text: string): number {
  return text.length + (text.match(/[\u1100-\ud7ff\ue000-\uffff]/g)?.length ?? 0);
}

/**
 * Wraps text at word boundaries, or inside a word that is too long, so that a body can't forge a
 * line of a report.
 */
export function wrap(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line.trimEnd());
    line = '';
    for (const character of word) {
      if (line !== '' && widthOf(line + character) > columns) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line];
}

export function highlight(terminal: Terminal, color: Color, text: string): string[] {
  return wrap(text, terminal.columns).map((line) => paint(terminal, color, line));
}

/** Puts texts next to their label, or below it if a word doesn't fit. */
export function beside(
  label: string,
  texts: readonly string[],
  columns: number,
  color: (label: string) => string = String,
): string[] {
  const width = widthOf(label);
  const words = texts.flatMap((text) => text.split(' '));
  if (words.some((word) => widthOf(word) > columns - width)) {
    const below = texts.flatMap((text) => wrap(text, columns - BELOW.length));
    return [...wrap(label.trimEnd(), columns).map(color), ...below.map((line) => BELOW + line)];
  }
  const lines = texts.flatMap((text) => wrap(text, columns - width));
  return lines.map((line, index) => (index === 0 ? color(label) : ' '.repeat(width)) + line);
}
