import { isExponentMark } from './digits.js';

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;
/** A fraction of at most 15 digits after its zeros, which JavaScript prints as it was sent. */
const PRINTED = /^-?0\.0{1,5}[1-9]\d{0,13}[1-9]$/;
/** A nonzero 18th digit, or one after it, which JavaScript never prints. */
const NEVER_PRINTED = /^[-0.]*[1-9](?:\d{16}|[\d.]{17})[1-9]/;

/** A string or a number of valid JSON. The string's end is optional, so that any text is matched in linear time. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/**
 * Parses valid JSON text without losing a digit, at any depth: a long number, or one with an exponent, that
 * JavaScript would print in another way becomes the text of its literal.
 *
 * `JSON.parse` reads the text again, with those numbers quoted, so it alone decides what a repeated name means.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
 * @returns The object's fields; null if there is no such number, as in nearly every body.
 */
export function parseExactly(text: string): Readonly<Record<string, unknown>> | null {
  // The numbers of a list follow no colon. No documented field is a list.
  const quoted = text.includes('[') ? quoteNumbers(text) : quoteValues(text);
  if (quoted === text) return null;
  try {
    return JSON.parse(quoted);
  } catch {
    // A number inside a string was quoted: that ended the string early, and a number can't follow a string.
    return JSON.parse(quoteNumbers(text));
  }
}

/**
 * Quotes the long numbers that follow a colon, as each field's value does. It quotes them inside strings, too: skipping
 * strings would take twice as long. Text that may hold an exponent is left to {@link quoteNumbers}.
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
    if (end - start <= SAFE_DIGITS || staysNumber(text.slice(start, end))) continue;
    quoted += `${text.slice(quotedTo, start)}"${text.slice(start, end)}"`;
    quotedTo = end;
  }
  return quoted + text.slice(quotedTo);
}

/** Quotes the long numbers, wherever they are. */
function quoteNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (part) =>
    part.startsWith('"') || staysNumber(part) ? part : `"${part}"`,
  );
}

/** Whether a number is short, or JavaScript prints it as it was sent: the slowest check, so it comes last. */
function staysNumber(number: string): boolean {
  if ((number.length <= SAFE_DIGITS && !/e/i.test(number)) || PRINTED.test(number)) return true;
  // JavaScript prints every exponent with a sign.
  return !NEVER_PRINTED.test(number) && !/e\d/i.test(number) && String(Number(number)) === number;
}

/** A digit, `-` or `.`, or the slash between `.` and `0`, with which no value starts. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}
