import { escapeUnprintable } from '../internal/quote.js';
import type { RawBody } from '../parse.js';

/** The position of an error in the syntax of JSON. */
export interface JsonFault {
  /** The number of the line, starting at 1. */
  readonly line: number;
  /** The column in UTF-16 code units, starting at 1. */
  readonly column: number;
  /** The text before the error, truncated, and escaped to one printable line. */
  readonly before: string;
  /**
   * The text that starts with the error, truncated and escaped. Empty if the text ends too early.
   */
  readonly after: string;
}

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
/** A complete token, or the valid start of a string. */
const TOKEN =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*"?|[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/**
 * Finds the first error in JSON syntax (RFC 8259), at any depth of nesting; null if there is none.
 */
export function findJsonFault(body: RawBody): JsonFault | null {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = (typeof body === 'string' ? body : decoder.decode(body)).replace(/^\uFEFF/, '');
  const match = (expression: RegExp, at: number): string => {
    expression.lastIndex = at;
    return expression.exec(text)?.[0] ?? '';
  };
  // The ends of the arrays and objects around a position, the innermost last.
  const ends: string[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; ) {
    at += match(SPACE, at).length;
    const first = text.charAt(at);
    if (first === '' && expected === 'endOfText') return null;
    const token = match(TOKEN, at);
    if (token === '' || !STARTS[expected].includes(first)) return faultAt(text, at);
    at += token.length;
    if (first === '"' && !/^"(?:[^\\]|\\.)*"$/.test(token)) return faultAt(text, at);
    if (first === '{') ends.push('}');
    else if (first === '[') ends.push(']');
    else if (first === ends.at(-1)) ends.pop();
    expected = expectedAfter(first, expected, ends.at(-1));
  }
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

function faultAt(text: string, at: number): JsonFault {
  const lines = text.slice(0, at).split('\n');
  return {
    line: lines.length,
    column: `${lines.at(-1)}`.length + 1,
    before: `${at > 20 ? '…' : ''}${escapeUnprintable(text.slice(Math.max(0, at - 20), at))}`,
    after: `${escapeUnprintable(text.slice(at, at + 12))}${text.length - at > 12 ? '…' : ''}`,
  };
}
