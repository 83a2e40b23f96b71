import type { Readable } from 'node:stream';
import widthOf from 'string-width';
import type { Clock } from '../testing/clock.js';

/** What a command reads from and writes to. */
export interface Terminal {
  readonly input: Readable;
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
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** A style of text on a terminal. */
export type Style = keyof typeof STYLES;

/** Takes away the line that the cursor is on. */
export const CLEAR_LINE = '\r\u001b[K';

/** A text in a style, if there are colours. */
export function paint({ colours }: Pick<Terminal, 'colours'>, style: Style, text: string): string {
  const [on, off] = STYLES[style];
  return colours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/** A text and the spaces that fill its column. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Whether no word of a text has to be broken in lines of this many columns. */
export function fits(text: string, columns: number): boolean {
  return text.split(' ').every((word) => widthOf(word) <= columns);
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

/** A value in lines of at most this many columns, with each of its characters. */
export function fold(text: string, columns: number): string[] {
  return widthOf(text) <= columns ? [text] : [...linesOf(text, columns)];
}

/** The terminal's locale is unknown, and hardly matters. */
const segmenter = new Intl.Segmenter('en');

/** Lazily, line by line: `cut` needs only the first. */
function* linesOf(text: string, columns: number): Generator<string> {
  let line = '';
  let width = 0;
  // Never splits a grapheme, such as a letter with its accents. To segment 64 KiB of ASCII would take a second.
  for (const piece of /^[ -~]*$/.test(text) ? text : segmenter.segment(text)) {
    const own = typeof piece === 'string' ? piece : piece.segment;
    const ownWidth = widthOf(own);
    if (width + ownWidth > columns && line !== '') {
      yield line;
      line = '';
      width = 0;
    }
    line += own;
    width += ownWidth;
  }
  yield line;
}

/** A text cut to this many columns, however long it is. */
export function cut(text: string, columns: number): string {
  const [line = '', next] = linesOf(text, columns);
  if (next === undefined) return line;
  const [start = ''] = linesOf(line, columns - 1);
  return `${start}…`;
}
