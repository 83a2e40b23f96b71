/** The fields of a JSON object, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Removes the prototype, so that no property of `Object.prototype` is mistaken for a field. */
export function withoutPrototype(fields: object): Record<string, unknown> {
  return Object.setPrototypeOf(fields, null);
}

/** Whether a field is present, and neither null nor an empty string. */
export function hasValue(fields: Fields, name: string): boolean {
  const value = fields[name];
  return value !== undefined && value !== null && value !== '';
}

/** Returns a value's fields, none of them inherited; null if the value is not a JSON object. */
export function fieldsOf(value: unknown): Fields | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? withoutPrototype(value) : null;
}

export function isDeeplyNested(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeplyNested(part, levels - 1));
}
