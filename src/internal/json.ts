import { isExponentMark } from './digits.js';

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;
/** The longest text that JavaScript prints for a double: `-0.0000012345678901234567`. */
const MAX_PRINTED = 25;

/**
 * A number that a double might not carry, or everything before the next one: strings, short numbers, and what
 * follows each. Matching these one by one would take as long again as parsing the text.
 */
const PARTS =
  /(?:(?:"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]{0,14}(?![\d.eE]))[^"\d-]*)+|(-?\d[\d.eE+-]*)/g;

/**
 * Parses valid JSON text without losing a digit, at any depth: a long number that JavaScript would print in
 * another way becomes the text of its literal.
 *
 * `JSON.parse` reads the text again, with those numbers quoted, so it alone decides what a repeated name means.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
 * @returns The object's fields; null if a double carries every number, as it does in nearly every body.
 */
export function parseExactly(text: string): Readonly<Record<string, unknown>> | null {
  if (!mayLoseDigits(text)) return null;
  let exact = '';
  let end = 0;
  // A call that was interrupted, e.g. by a timeout of node:vm, has left its own position there.
  PARTS.lastIndex = 0;
  // A quarter faster than replace() or matchAll().
  for (let match = PARTS.exec(text); match !== null; match = PARTS.exec(text)) {
    const { 1: number, index } = match;
    if (number === undefined) continue;
    // JavaScript prints no longer one, and Number() takes long for many digits.
    if (number.length <= MAX_PRINTED && String(Number(number)) === number) continue;
    exact += `${text.slice(end, index)}"${number}"`;
    end = index + number.length;
  }
  return JSON.parse(exact + text.slice(end));
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
    // In valid JSON, every character up to the space is white space.
    while (text.charCodeAt(start) <= 0x20) start += 1;
    let end = start;
    while (isDigitOrMark(text.charCodeAt(end))) end += 1;
    if (end - start > SAFE_DIGITS || isExponentMark(text.charCodeAt(end))) return true;
  }
  return false;
}

/** A digit, `-` or `.`, or the slash between `.` and `0`, with which no value starts. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}
