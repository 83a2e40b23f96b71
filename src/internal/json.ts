import { isExponentMark } from '../amount.js';

/** The literals of the numbers that are fields of a JSON object, by the names of the fields. */
export type Literals = ReadonlyMap<string, string>;

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;

/**
 * Finds the literals of the numbers in valid JSON text, from which `JSON.parse` may have lost digits.
 *
 * @param text - Text that `JSON.parse` has accepted.
 * @returns The numbers that are fields of the outermost object; null where a double carries them all,
 * as it does in nearly every body.
 */
export function findLiterals(text: string): Literals | null {
  return mayLoseDigits(text) ? readLiterals(text) : null;
}

/**
 * Whether valid JSON text holds a field whose number a double might not carry exactly.
 *
 * A field's value stands behind a colon, so only the colons are looked at. A colon inside a string may
 * raise a false alarm, which costs a second look and nothing else. It is a loop, because a regular
 * expression takes three times as long on a body that needs no second look.
 */
function mayLoseDigits(text: string): boolean {
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let start = colon + 1;
    while (isWhitespace(text.charCodeAt(start))) start += 1;
    let end = start;
    while (isDigitOrMark(text.charCodeAt(end))) end += 1;
    if (end - start > SAFE_DIGITS || isExponentMark(text.charCodeAt(end))) return true;
  }
  return false;
}

/** From field to field: because the text is valid, the first string behind a value is the next name. */
function readLiterals(text: string): Literals {
  const literals = new Map<string, string>();
  let name = text.indexOf('"');
  while (name !== -1) {
    const nameEnd = endOfString(text, name);
    let start = nameEnd + 1;
    while (isColonOrWhitespace(text.charCodeAt(start))) start += 1;
    const code = text.charCodeAt(start);
    // Of true, false and null, too: there is no string in the rest of them.
    let end = start + 1;
    if (code === 0x22) {
      end = endOfString(text, start) + 1;
    } else if (isDigitOrMark(code)) {
      while (isInNumber(text.charCodeAt(end))) end += 1;
      // As with JSON.parse, the last one of a repeated field counts.
      literals.set(unescapeName(text.slice(name + 1, nameEnd)), text.slice(start, end));
    } else if (isOpening(code)) {
      end = endOfNested(text, start);
    }
    name = text.indexOf('"', end);
  }
  return literals;
}

/** Behind the bracket that closes the one at the start. */
function endOfNested(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    at += 1;
  } while (depth > 0);
  return at;
}

/** Where the string ends that begins at a quotation mark: at the next one that is not escaped. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

function unescapeName(name: string): string {
  return name.includes('\\') ? JSON.parse(`"${name}"`) : name;
}

function isColonOrWhitespace(code: number): boolean {
  return code === 0x3a || isWhitespace(code);
}

/** Space, tab, line feed, carriage return: all the white space of JSON. */
function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** A digit, or one of `-` `.`; the slash between `.` and `0` begins no value. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}

/** Whatever a number consists of. */
function isInNumber(code: number): boolean {
  return isDigitOrMark(code) || isExponentMark(code) || code === 0x2b;
}

/** `{` or `[`. */
function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

/** `}` or `]`. */
function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
