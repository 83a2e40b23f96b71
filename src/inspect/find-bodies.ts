import { SAMPLES } from '../wire/sample.js';

/** A body that was found in text. */
export interface FoundBody {
  /** All of the text, a part of it, or a part that was unescaped. No digit is changed. */
  readonly body: string;
  /**
   * Where the body was: it is the whole text, next to other text, escaped in a string, or it had
   * no-break spaces between its parts.
   */
  readonly from: 'whole' | 'text' | 'escaped' | 'spaces';
  /** The number of the line in which the body starts, starting at 1. */
  readonly line: number;
  /** The number of the line in which it ends. An escaped line break is not one of the text. */
  readonly lastLine: number;
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
 * Lines, CSV. An object inside a body is not another body. Takes linear time.
 *
 * @param text - The text, of any size and content.
 * @returns The bodies in the order of the text. A body that is not JSON is not found.
 */
export function findBodies(text: string): FoundBody[] {
  const spans = [...findSpans(withoutQuoteMarks(text), 1, 0)];
  return toFound(
    text,
    spans.filter(({ isBroken }) => !isBroken),
  );
}

/**
 * Finds the bodies in other text, like {@link findBodies}, and the broken ones: what starts as an
 * object and has a name of a body in quotes, but is not JSON. A line with a body is not searched
 * for a broken one.
 */
export function findBodiesAndBroken(text: string): FoundBody[] {
  const spans = [...findSpans(withoutQuoteMarks(text), 1, 0)];
  const bodies = spans.filter(({ isBroken }) => !isBroken);
  /** By their lines, how often the bodies are escaped; -1 for those that are not broken. */
  const taken = new Map(bodies.flatMap((span) => linesOf(span).map((line) => [line, -1])));
  const broken = spans.filter((span) => {
    const lines = span.isBroken ? linesOf(span) : [];
    // A broken line of a log may have a broken body in one of its strings.
    const isFree = lines.every((line) => (taken.get(line) ?? span.escapes) === span.escapes);
    if (isFree) for (const line of lines) taken.set(line, span.escapes);
    return span.isBroken && isFree;
  });
  const [first] = broken;
  // All of a text that starts as a body is one, such as a copy that ends early.
  if (first !== undefined && spans.length === 1 && text.trimStart().startsWith(first.body)) {
    return [{ body: text, from: 'whole', line: 1, lastLine: countLineBreaks(text) + 1 }];
  }
  return toFound(
    text,
    [...bodies, ...broken].sort((one, other) => one.line - other.line),
  );
}

function toFound(text: string, spans: readonly Span[]): FoundBody[] {
  const [first] = spans;
  // It may have a byte-order mark, which `trim` removes as well.
  if (first?.body === text.trim()) {
    return [{ body: text, from: 'whole', line: 1, lastLine: first.lastLine }];
  }
  return spans.map(({ body, escapes, line, lastLine, hasSpaces }) => {
    const from = hasSpaces ? 'spaces' : 'text';
    return { body, from: escapes === 0 ? from : 'escaped', line, lastLine };
  });
}

function linesOf({ line, lastLine }: Span): number[] {
  return Array.from({ length: lastLine - line + 1 }, (_, index) => line + index);
}

/**
 * Removes the marks of a quoted email. A string of JSON contains no line feed, but it may contain
 * U+2028, after which `^` would match with the flag m.
 */
export function withoutQuoteMarks(text: string): string {
  if (!text.includes('>')) return text;
  const lines = text.split('\n').map((line) => line.replace(/^(?:[ \t]*>)+ ?/, ''));
  return lines.join('\n');
}

/** A body, and the lines of the text that have it. */
interface Span {
  readonly body: string;
  readonly escapes: number;
  readonly line: number;
  readonly lastLine: number;
  readonly hasSpaces: boolean;
  /** Whether it is not JSON. */
  readonly isBroken: boolean;
}

/**
 * @param line - The number of the text's first line.
 * @param escapes - How often the text was unescaped.
 */
function* findSpans(text: string, line: number, escapes: number): Generator<Span> {
  const { found, faulty } = findObjects(text);
  yield* findBroken(text, faulty, line, escapes);
  let from = 0;
  let lastLine = line;
  for (const { start, end, body } of found) {
    const before = text.slice(from, start);
    const source = text.slice(start, end);
    yield* findEscaped(before, lastLine, escapes);
    const first = lastLine + countLineBreaks(before);
    lastLine = first + countLineBreaks(source);
    yield { body, escapes, line: first, lastLine, hasSpaces: body !== source, isBroken: false };
    from = end;
  }
  yield* findEscaped(text.slice(from), lastLine, escapes);
}

/** A name that other objects of a log hardly have, such as those of an error or a request. */
const OWN_NAME =
  /"(?:(?:deposit|withdrawal|clientPayment|clientWithdrawal)Id|actual(?:Deposit|Withdraw)Amount)"/;

/**
 * Finds the broken bodies of a text.
 *
 * @param faulty - Where objects start that are not JSON, in the order of the text.
 */
function* findBroken(
  text: string,
  faulty: readonly number[],
  line: number,
  escapes: number,
): Generator<Span> {
  const starts = faulty.filter((start) => {
    const at = start + 1 + match(SPACE, text, start + 1).length;
    // In CSV, the quotation mark would be doubled.
    return text[at] === '"' && text[at + 1] !== '"';
  });
  const ends = starts.length === 0 ? new Map<number, number>() : pairBraces(text);
  let lastLine = line;
  let counted = 0;
  let end = 0;
  for (const start of starts) {
    // What is inside a part without such a name has none either.
    if (start < end) continue;
    end = ends.get(start) ?? endOfCut(text, start);
    const body = text.slice(start, end).trimEnd();
    if (!OWN_NAME.test(body)) continue;
    const first = lastLine + countLineBreaks(text.slice(counted, start));
    lastLine = first + countLineBreaks(body);
    counted = start + body.length;
    yield { body, escapes, line: first, lastLine, hasSpaces: false, isBroken: true };
  }
}

/** Where each object ends, by its start. Which braces are in a string is not known. */
function pairBraces(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else ends.set(open.pop() ?? -1, index + 1);
  }
  return ends;
}

/** Where an object ends that is cut off: with its line, or before a blank one. */
function endOfCut(text: string, start: number): number {
  const isAlone = /^\{[ \t\r]*\n/.test(text.slice(start, start + 80));
  const end = text.indexOf(isAlone ? '\n\n' : '\n', start);
  return end === -1 ? text.length : end;
}

function countLineBreaks(text: string): number {
  return text.split('\n').length - 1;
}

/** White space between a brace and a quotation mark, and what escapes it and the mark. */
const MARGIN = /[ \t\n\r\\nrx09AD]*/iy;

/** How quotation marks are escaped, and a part of a string with them. */
const ESCAPINGS = [
  // In a JSON string.
  {
    quote: '\\"',
    part: /[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*/y,
    unescape: (part: string) => String(JSON.parse(`"${part}"`)),
  },
  // In a log of nginx, which escapes bytes.
  {
    quote: '\\x22',
    part: /[^"\\\n\r]*(?:\\x[\da-f]{2}[^"\\\n\r]*)*/iy,
    unescape: (part: string) =>
      decodeURIComponent(part.replaceAll('%', '%25').replaceAll('\\x', '%')),
  },
  // In CSV.
  {
    quote: '""',
    part: /[^"]*(?:""[^"]*)*/y,
    unescape: (part: string) => part.replaceAll('""', '"'),
  },
] as const;

type Escaping = (typeof ESCAPINGS)[number];

/**
 * Finds the bodies in the parts of a text that may be escaped strings, each from the first brace to
 * the end of the string.
 */
function* findEscaped(text: string, line: number, escapes: number): Generator<Span> {
  if (escapes === MAX_ESCAPES) return;
  let first = line;
  let counted = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at)) {
    first += countLineBreaks(text.slice(counted, at));
    counted = at;
    const margin = at + 1 + match(MARGIN, text, at + 1).length;
    // The margin ends with what escapes the quotation mark.
    const mark = text.slice(Math.max(at + 1, margin - 2), margin + 2);
    const escaping = ESCAPINGS.find(({ quote }) => mark.includes(quote));
    const part = escaping === undefined ? '{' : match(escaping.part, text, at);
    at += part.length;
    if (escaping === undefined) continue;
    // Only CSV leaves line breaks as they are.
    const isOneLine = !part.includes('\n');
    for (const span of findSpans(unescaped(part, escaping), first, escapes + 1)) {
      yield isOneLine ? { ...span, line: first, lastLine: first } : span;
    }
  }
}

/** Returns the text of a part of a string; an empty one if it is not escaped in that way. */
function unescaped(part: string, escaping: Escaping): string {
  try {
    return escaping.unescape(part);
  } catch {
    return '';
  }
}

interface Part {
  readonly start: number;
  readonly end: number;
}

interface PartOfJson extends Part {
  /** Without no-break spaces between its parts. */
  readonly body: string;
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
/** With the no-break spaces that mail programs make. */
const SPACE = /[ \t\n\r\u00a0]*/y;
/** A token, or the start of a string. */
const TOKEN =
  /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"?|[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

interface Objects {
  readonly found: readonly PartOfJson[];
  /** Where the other objects start that are not JSON. */
  readonly faulty: readonly number[];
}

/**
 * Finds the outermost objects that look like a body, by reading from each brace as far as the text
 * is JSON.
 */
function findObjects(text: string): Objects {
  const found: Part[] = [];
  const faulty: number[] = [];
  let open: Open[] = [];
  let allowed = '';
  let at = 0;
  /** Where to go on if the text that follows is not JSON. */
  let retry = 0;
  for (;;) {
    if (open.length === 0) {
      at = text.indexOf('{', at);
      if (at === -1) return toObjects(text, found, faulty);
      allowed = '{';
    }
    at += match(SPACE, text, at).length;
    const token = match(TOKEN, text, at);
    const first = token.charAt(0);
    if (token === '' || !allowed.includes(first)) {
      // If this was meant to be a body, the objects in it are none.
      const body = open.find(({ names }) => names >= MIN_NAMES);
      if (body !== undefined) dropFrom(found, body.start);
      faulty.push(...open.slice(0, 1).map(({ start }) => start));
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

function toObjects(text: string, parts: readonly Part[], faulty: readonly number[]): Objects {
  const read = parts.map((part) => ({ part, json: toJson(text, part) }));
  // What looks like JSON may have a control character or an unknown escape in a string.
  const more = read.filter(({ json }) => json.length === 0).map(({ part }) => part.start);
  return {
    found: read.flatMap(({ json }) => json),
    faulty: [...faulty, ...more].sort((one, other) => one - other),
  };
}

/** Replaces no-break spaces unless they are in a string. Returns nothing if it is no JSON. */
function toJson(text: string, { start, end }: Part): PartOfJson[] {
  const part = text.slice(start, end);
  const spaced = (token: string): string => (token === '\u00a0' ? ' ' : token);
  const body = part.includes('\u00a0')
    ? part.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?|\u00a0/g, spaced)
    : part;
  return isJson(body) ? [{ start, end, body }] : [];
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
