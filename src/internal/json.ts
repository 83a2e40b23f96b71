import { isExponentMark } from './digits.js';

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;

/**
 * Parses JSON text with each number, at any depth, as the text of its literal: no digit is lost.
 *
 * `JSON.parse` reads the text with its numbers in quotation marks, so it alone decides what a repeated name means.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
 */
export function parseLiterally(text: string): Readonly<Record<string, unknown>> {
  let quoted = '';
  let quotedTo = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) === 0x22) at = endOfString(text, at);
    if (!isDigitOrMark(text.charCodeAt(at))) continue;
    const start = at;
    while (isPartOfNumber(text.charCodeAt(at))) at += 1;
    quoted += `${text.slice(quotedTo, start)}"${text.slice(start, at)}"`;
    quotedTo = at;
  }
  return JSON.parse(quoted + text.slice(quotedTo));
}

/** Where the text goes on behind a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes is in front of a character. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === 0x5c) start -= 1;
  return (at - start) % 2 === 1;
}

/** Whether `JSON.parse` may have rounded the number of a field. It is false for nearly every body. */
export function mayBeRounded(text: string): boolean {
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

function isPartOfNumber(code: number): boolean {
  return isDigitOrMark(code) || code === 0x2b || isExponentMark(code);
}

/** A digit, `-` or `.`, or the slash between `.` and `0`, with which no value starts. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}
