/** A field of a JSON object, with its value as JSON text, without white space between its parts. */
export type Member = readonly [name: string, value: string];

/** The fields of a body by name, each with its value as JSON text. */
export type WireFields = Map<string, string>;

/**
 * Reads the JSON text of an object without losing a digit. As with `JSON.parse`, the last one of a
 * repeated field counts.
 *
 * @throws SyntaxError if the text is not JSON, TypeError if the JSON is not an object.
 */
export function readWire(body: string): WireFields {
  const text = body.replace(/^\uFEFF/, '');
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('expected the JSON text of an object');
  }
  return new Map(readMembers(text));
}

/** Whether a field is there, and neither null nor empty. */
export function holdsValue(fields: WireFields, name: string): boolean {
  return !['null', '""'].includes(fields.get(name) ?? 'null');
}

/** The JSON text of the fields, in their order. */
export function writeWire(fields: WireFields): string {
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')}}`;
}

/** A string, a mark, or a word: a number, `true`, `false` or `null`. A string's end is optional for speed on other text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * The fields of a JSON object in their order, repeated ones as often as they occur. It doesn't recurse: no
 * nesting is too deep for it.
 *
 * @param text - JSON text that `JSON.parse` has read as an object.
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
