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

/**
 * A token, after white space. Of a faulty string, it is the part before the fault. An escape that
 * the end of the text cuts off is no fault.
 */
const NEXT_TOKEN =
  /[ \t\n\r]*([{}[\],:]|"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*("|\\(?:u[\dA-Fa-f]{0,3})?$)?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)?/y;
/** The part of a number or word before the end of the text. */
const CUT_OFF =
  /^(?:-|-?(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[Ee][+-]?)|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

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
    NEXT_TOKEN.lastIndex = at;
    // It always matches, if only white space, or nothing.
    const [all, token = '', end] = NEXT_TOKEN.exec(text) as RegExpExecArray;
    at += all.length;
    const start = at - token.length;
    const first = text.charAt(start);
    if (first === '') return starts === STARTS.endOfText ? -1 : start;
    if (!starts.includes(first)) return start;
    // At most 4 characters of a token that is cut off are unread, such as `fals`.
    if (text.length - at <= 4 && CUT_OFF.test(text.slice(start))) return text.length;
    if (token === '' || (first === '"' && end !== '"')) return at;
    if (first === '{') ends.push('}');
    else if (first === '[') ends.push(']');
    else if (first === ends.at(-1)) ends.pop();
    starts = startsAfter(first, starts, ends.at(-1));
  }
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
