import { isEscaped } from './json.js';

/** For each place in the JSON, the characters that can start the next token there. */
const STARTS = {
  value: '{["-0123456789tfn',
  valueOrEndOfArray: '{["-0123456789tfn]',
  name: '"',
  nameOrEndOfObject: '"}',
  colon: ':',
  commaOrEndOfArray: ',]',
  commaOrEndOfObject: ',}',
  endOfText: '',
};

/** The tokens of one character. */
const STRUCTURAL = '{}[],:';
const SPACE = /[ \t\n\r]*/y;
/**
 * Any other token. For a faulty string, it matches the part before the fault. An escape that the
 * end of the text cuts off is no fault.
 */
const PRIMITIVE =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*(?:"|\\(?:u[\dA-Fa-f]{0,3})?$)?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;
const CUT_OFF_WORD = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

/**
 * Returns the position of the first error in JSON syntax (RFC 8259): the end of the text if it ends
 * too early, -1 for valid JSON. The messages of `JSON.parse` can't be used: they differ between
 * engines, and show the text.
 */
export function findSyntaxError(text: string): number {
  // The ends of the arrays and objects around a position, the innermost last.
  const ends: string[] = [];
  let starts = STARTS.value;
  for (let at = 0; ; ) {
    const start = text.charCodeAt(at) > 0x20 ? at : skip(SPACE, text, at);
    const first = text.charAt(start);
    if (first === '') return starts === STARTS.endOfText ? -1 : start;
    if (!starts.includes(first)) return start;
    at = STRUCTURAL.includes(first) ? start + 1 : skip(PRIMITIVE, text, start);
    if (isCutOff(text, start, at)) return text.length;
    if (at === start) return start;
    if (first === '"' && !isClosed(text, start, at)) return at;
    if (first === '{') ends.push('}');
    else if (first === '[') ends.push(']');
    else if (first === ends.at(-1)) ends.pop();
    starts = startsAfter(first, starts, ends.at(-1));
  }
}

function skip(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

/** Whether the end of the text cuts off a number or word. */
function isCutOff(text: string, start: number, end: number): boolean {
  // At most 4 characters of a cut-off token are unread, such as `fals`.
  if (end === text.length || text.length - end > 4) return false;
  const rest = text.slice(start);
  // A 0 is appended: if the token then reaches behind the old end, it is a number that was cut off,
  // such as `-`, `1.` or `1e+`.
  return CUT_OFF_WORD.test(rest) || skip(PRIMITIVE, `${rest}0`, 0) > rest.length;
}

/** Whether the part of a string that was read ends with its closing quote. */
function isClosed(text: string, start: number, end: number): boolean {
  const last = end - 1;
  return last > start && text.charAt(last) === '"' && !isEscaped(text, last);
}

/** @param end - The end of the array or object around the next token. */
function startsAfter(first: string, starts: string, end: string | undefined): string {
  if (first === '{') return STARTS.nameOrEndOfObject;
  if (first === '[') return STARTS.valueOrEndOfArray;
  if (first === ':') return STARTS.value;
  if (first === ',') return end === '}' ? STARTS.name : STARTS.value;
  // Where an object can start, a string is a value. Elsewhere, it is a name.
  if (first === '"' && !starts.includes('{')) return STARTS.colon;
  if (end === undefined) return STARTS.endOfText;
  return end === '}' ? STARTS.commaOrEndOfObject : STARTS.commaOrEndOfArray;
}

/** Returns the line of a position and its column in UTF-16 code units, both counted from 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: `${lines.at(-1)}`.length + 1 };
}
