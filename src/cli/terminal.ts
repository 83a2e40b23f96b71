import type { Readable } from 'node:stream';
import type { Clock } from '../testing/clock.js';

/** What a command reads from and writes to. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
  /** The width in characters; Infinity if not a terminal: no wrapping. */
  readonly columns: number;
  readonly colours: boolean;
  /** Whether standard error is a terminal, where a line can be written over to show progress. */
  readonly watched: boolean;
  /** Aborted by Ctrl-C. */
  readonly interrupt: AbortSignal;
  /** Times deliveries and waits for retries. */
  readonly clock: Clock;
}

// Not util.styleText: it came with Node 20.12.
const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** A colour of text on a terminal. */
export type Colour = keyof typeof COLOURS;

/** In front of what has no room beside its label. */
const BELOW = '   ';

/** Takes away the line that the cursor is on. */
export const CLEAR_LINE = '\r\u001b[K';

/** A text in a colour, if there are colours. */
export function paint(
  { colours }: Pick<Terminal, 'colours'>,
  colour: Colour,
  text: string,
): string {
  return colours ? `\u001b[${COLOURS[colour]}m${text}\u001b[39m` : text;
}

/** The most columns that a text takes: from U+1100 on, a character may be drawn two columns wide. */
export function widthOf(text: string): number {
  return text.length + (text.match(/[\u1100-\ud7ff\ue000-\uffff]/g)?.length ?? 0);
}

/**
 * A sentence in lines of at most this many columns, broken between words where that is possible. A line that the
 * terminal broke would go on in its first column, where a body could forge a line of the report.
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
    if (line !== '') lines.push(line);
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

/** Texts beside their label, or below it if a word has no room there. */
export function beside(
  label: string,
  texts: readonly string[],
  columns: number,
  colour: (label: string) => string = String,
): string[] {
  const width = widthOf(label);
  const words = texts.flatMap((text) => text.split(' '));
  if (words.some((word) => widthOf(word) > columns - width)) {
    const below = texts.flatMap((text) => wrap(text, columns - BELOW.length));
    return [...wrap(label.trimEnd(), columns).map(colour), ...below.map((line) => BELOW + line)];
  }
  const lines = texts.flatMap((text) => wrap(text, columns - width));
  return lines.map((line, index) => (index === 0 ? colour(label) : ' '.repeat(width)) + line);
}
