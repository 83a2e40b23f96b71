/** A field's name, and its value as JSON text without white space between its parts. */
export type Member = readonly [name: string, value: string];

export function isJson(text: unknown): boolean {
  try {
    JSON.parse(text as string);
    return typeof text === 'string';
  } catch {
    return false;
  }
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
