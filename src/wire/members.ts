import { readMembers } from '../internal/json.js';

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
