import type { Readable } from 'node:stream';
import { MARKS } from '../inspect/display.js';
import type { Verdict } from '../inspect/verdict.js';
import { escapeUnprintable } from '../parser/messages.js';

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Writes to standard output, and `warn` to standard error. */
  print(text: string): void;
  warn(text: string): void;
  readonly colors: boolean;
  /** From then on, Ctrl-C calls this instead of ending the process. */
  onInterrupt(stop: () => void): void;
}

// Not with util.styleText, which needs Node.js 20.12.
const COLORS: Readonly<Record<Verdict, number>> = { good: 32, check: 33, refused: 31 };

export function marked(verdict: Verdict, text: string, { colors }: Terminal): string {
  const sign = MARKS[verdict];
  const mark = colors ? `\u001b[${COLORS[verdict]}m${sign}\u001b[39m` : sign;
  return `${mark} ${escapeUnprintable(text)}\n`;
}

/** Formats data as one line of JSON, with an escape for whatever doesn't print. */
export function jsonLine(data: object): string {
  return `${escapeUnprintable(JSON.stringify(data))}\n`;
}
