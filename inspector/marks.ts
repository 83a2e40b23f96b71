// Text of a body, which may be long or contain characters that are invisible.
import { escapeUnprintable } from '../src/parser/messages';

const MAX_SHOWN = 400;

/** Escapes what is invisible or moves the text around it, and truncates the text. */
export function printable(text: string, most: number = MAX_SHOWN): string {
  const shown = escapeUnprintable(text.slice(0, most));
  return text.length > most ? `${shown}… (${text.length} characters)` : shown;
}

/** `1 line`, `2,000 lines`. */
export function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

/** Splits a number literal into what a double keeps, the digits that it loses, and the rest. */
export function splitLostDigits(literal: string): [kept: string, lost: string, rest: string] {
  const kept = significantDigits(String(Number(literal)));
  const [mantissa = ''] = literal.split(/e/i);
  let matched = 0;
  let isLeading = true;
  for (const [at, character] of [...mantissa].entries()) {
    if (!/\d/.test(character) || (isLeading && character === '0')) continue;
    isLeading = false;
    if (character !== (kept[matched] ?? '0')) {
      return [literal.slice(0, at), mantissa.slice(at), literal.slice(mantissa.length)];
    }
    matched += 1;
  }
  return [literal, '', ''];
}

function significantDigits(literal: string): string {
  return literal.replace(/e.*/i, '').replace(/[-.]/g, '').replace(/^0+/, '');
}
