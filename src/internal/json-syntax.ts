import { isEscaped } from './json.js';

/** What may follow, with the characters that can start it. */
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

type Expected = keyof typeof STARTS;

const SPACE = /[ \t\n\r]*/y;
/** A complete token, or the valid start of a string. The end of the text may cut off an escape. */
const TOKEN =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*(?:"|\\(?:u[\dA-Fa-f]{0,3})?$)?|[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;
const CUT_OFF_WORD = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

/**
 * Returns the position of the first error in JSON syntax (RFC 8259): the end of the text if it ends
 * too early, -1 if there is none. The messages of `JSON.parse` differ between engines, and show the
 * text.
 */
export function findSyntaxError(text: string): number {
  // The ends of the arrays and objects around a position, the innermost last.
  const ends: string[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; ) {
    const start = skip(SPACE, text, at);
    const first = text.charAt(start);
    if (first === '' && expected === 'endOfText') return -1;
    if (!STARTS[expected].includes(first)) return start;
    at = skip(TOKEN, text, start);
    if (isCutOff(text, start, at)) return text.length;
    if (at === start) return start;
    if (first === '"' && !isClosed(text, start, at)) return at;
    if (first === '{') ends.push('}');
    else if (first === '[') ends.push(']');
    else if (first === ends.at(-1)) ends.pop();
    expected = expectedAfter(first, expected, ends.at(-1));
  }
}

/** Returns the position after what matches. */
function skip(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

/** Whether the end of the text cuts off a number or word. */
function isCutOff(text: string, start: number, end: number): boolean {
  // At most `tru` or `fals` is left. This also limits how often the text is copied.
  if (end === text.length || text.length - end > 4) return false;
  const rest = text.slice(start);
  // Only a number that lacks a digit extends to the digit.
  return CUT_OFF_WORD.test(rest) || skip(TOKEN, `${rest}0`, 0) > rest.length;
}

/** Whether the valid start of a string is all of it. */
function isClosed(text: string, start: number, end: number): boolean {
  const last = end - 1;
  return last > start && text.charAt(last) === '"' && !isEscaped(text, last);
}

/** @param end - The end of the array or object around the next token. */
function expectedAfter(first: string, expected: Expected, end: string | undefined): Expected {
  if (first === '{') return 'nameOrEndOfObject';
  if (first === '[') return 'valueOrEndOfArray';
  if (first === ':') return 'value';
  if (first === ',') return end === '}' ? 'name' : 'value';
  if (first === '"' && expected.startsWith('name')) return 'colon';
  if (end === undefined) return 'endOfText';
  return end === '}' ? 'commaOrEndOfObject' : 'commaOrEndOfArray';
}

/** Returns the line of a position and its column in UTF-16 code units, both counted from 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: `${lines.at(-1)}`.length + 1 };
}
