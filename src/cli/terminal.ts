import type { Readable } from 'node:stream';
import { escapeUnprintable } from '../internal/quote.js';

/** What a command reads from and writes to. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Writes to standard output, and `warn` to standard error. */
  print(text: string): void;
  warn(text: string): void;
  /** Width in characters. Infinity, for no wrapping, if standard output is not a terminal. */
  readonly columns: number;
  readonly colors: boolean;
  /** Whether standard error is a terminal, which can show progress. */
  readonly watched: boolean;
  /** Aborted by Ctrl-C. */
  readonly interrupt: AbortSignal;
  readonly clock: { now(): number };
  /** Retries without waiting. */
  readonly skipWaits?: boolean;
}

// util.styleText needs Node.js 20.12.
const COLORS = { red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Color = keyof typeof COLORS;

/** The color and sign of a line about a body, or about a request for another URL. */
export const MARKS = {
  valid: ['green', '✓'],
  warnings: ['yellow', '!'],
  refused: ['red', '✗'],
  elsewhere: ['cyan', '?'],
} as const;

export type Mark = keyof typeof MARKS;

/** Indents text that doesn't fit next to its label. */
const BELOW = '   ';

export const CLEAR_LINE = '\r\u001b[K';

/** Colors a text, if the terminal supports it. */
export function paint({ colors }: Pick<Terminal, 'colors'>, color: Color, text: string): string {
  return colors ? `\u001b[${COLORS[color]}m${text}\u001b[39m` : text;
}

/** Returns a function that shows progress, at most five times a second. Empty text clears it. */
export function showProgress({ watched, warn, clock }: Terminal): (text: string) => void {
  let [shown, nextAt] = ['', 0];
  return (text) => {
    if (!watched || text === shown || (text !== '' && clock.now() < nextAt)) return;
    if (text !== '') nextAt = clock.now() + 200;
    shown = text;
    warn(CLEAR_LINE + text);
  };
}

/** Formats data as one line of JSON, with an escape for whatever doesn't print. */
export function jsonLine(data: object): string {
  return `${escapeUnprintable(JSON.stringify(data))}\n`;
}

export const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

export const format = {
  /** `2,000,000` */
  count: (count: number): string => count.toLocaleString('en'),
  /** `12.3 kB`, or in MB from a million bytes */
  bytes(bytes: number): string {
    const [size, unit] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
    return `${format.count(Math.ceil((bytes / size) * 10) / 10)} ${unit}`;
  },
  /** `340ms`, `1.3s`, `2m` or `24h` */
  duration(milliseconds: number): string {
    const fitting = Object.entries(DURATIONS).filter(([, size]) => milliseconds >= size);
    const [unit, size] = fitting.at(-1) ?? ['ms', 1];
    return `${Number((milliseconds / size).toFixed(size === 1 ? 0 : 1))}${unit}`;
  },
};

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

/** Wraps and colors a text. */
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
