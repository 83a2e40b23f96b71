import { isLosslessNumber, parse, stringify } from 'lossless-json';

/** The fields of a body, each with its value as JSON text, to the digit. */
export type WireFields = Map<string, string>;

/**
 * Reads the JSON text of an object without losing a digit.
 *
 * @throws SyntaxError for text that is no JSON, TypeError for JSON that is no object.
 */
export function readWire(body: string): WireFields {
  const value = parse(body.replace(/^\uFEFF/, ''), undefined, {
    // As JSON.parse does: the last one counts.
    onDuplicateKey: ({ newValue }) => newValue,
  });
  if (!isObject(value) || Array.isArray(value) || isLosslessNumber(value)) {
    throw new TypeError('expected the JSON text of an object');
  }
  return new Map(Object.entries(value).map(([name, field]) => [name, `${stringify(field)}`]));
}

/** Whether a field is there and not null. */
export function hasValue(fields: WireFields, name: string): boolean {
  return (fields.get(name) ?? 'null') !== 'null';
}

/** The JSON text of the fields, in their order. */
export function writeWire(fields: WireFields): string {
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')}}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
