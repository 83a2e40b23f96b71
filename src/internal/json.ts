import { isExponentMark } from './digits.js';

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;
/** An 18th digit other than zero: JavaScript prints none. */
const NEVER_PRINTED = /^[-0.]*[1-9]\d{16}[1-9]/;

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
  // The numbers of a list follow no colon. No documented field is a list.
  const quoted = text.includes('[') ? quoteNumbers(text) : quoteValues(text);
  if (quoted === text) return null;
  try {
    return JSON.parse(quoted);
  } catch {
    // In a string, a number's quotation mark ended the string, which no digit may follow.
    return JSON.parse(quoteNumbers(text));
  }
}

/**
 * Quotes the long numbers that follow a colon, as each field's value does. It quotes them in strings, too: to
 * skip strings would take twice as long.
 */
function quoteValues(text: string): string {
  let quoted = '';
  let quotedTo = 0;
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let start = colon + 1;
    // In valid JSON, every character up to the space is white space.
    while (text.charCodeAt(start) <= 0x20) start += 1;
    let end = start;
    while (isDigitOrMark(text.charCodeAt(end))) end += 1;
    if (isExponentMark(text.charCodeAt(end))) return quoteNumbers(text);
    if (end - start <= SAFE_DIGITS || isPrinted(text.slice(start, end))) continue;
    quoted += `${text.slice(quotedTo, start)}"${text.slice(start, end)}"`;
    quotedTo = end;
  }
  return quoted + text.slice(quotedTo);
}

/** Quotes the long numbers, wherever they are. */
function quoteNumbers(text: string): string {
  return text.replace(PARTS, (part, number?: string) =>
    number === undefined || isPrinted(number) ? part : `"${number}"`,
  );
}

/** Whether JavaScript prints a number as it was sent. To print it takes three times as long as the expression. */
function isPrinted(number: string): boolean {
  return !NEVER_PRINTED.test(number) && String(Number(number)) === number;
}

/** A digit, `-` or `.`, or the slash between `.` and `0`, with which no value starts. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}
