import type { Readable } from 'node:stream';
import widthOf from 'string-width';
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
const STYLES = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** A style of text on a terminal. */
export type Style = keyof typeof STYLES;

/** In front of what has no room beside its label. */
const BELOW = '   ';

/** Takes away the line that the cursor is on. */
export const CLEAR_LINE = '\r\u001b[K';

/** A text in a style, if there are colours. */
export function paint({ colours }: Pick<Terminal, 'colours'>, style: Style, text: string): string {
  const [on, off] = STYLES[style];
  return colours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/** A sentence in lines of at most this many columns, broken between words where that is possible. */
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
    for (const piece of fold(word, columns)) {
      if (line !== '') lines.push(line);
      line = piece;
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

const segmenter = new Intl.Segmenter();

/** A word in lines of at most this many columns, with each of its characters. */
function fold(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  let width = 0;
  // Never splits a grapheme, such as a letter with its accents. To segment 64 KiB of ASCII would take a second.
  for (const piece of /^[ -~]*$/.test(text) ? text : segmenter.segment(text)) {
    const own = widthOf(typeof piece === 'string' ? piece : piece.segment);
    if (width + own > columns && line !== '') {
      lines.push(line);
      line = '';
      width = 0;
    }
    line += typeof piece === 'string' ? piece : piece.segment;
    width += own;
  }
  return [...lines, line];
}
