import type { Fields } from '../parser/objects.js';
import { SAMPLES } from '../testing/sample.js';

/** A body that was found in text. No digit of it is changed. */
export interface FoundBody {
  /** A part of the text, or of a JSON string in it. */
  readonly body: string;
  /** The number of the line where it starts, from 1 on. */
  readonly line: number;
  /** Where it starts and ends in the text; of an escaped one, where its string does. */
  readonly start: number;
  readonly end: number;
}

/**
 * An object with fewer documented names is not taken for a body. The parser requires nine or ten,
 * so that most faulty bodies are found. A line of a log has a few next to the body, such as its
 * identifiers.
 */
const MIN_NAMES = 6;
/** A body that is escaped more often is not found. */
const MAX_ESCAPES = 3;

const NAMES: ReadonlySet<string> = new Set(
  Object.values(SAMPLES).flatMap((sample) => Object.keys(sample)),
);

/** Names that other objects of a log hardly have, such as those of an error or a request. */
const OWN_NAMES = [
  ...['depositId', 'clientPaymentId', 'actualDepositAmount'],
  ...['withdrawalId', 'clientWithdrawalId', 'actualWithdrawAmount'],
];

/** Whether an object was meant as a body: it has many documented names, or no others. */
export function isBody(fields: Fields): boolean {
  let [known, others] = [0, 0];
  for (const name in fields) {
    if (NAMES.has(name)) known += 1;
    else others += 1;
    if (known === MIN_NAMES) return true;
  }
  return others === 0 && OWN_NAMES.some((name) => name in fields);
}

/** Whether a line that is not JSON was meant as a body, such as one that is cut off. */
export function isBrokenBody(line: string): boolean {
  return line.startsWith('{') && OWN_NAMES.some((name) => line.includes(`"${name}"`));
}

/**
 * Finds the bodies in text that may be one body as a whole, such as a file or what was pasted. If
 * it is one, the white space around it counts for its size. JSON around one body, such as a list,
 * is a body as a whole: an endpoint that received it would refuse it. So is a JSON string. An
 * escaped body in a field of an object is that of a log.
 */
export function findBodies(text: string): FoundBody[] {
  // Most text is no JSON, and an error takes time.
  const json = /^\s*[{["]/.test(text) ? parse(text.replace(/^\uFEFF/, '')) : undefined;
  const whole = { body: text, line: 1, start: 0, end: text.length };
  if (isObject(json) && isBody(json)) return [whole];
  const found = findBodiesWithin(text);
  const [first, second] = found;
  if (json === undefined || first === undefined || second !== undefined) return found;
  const isLog = isObject(json) && text.slice(first.start, first.end) !== first.body;
  return isLog ? found : [whole];
}

/**
 * Finds the bodies in other text: JSON objects with documented names, plain or escaped in JSON
 * strings. An object inside a body is not another body. Takes linear time.
 *
 * @returns The bodies in the order of the text. A body that is not JSON is not found.
 */
export function findBodiesWithin(text: string): FoundBody[] {
  let [line, lineBreak] = [1, text.indexOf('\n')];
  return [...findIn(text, 0)].map((part) => {
    for (; lineBreak !== -1 && lineBreak < part.start; line += 1) {
      lineBreak = text.indexOf('\n', lineBreak + 1);
    }
    return { ...part, line };
  });
}

type Part = Omit<FoundBody, 'line'>;

function* findIn(text: string, escapes: number): Generator<Part> {
  let from = 0;
  for (const part of findPlain(text)) {
    yield* findEscaped(text.slice(from, part.start), from, escapes);
    yield part;
    from = part.end;
  }
  yield* findEscaped(text.slice(from), from, escapes);
}

/** White space as it is written in a JSON string, and what escapes a quotation mark. */
const ESCAPED_SPACE = /[ \t\\nrt]*/y;
const REST_OF_STRING = /[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*/y;

/** Finds the bodies in the JSON strings of a text, each from a brace to the end of its string. */
function* findEscaped(text: string, offset: number, escapes: number): Generator<Part> {
  if (escapes === MAX_ESCAPES) return;
  for (let at = 0; ; ) {
    const start = findStart(text, at, ESCAPED_SPACE, '\\"');
    if (start === -1) return;
    const string = match(REST_OF_STRING, text, start);
    at = start + string.length;
    const unescaped = parse(`"${string}"`);
    if (typeof unescaped !== 'string') continue;
    for (const { body } of findIn(unescaped, escapes + 1)) {
      yield { body, start: start + offset, end: at + offset };
    }
  }
}

/** An object or a list that is not closed yet. */
interface Open {
  readonly start: number;
  readonly closer: string;
  /** How many documented names it has. */
  names: number;
}

/** The characters that can start a value. */
const VALUE = '{["-0123456789tfn';
const SPACE = /[ \t\n\r]*/y;
/** A token. A string may lack its end, so that matching takes linear time on any text. */
const TOKEN =
  /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"?|[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/** Finds the outermost objects, by reading from each brace as far as the text is JSON. */
function findPlain(text: string): Part[] {
  const found: Part[] = [];
  let open: Open[] = [];
  /** What the next token may start with. */
  let allowed = '';
  /** Where to go on if the text that follows is not JSON. */
  let retry = 0;
  for (let at = 0; at !== -1 && at < text.length; ) {
    if (open.length === 0) {
      at = findStart(text, at, SPACE, '"');
      if (at === -1) break;
      allowed = '{';
    }
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
    // A text that was cut off ends at the first quotation mark of what follows, maybe of a body.
    retry = first === '"' ? start + 1 : at;
    if (first === '{') open.push({ start, closer: '}', names: 0 });
    if (first === '[') open.push({ start, closer: ']', names: 0 });
    if (first === '}' || first === ']') {
      const closed = open.pop();
      if (closed !== undefined && closed.names >= MIN_NAMES) {
        dropFrom(found, closed.start);
        found.push({ body: text.slice(closed.start, at), start: closed.start, end: at });
      }
    }
    const current = open.at(-1);
    const isName = first === '"' && allowed.startsWith('"');
    if (isName && current !== undefined && NAMES.has(token.slice(1, -1))) current.names += 1;
    allowed = allowedAfter(first, isName, current?.closer ?? '');
    at += match(SPACE, text, at).length;
  }
  return found.filter(({ body }) => parse(body) !== undefined);
}

function allowedAfter(first: string, isName: boolean, closer: string): string {
  if (first === '{') return '"}';
  if (first === '[') return `${VALUE}]`;
  if (first === ',' && closer === '}') return '"';
  if (first === ',' || first === ':') return VALUE;
  return isName ? ':' : `,${closer}`;
}

/** Removes the objects that are inside the one that starts there. */
function dropFrom(found: Part[], start: number): void {
  while ((found.at(-1)?.start ?? -1) > start) found.pop();
}

function match(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? '';
}

/** Finds the next object that starts with a name. Without one, it is no body. */
function findStart(text: string, at: number, space: RegExp, quote: string): number {
  for (let start = text.indexOf('{', at); start !== -1; start = text.indexOf('{', start + 1)) {
    const end = start + 1 + match(space, text, start + 1).length;
    if (text.slice(start + 1, end + 1).endsWith(quote)) return start;
  }
  return -1;
}

/** Returns undefined for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
