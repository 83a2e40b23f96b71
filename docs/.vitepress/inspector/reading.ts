// What a text or a file is: a body, text around one, or several bodies.
import {
  type FoundBody,
  findBodies,
  findBodiesAndBroken,
  isJson,
  withoutQuoteMarks,
} from '../../../src/inspect/find-bodies';
import { likenessOf } from '../../../src/inspect/likeness';
import { plural } from './rows';

/** A body as text or as bytes, which may be no UTF-8. */
export type Body = string | Uint8Array;

/** Text with a body in it, and the number of its first line. */
export interface Piece {
  readonly line: number;
  readonly text: Body;
}

export type Reading =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'one';
      readonly body: Body;
      /** Where the body was in the text; empty if it is all of it. */
      readonly place: string;
    }
  /** Text in which nothing was meant to be a body. */
  | { readonly kind: 'other'; readonly body: Body; readonly likeness: string }
  /** Several bodies, one a line or one a piece. */
  | { readonly kind: 'several'; readonly pieces: Iterable<Piece> };

/** How a body that is not all of the text was taken out of it. */
const PLACES = {
  text: 'Taken out of the text around it',
  escaped: 'Taken out of a string with escapes',
  spaces: 'Read without the no-break spaces of a mail program',
} as const;

/** To find all bodies of more text takes too long. */
const MAX_AT_ONCE = 1024 * 1024;
const START = 64 * 1024;
const NEWLINE = 0x0a;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function textOf(body: Body): string {
  return typeof body === 'string' ? body : decoder.decode(body);
}

export function isUtf8(body: Body): boolean {
  if (typeof body === 'string') return true;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}

export function read(given: Body): Reading {
  if (given.length === 0) return { kind: 'nothing' };
  // The start of an archive tells that it has one body a line.
  if (given.length > MAX_AT_ONCE && isOneALine(findBodies(textOf(given.slice(0, START))))) {
    return { kind: 'several', pieces: linesOf(given) };
  }
  const text = textOf(given);
  const found = findBodiesAndBroken(text);
  const [first] = found;
  if (first === undefined) {
    // Bytes that are not UTF-8 stay as they are, because that is a fault.
    const isQuoted = isUtf8(given) && text.trimStart().startsWith('>');
    const body = isQuoted ? withoutQuoteMarks(text) : given;
    if (!isMeant(body)) {
      return { kind: 'other', body: given, likeness: likenessOf(body)?.is ?? linesLike(given) };
    }
    return { kind: 'one', body, place: isQuoted ? `${PLACES.text}, line 1` : '' };
  }
  if (first.from === 'whole') return { kind: 'one', body: given, place: '' };
  if (found.length === 1) {
    return { kind: 'one', body: first.body, place: `${PLACES[first.from]}, line ${first.line}` };
  }
  if (isOneALine(found)) return { kind: 'several', pieces: linesOf(given) };
  return { kind: 'several', pieces: found.map(({ line, body }) => ({ line, text: body })) };
}

/** The start of an object or of an array, unlike the bracket before a time in a log. */
const START_OF_BODY = /^(?:\{|\[\s*(?:[[{"]|$)|"\s*\{)/;

/** Whether a text without a body is a faulty one: what starts as one, JSON, or no text at all. */
function isMeant(given: Body): boolean {
  if (!isUtf8(given) || isJson(textOf(given))) return true;
  const text = textOf(given).trim();
  const lines = text.split('\n');
  return START_OF_BODY.test(text) && !(lines.length > 1 && lines.every(isJson));
}

function linesLike(given: Body): string {
  const { length } = textOf(given).trim().split('\n');
  return length === 1 ? 'plain text' : `${plural(length, 'line')} of a log`;
}

function isOneALine(found: readonly FoundBody[]): boolean {
  return found.length > 1 && found.every(({ line, lastLine }) => line === lastLine);
}

function* linesOf(given: Body): Generator<Piece> {
  const bytes = typeof given === 'string' ? new TextEncoder().encode(given) : given;
  let line = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    line += 1;
    yield { line, text: bytes.subarray(start, end) };
    start = end + 1;
  }
}
