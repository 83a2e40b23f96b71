// Text of a body, with parts of it marked. It may be long, or contain characters that are
// invisible.
import { escapeUnprintable } from '../../../src/internal/quote';

const MAX_SHOWN = 400;

/** Escapes what is invisible or moves the text around it, and truncates the text. */
export function printable(text: string, most: number = MAX_SHOWN): string {
  const shown = escapeUnprintable(text.slice(0, most));
  return text.length > most ? `${shown}… (${text.length} characters)` : shown;
}

export interface Segment {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Marks the digits of a number literal that a double loses. */
export function markLostDigits(literal: string): Segment[] {
  const kept = significantDigits(String(Number(literal)));
  const [mantissa = ''] = literal.split(/e/i);
  let matched = 0;
  let isLeading = true;
  for (const [at, character] of [...mantissa].entries()) {
    if (!/\d/.test(character) || (isLeading && character === '0')) continue;
    isLeading = false;
    if (character !== (kept[matched] ?? '0')) return mark(literal, at, mantissa.length);
    matched += 1;
  }
  return mark(literal, 0, 0);
}

/** Marks what is left of a text without the start and the end that it shares with another. */
export function markDifference(text: string, other: string): Segment[] {
  const length = Math.min(text.length, other.length);
  let start = 0;
  while (start < length && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < length - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return mark(text, start, text.length - end);
}

function mark(text: string, start: number, end: number): Segment[] {
  return [
    { text: printable(text.slice(0, start)), isMarked: false },
    { text: printable(text.slice(start, end)), isMarked: true },
    { text: printable(text.slice(end)), isMarked: false },
  ].filter((segment) => segment.text !== '');
}

function significantDigits(literal: string): string {
  return literal.replace(/e.*/i, '').replace(/[-.]/g, '').replace(/^0+/, '');
}
