import { isExponentMark } from './values/digits.js';

/** A double preserves any number of up to this many characters, if it has no exponent. */
const SAFE_LENGTH = 15;

/**
 * Parses JSON with each number, at any depth, as the text of its literal. It quotes the numbers and
 * calls `JSON.parse`, which alone decides what repeated names mean.
 *
 * @param text - Valid JSON: an object.
 */
export function parseLiterally(text: string): Readonly<Record<string, unknown>> {
  let quoted = '';
  let quotedTo = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = skipString(text, at);
    } else if (isDigitOrMark(code)) {
      const start = at;
      while (isPartOfNumber(text.charCodeAt(at))) at += 1;
      quoted += `${text.slice(quotedTo, start)}"${text.slice(start, at)}"`;
      quotedTo = at;
    } else {
      at += 1;
    }
  }
  return JSON.parse(quoted + text.slice(quotedTo));
}

/** Returns the position after the string that starts at `start`. */
function skipString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === 0x5c) start -= 1;
  return (at - start) % 2 === 1;
}

/**
 * Whether `JSON.parse` may have rounded a field's number. Strings are not skipped, so text such as
 * `:1e5` counts as well.
 */
export function mayBeRounded(text: string): boolean {
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at)) {
    at += 1;
    // In valid JSON, every character up to 0x20 is whitespace.
    while (text.charCodeAt(at) <= 0x20) at += 1;
    const start = at;
    while (isDigitOrMark(text.charCodeAt(at))) at += 1;
    if (at - start > SAFE_LENGTH || isExponentMark(text.charCodeAt(at))) return true;
  }
  return false;
}

function isPartOfNumber(code: number): boolean {
  return isDigitOrMark(code) || code === 0x2b || isExponentMark(code);
}

/** A digit, `-`, `.` or `/`. No value starts with `/`, so it needs no separate check. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}
