import { escapeUnprintable } from '../internal/issues.js';

/** Where text stops being JSON: at the first character that can't continue it, or at its end. */
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
/** Strings, numbers and words, each as far as it is right; the first class lacks `"` and the backslash. */
const SCALARS = [
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*(?:"|\\(?:u[\dA-Fa-f]{0,3})?)?/y,
  /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[Ee][+-]?\d*)?)?|[Ee][+-]?\d*)?)?/y,
  /t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?/y,
];
/** Tells a complete scalar from the beginning of one. */
const COMPLETE = /^(?:"[^"\\]*(?:\\.[^"\\]*)*"|[-\d].*\d|\d|true|false|null)$/;

/** Finds where text breaks the grammar of JSON (RFC 8259), however deep it is nested; null for valid text. */
export function findJsonFault(text: string): JsonFault | null {
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
    if (first === '' || !allowed.includes(first)) return faultAt(text, at);
    const scalar = SCALARS.map((expression) => match(expression, at)).find(Boolean);
    at += (scalar ?? first).length;
    if (scalar !== undefined && !COMPLETE.test(scalar)) return faultAt(text, at);
    const isName = scalar !== undefined && allowed.startsWith('"');
    if (first === '{') closers.push('}');
    else if (first === '[') closers.push(']');
    else if (first === closers.at(-1)) closers.pop();
    const closer = closers.at(-1) ?? '';
    if (first === '{') allowed = '"}';
    else if (first === '[') allowed = `${VALUE}]`;
    else if (first === ',' && closer === '}') allowed = '"';
    else if (first === ',' || first === ':') allowed = VALUE;
    else if (isName) allowed = ':';
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
