import { quote } from '../parser/messages.js';

/** A field's name, and its value as JSON text without white space between its parts. */
export type Member = readonly [name: string, value: string];

/** Fields by name. The values are JSON text. */
export type WireFields = Map<string, string>;

/**
 * Reads the JSON text of an object without losing a digit. As in `JSON.parse`, the last of several
 * fields with one name counts.
 *
 * @throws SyntaxError if the text is not JSON.
 * @throws TypeError if `body` is not text, or its JSON is not an object.
 */
export function readWire(body: string): WireFields {
  if (typeof body !== 'string') {
    throw new TypeError(`body: expected text, received ${quote(body)}`);
  }
  const text = body.replace(/^\uFEFF/, '');
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`body: expected the JSON text of an object, received ${quote(value)}`);
  }
  return new Map(readMembers(text));
}

export function isJson(text: unknown): boolean {
  try {
    JSON.parse(text as string);
    return typeof text === 'string';
  } catch {
    return false;
  }
}

/** Whether a field is present, and neither null nor an empty string. */
export function hasWireValue(fields: WireFields, name: string): boolean {
  return !['null', '""'].includes(fields.get(name) ?? 'null');
}

export function writeWire(fields: WireFields): string {
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')}}`;
}

/**
 * A token of JSON. The closing quote is optional, so that matching takes linear time on any text.
 */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Returns all fields of an object's valid JSON text in order, including repeated ones. It isn't
 * recursive, so that deep nesting can't overflow the stack.
 */
export function readMembers(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let name: string | null = null;
  let value = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0 || (depth === 1 && token === ',')) {
      if (name !== null) members.push([name, value]);
      name = null;
      value = '';
    } else if (name === null) {
      name = String(JSON.parse(token));
    } else if (depth > 1 || token !== ':') {
      value += token;
    }
    if (token === '{' || token === '[') depth += 1;
  }
  return members;
}
