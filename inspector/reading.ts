// What a text or a file is: one body, text around one, several bodies, or something else.
import { createEvents, RELATIONS, type Relation } from '../src/inspect/events';
import { type FoundBody, findBodies } from '../src/inspect/find-bodies';
import { judgeBody } from '../src/inspect/judgement';
import { likenessOf } from '../src/inspect/likeness';
import type { Outcome } from '../src/inspect/outcome';
import { MAX_BYTES } from '../src/parser/body';
import { count } from './marks';

/** More bodies are counted, but not shown. */
const MAX_BODIES = 500;

export interface Body {
  readonly body: string | Uint8Array;
  /** The number of the line in which it starts. */
  readonly line: number;
  /** How it was taken out of the text; empty if it is all of it. */
  readonly place: string;
  readonly outcome: Outcome;
  readonly summary: string;
  /** What it has to do with another body of the list; null without one. */
  readonly relation: { readonly kind: Relation<number>['kind']; readonly text: string } | null;
}

export interface Bodies {
  readonly kind: 'bodies';
  readonly bodies: readonly Body[];
  /** How many more there are. */
  readonly more: number;
  /** How many lines have no part of a body. */
  readonly otherLines: number;
}

export type Reading =
  | { readonly kind: 'nothing' }
  /** Text in which nothing was meant to be a body. */
  | { readonly kind: 'other'; readonly likeness: string }
  | Bodies;

export function isList(reading: Reading): reading is Bodies {
  return reading.kind === 'bodies' && reading.bodies.length > 1;
}

type Part = Pick<Body, 'body' | 'line' | 'place'>;

/** Reads text, or bytes that are not UTF-8. */
export function read(given: string | Uint8Array): Reading {
  const whole: Part = { body: given, line: 1, place: '' };
  if (typeof given !== 'string') return toBodies([whole], 0);
  const text = given.trim();
  if (text === '') return { kind: 'nothing' };
  const found = isSavedStart(given) ? [] : findBodies(given);
  if (found.length === 0) {
    return isMeant(text) ? toBodies([whole], 0) : { kind: 'other', likeness: likenessIn(text) };
  }
  const parts = found.map(({ body, line, start, end }): Part => {
    const around = body.length === end - start ? 'the text' : 'a string';
    return { body, line, place: body.trim() === text ? '' : `taken out of ${around}` };
  });
  return toBodies(parts, countOtherLines(given, found));
}

/** Whether text is what a receiver saves of a body that is too large. It may have bodies in it. */
function isSavedStart(text: string): boolean {
  return text.length <= MAX_BYTES + 1 && new TextEncoder().encode(text).length === MAX_BYTES + 1;
}

function countOtherLines(text: string, found: readonly FoundBody[]): number {
  const lines = text.split('\n');
  for (const { line, start, end } of found) {
    lines.fill('', line - 1, line - 1 + text.slice(start, end).split('\n').length);
  }
  // A list may have its brackets and commas on lines of their own.
  return lines.filter((line) => /[^\s[\],]/.test(line)).length;
}

function toBodies(parts: readonly Part[], otherLines: number): Bodies {
  const relate = createEvents<number>(MAX_BODIES);
  const judged = parts.slice(0, MAX_BODIES).map((part, index) => {
    const { judgement, notification } = judgeBody(part.body, null);
    const { outcome, summary } = judgement;
    const relation = (notification && relate(notification, index)) ?? null;
    return { ...part, outcome, summary, kind: relation?.kind, first: relation?.place ?? index };
  });
  // By the index of an event's first body: the first one that contradicts it.
  const rivals = new Map<number, Part>();
  for (const body of judged) {
    if (body.kind === 'contradicts' && !rivals.has(body.first)) rivals.set(body.first, body);
  }
  const bodies = judged.map(({ kind, first, ...body }): Body => {
    const rival = kind === 'contradicts' ? judged[first] : rivals.get(first);
    if (rival !== undefined) {
      return { ...body, outcome: 'review', relation: relationTo(rival, 'contradicts', body) };
    }
    const repeated = kind === 'repeats' ? judged[first] : undefined;
    return { ...body, relation: repeated ? relationTo(repeated, 'repeats', body) : null };
  });
  return { kind: 'bodies', bodies, more: parts.length - bodies.length, otherLines };
}

function relationTo(other: Part, kind: Relation<number>['kind'], body: Part): Body['relation'] {
  const place = other.line === body.line ? 'another body of this line' : `line ${other.line}`;
  return { kind, text: `${RELATIONS[kind]} ${place}` };
}

/** The start of an object or an array, unlike the bracket before a time in a log. */
const START_OF_BODY = /^(?:\{|\[object |\[\s*(?:[[{"]|$)|"\s*\{)/;

/** Whether a text without a body is a faulty one: what starts as one, or JSON. */
function isMeant(text: string): boolean {
  if (!START_OF_BODY.test(text)) return isJson(text);
  // A line that is an object by itself is one of a log. Each that is not takes time to parse.
  const lines = text.split('\n', 100);
  return lines.length === 1 || !lines.some((line) => line.startsWith('{') && isJson(line));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function likenessIn(text: string): string {
  const lines = text.split('\n').length;
  return likenessOf(text)?.is ?? (lines === 1 ? 'plain text' : `${count(lines, 'line')} of text`);
}
