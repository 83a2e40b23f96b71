import { isExponentMark } from './digits.js';

/** A field of a JSON object, with its value as JSON text. */
export type Member = readonly [name: string, value: string];

/** A double preserves any number of up to this many digits, unless it is written with an exponent. */
export const SAFE_DIGITS = 15;

/**
 * Finds the literals of the numbers in valid JSON text, from which `JSON.parse` may have lost digits.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
 * @returns The literals by field name, the last one of a repeated field; null if a double carries them all,
 * as it does in nearly every body.
 */
export function findLiterals(text: string): ReadonlyMap<string, string> | null {
  if (!mayLoseDigits(text)) return null;
  const literals = new Map<string, string>();
  eachMember(text, (name, start, end) => {
    if (isDigitOrMark(text.charCodeAt(start))) literals.set(name, text.slice(start, end));
  });
  return literals;
}

/**
 * The fields of a JSON object in their order, repeated ones as often as they occur.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
 */
export function readMembers(text: string): Member[] {
  const members: Member[] = [];
  eachMember(text, (name, start, end) => members.push([name, text.slice(start, end)]));
  return members;
}

/**
 * Whether valid JSON text holds a field whose number a double might not carry exactly.
 *
 * A field's value follows a colon, so only the colons are looked at. One inside a string may raise a false
 * alarm, which only costs a second look. A regular expression would take three times as long.
 */
function mayLoseDigits(text: string): boolean {
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    const start = skipWhitespace(text, colon + 1);
    let end = start;
    while (isDigitOrMark(text.charCodeAt(end))) end += 1;
    if (end - start > SAFE_DIGITS || isExponentMark(text.charCodeAt(end))) return true;
  }
  return false;
}

/**
 * Visits the fields of a JSON object. The text is valid, so the first string after a value is the next
 * name. It doesn't recurse: no nesting is too deep for it.
 *
 * @param visit - Gets a field's name, and the start and end of its value in the text.
 */
function eachMember(text: string, visit: (name: string, start: number, end: number) => void): void {
  let name = text.indexOf('"');
  while (name !== -1) {
    const nameEnd = endOfString(text, name);
    const colon = skipWhitespace(text, nameEnd + 1);
    const start = skipWhitespace(text, colon + 1);
    const end = endOfValue(text, start);
    visit(unescapeName(text.slice(name + 1, nameEnd)), start, end);
    name = text.indexOf('"', end);
  }
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start) + 1;
  if (first === '{' || first === '[') return endOfNested(text, start);
  let end = start + 1;
  while (isInWord(text.charCodeAt(end))) end += 1;
  return end;
}

/** The index after the bracket that closes the one at the start. */
function endOfNested(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    at += 1;
  } while (depth > 0);
  return at;
}

/** The index of the quotation mark that ends a string: the next one that is not escaped. */
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

/** The white space of valid JSON is all that is up to a space. */
function skipWhitespace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** A digit, `-` or `.`; the slash between `.` and `0` starts no value. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}

/** A character of a number, `true`, `false` or `null`. */
function isInWord(code: number): boolean {
  return isDigitOrMark(code) || code === 0x2b || code === 0x45 || (code >= 0x61 && code <= 0x7a);
}
