import { escapeUnprintable } from '../internal/issues.js';
import type { RawBody } from '../parse.js';

/** Where text stops being JSON: at a mark, number or word that is wrong there, in a string, or at its end. */
export interface JsonFault {
  /** The line, from 1. */
  readonly line: number;
  /** The UTF-16 code unit in that line, from 1. */
  readonly column: number;
  /** The text in front of the fault, cut, and escaped so that it stays one printable line. */
  readonly before: string;
  /** The text from the fault on, cut and escaped alike; empty at the end of the text. */
  readonly after: string;
}

/** The characters with which a value begins. */
const VALUE = '{["-0123456789tfn';
const SPACE = /[ \t\n\r]*/y;
/** A string as far as it is right, or the mark, number or word that is there. */
const TOKEN =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*"?|[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/** Finds where a body breaks the grammar of JSON (RFC 8259), however deep it is nested; null if it is valid. */
export function findJsonFault(body: RawBody): JsonFault | null {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = (typeof body === 'string' ? body : decoder.decode(body)).replace(/^\uFEFF/, '');
  const match = (expression: RegExp, at: number): string => {
    expression.lastIndex = at;
    return expression.exec(text)?.[0] ?? '';
  };
  const closers: string[] = [];
  let allowed = VALUE;
  for (let at = 0; ; ) {
    at += match(SPACE, at).length;
    const first = text.charAt(at);
    if (first === '' && allowed === '') return null;
    const token = match(TOKEN, at);
    if (token === '' || !allowed.includes(first)) return faultAt(text, at);
    at += token.length;
    if (first === '"' && !/^"(?:[^\\]|\\.)*"$/.test(token)) return faultAt(text, at);
    if (first === '{' || first === '[') closers.push(first === '{' ? '}' : ']');
    else if (first === closers.at(-1)) closers.pop();
    const closer = closers.at(-1) ?? '';
    if (first === '{') allowed = '"}';
    else if (first === '[') allowed = `${VALUE}]`;
    else if (first === ',' && closer === '}') allowed = '"';
    else if (first === ',' || first === ':') allowed = VALUE;
    else if (first === '"' && allowed.startsWith('"')) allowed = ':';
    else allowed = closer && `,${closer}`;
  }
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
