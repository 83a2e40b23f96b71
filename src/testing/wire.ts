import { quote } from '../parser/messages.js';
import { readMembers } from '../shared/members.js';

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

/** Whether a field is present, and neither null nor an empty string. */
export function hasWireValue(fields: WireFields, name: string): boolean {
  return !['null', '""'].includes(fields.get(name) ?? 'null');
}

export function writeWire(fields: WireFields): string {
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')}}`;
}
