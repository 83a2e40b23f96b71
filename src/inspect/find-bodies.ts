import { SAMPLES } from '../wire/sample.js';

/** A body that was found in text. */
export interface FoundBody {
  /**
   * The body's JSON: all of the text, a part of it, or a part that was unescaped. No digit is
   * changed.
   */
  readonly body: string;
  /** Where the body was: it is the whole text, next to other text, or escaped in a JSON string. */
  readonly from: 'whole' | 'text' | 'escaped';
  /** The number of the line in which the body starts, starting at 1. */
  readonly line: number;
}

/**
 * An object with fewer documented names is not taken for a body. The parser requires nine or ten,
 * so that most faulty bodies are found. A line of a log has a few next to the body, such as its
 * identifiers.
 */
const MIN_NAMES = 6;
/** A body that is escaped more often is not found. */
const MAX_ESCAPES = 3;

const NAMES = new Set(Object.values(SAMPLES).flatMap((sample) => Object.keys(sample)));

/**
 * Finds the bodies in other text: in a line of a log, an email, a `curl` command, a list, JSON
 * Lines. An object inside a body is not another body. Takes linear time.
 *
 * @param text - The text, of any size and content.
 * @returns The bodies in the order of the text. A body that is not JSON is not found.
 */
export function findBodies(text: string): FoundBody[] {
  const spans = [...findSpans(text, 0)];
  const [first] = spans;
  // It may have a byte-order mark, which `trim` removes as well.
  if (first?.body === text.trim()) return [{ body: text, from: 'whole', line: 1 }];
  let line = 1;
  let end = 0;
  return spans.map(({ body, escapes, start }) => {
    line += text.slice(end, start).split('\n').length - 1;
    end = start;
    return { body, from: escapes === 0 ? 'text' : 'escaped', line };
  });
}

/** A body, and where the text has it, or the escaped part that has it. */
interface Span {
  readonly body: string;
  readonly escapes: number;
  readonly start: number;
}

/** @param escapes - How often the text was unescaped. */
function* findSpans(text: string, escapes: number): Generator<Span> {
  let from = 0;
  for (const { start, end } of findObjects(text)) {
    yield* findEscaped(text.slice(from, start), from, escapes);
    yield { body: text.slice(start, end), escapes, start };
    from = end;
  }
  yield* findEscaped(text.slice(from), from, escapes);
}

/** White space as it is escaped, and the backslashes of the quotation mark that follows. */
const MARGIN = /[ \tnr\\]*/y;
/** A part of a JSON string. */
const ESCAPED = /[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*/y;

/**
 * Finds the bodies in the parts of a text that may be JSON strings, each from the first brace to
 * the end of the string.
 */
function* findEscaped(text: string, offset: number, escapes: number): Generator<Span> {
  if (escapes === MAX_ESCAPES) return;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at)) {
    const start = offset + at;
    const margin = match(MARGIN, text, at + 1);
    const isEscaped = margin.endsWith('\\') && text[at + 1 + margin.length] === '"';
    const part = isEscaped ? match(ESCAPED, text, at) : '{';
    at += part.length;
    if (!isEscaped) continue;
    for (const span of findSpans(unescaped(part), escapes + 1)) yield { ...span, start };
  }
}

/** Returns the text of a part of a JSON string; an empty one if it is not JSON. */
function unescaped(part: string): string {
  try {
    return String(JSON.parse(`"${part}"`));
  } catch {
    return '';
  }
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** An object or an array that is not complete yet. */
interface Open {
  readonly start: number;
  readonly closer: '}' | ']';
  /** How many of its fields are documented. */
  names: number;
}

/** The characters that can start a value. */
const VALUE = '{["-0123456789tfn';
const SPACE = /[ \t\n\r]*/y;
/** A token, or the start of a string. */
const TOKEN =
  /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"?|[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/**
 * Finds the outermost objects that look like a body, by reading from each brace as far as the text
 * is JSON.
 */
function findObjects(text: string): Part[] {
  const found: Part[] = [];
  let open: Open[] = [];
  let allowed = '';
  let at = 0;
  /** Where to go on if the text that follows is not JSON. */
  let retry = 0;
  for (;;) {
    if (open.length === 0) {
      at = text.indexOf('{', at);
      if (at === -1) return found.filter(({ start, end }) => isJson(text.slice(start, end)));
      allowed = '{';
    }
    at += match(SPACE, text, at).length;
    const token = match(TOKEN, text, at);
    const first = token.charAt(0);
    if (token === '' || !allowed.includes(first)) {
      // If this was meant to be a body, the objects in it are none.
      const body = open.find(({ names }) => names >= MIN_NAMES);
      if (body !== undefined) dropFrom(found, body.start);
      open = [];
      at = retry;
      continue;
    }
    const start = at;
    at += token.length;
    // A string that is cut off ends at the first quotation mark of what follows, maybe another
    // object.
    retry = first === '"' ? start + 1 : at;
    if (first === '{') open.push({ start, closer: '}', names: 0 });
    if (first === '[') open.push({ start, closer: ']', names: 0 });
    if (first === '}' || first === ']') close(open, at, found);
    const current = open.at(-1);
    const closer = current?.closer ?? '';
    const isName = first === '"' && allowed.startsWith('"');
    if (isName && current !== undefined && NAMES.has(token.slice(1, -1))) current.names += 1;
    if (first === '{') allowed = '"}';
    else if (first === '[') allowed = `${VALUE}]`;
    else if (first === ',' && closer === '}') allowed = '"';
    else if (first === ',' || first === ':') allowed = VALUE;
    else if (isName) allowed = ':';
    else allowed = `,${closer}`;
  }
}

/** Closes the innermost object or array. */
function close(open: Open[], end: number, found: Part[]): void {
  const closed = open.pop();
  if (closed === undefined || closed.names < MIN_NAMES) return;
  dropFrom(found, closed.start);
  found.push({ start: closed.start, end });
}

/** Removes the objects that are inside the one that starts there. */
function dropFrom(found: Part[], start: number): void {
  while ((found.at(-1)?.start ?? -1) > start) found.pop();
}

function match(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? '';
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
