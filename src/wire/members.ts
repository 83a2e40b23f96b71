/** A field of a JSON object, with its value as JSON text: exact to the digit. */
export type Member = readonly [name: string, value: string];

/** The fields of a body by name, each with its value as JSON text. */
export type WireFields = Map<string, string>;

/**
 * A string, a mark, or a number or word. A string's end is always there in valid text; to demand it would
 * make the expression slow on other text.
 */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Takes the JSON text of an object apart, without reading its values: they are as they were written,
 * but for the white space between their parts. It doesn't recurse: nothing is nested too deeply for it.
 *
 * @param text - Text that `JSON.parse` has accepted.
 * @returns The outermost object's fields in their order, repeated ones as often as they are there.
 */
export function readMembers(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let name: string | null = null;
  let value = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (depth === 1 && (token === ',' || token === '}')) {
      if (name !== null) members.push([name, value]);
      name = null;
      value = '';
    } else if (depth === 1 && name === null) {
      name = String(JSON.parse(token));
    } else if (depth > 1 || (depth === 1 && token !== ':')) {
      value += token;
    }
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
  }
  return members;
}

/** Whether a value's JSON text has more brackets open at once than that. */
export function isNestedDeeperThan(limit: number, value: string): boolean {
  // Each level takes two brackets, so most values need no second look.
  if (value.length <= limit * 2) return false;
  let depth = 0;
  for (const [token] of value.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}

/**
 * Reads the JSON text of an object without losing a digit. As with `JSON.parse`, the last one of a
 * repeated field counts.
 *
 * @throws SyntaxError if the text is not JSON, TypeError if the JSON is not an object.
 */
export function readWire(body: string): WireFields {
  const text = withoutByteOrderMark(body);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('expected the JSON text of an object');
  }
  return new Map(readMembers(text));
}

/** The text behind a byte-order mark. */
export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Whether a field is there, and neither null nor empty. */
export function holdsValue(fields: WireFields, name: string): boolean {
  return !['null', '""'].includes(fields.get(name) ?? 'null');
}

/** Whether a text is a number in JSON's grammar (RFC 8259, section 6). The kit has its own: it imports no Decimal. */
export function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** The JSON text of the fields, in their order. */
export function writeWire(fields: WireFields): string {
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')}}`;
}
