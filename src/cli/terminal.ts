import type { Readable } from 'node:stream';
import { MARKS } from '../inspect/display.js';
import type { Verdict } from '../inspect/verdict.js';
import { escapeUnprintable } from '../parser/messages.js';

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Writes to standard output, and `warn` to standard error. */
  print(text: string): void;
  warn(text: string): void;
  /** From then on, Ctrl-C calls this instead of ending the process. */
  onInterrupt(stop: () => void): void;
}

export function marked(verdict: Verdict, text: string): string {
  return `${MARKS[verdict]} ${escapeUnprintable(text)}\n`;
}

/** Formats data as one line of JSON, with an escape for whatever doesn't print. */
export function jsonLine(data: object): string {
  return `${escapeUnprintable(JSON.stringify(data))}\n`;
}
