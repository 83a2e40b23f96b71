import { isExponentMark } from './digits.js';

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;
/** The longest text that JavaScript prints for a double: `-1.2345678901234567e-100`. */
const MAX_PRINTED = 24;

/** A number in valid JSON text, or all that is between two of them: strings, and what follows each. */
const NUMBER_OR_REST = /(?:"[^"\\]*(?:\\.[^"\\]*)*"?[^"\d-]*)+|-?\d[\d.eE+-]*/g;

/**
 * Parses valid JSON text without losing a digit, at any depth: a number that a double might not carry becomes
 * the text of its literal.
 *
 * The text is parsed by `JSON.parse`, with those numbers in quotation marks. So repeated, escaped and hostile
 * names are read as `JSON.parse` reads them.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
 * @returns The object's fields; null if a double carries every number, as it does in nearly every body.
 */
export function parseExactly(text: string): Readonly<Record<string, unknown>> | null {
  if (!mayLoseDigits(text)) return null;
  return JSON.parse(text.replace(NUMBER_OR_REST, quoteIfLossy));
}

/** Puts a number in quotation marks if it is not short, and JavaScript would print it in another way. */
function quoteIfLossy(token: string): string {
  if (token.startsWith('"') || (token.length <= SAFE_DIGITS && !/e/i.test(token))) return token;
  // Number() takes long for many digits, and a longer token is not what it would print.
  const isPrintedAlike = token.length <= MAX_PRINTED && String(Number(token)) === token;
  return isPrintedAlike ? token : `"${token}"`;
}

/**
 * Whether valid JSON text may hold a number that a double doesn't carry exactly.
 *
 * A field's value follows a colon, so only the colons are looked at. One inside a string may raise a false
 * alarm, which only costs a second look. A regular expression would take three times as long.
 */
function mayLoseDigits(text: string): boolean {
  // The numbers of a list follow no colon. No documented field is a list.
  if (text.includes('[')) return true;
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let start = colon + 1;
    // The white space of valid JSON is all that is up to a space.
    while (text.charCodeAt(start) <= 0x20) start += 1;
    let end = start;
    while (isDigitOrMark(text.charCodeAt(end))) end += 1;
    if (end - start > SAFE_DIGITS || isExponentMark(text.charCodeAt(end))) return true;
  }
  return false;
}

/** A digit, `-` or `.`; the slash between `.` and `0` starts no value. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}
