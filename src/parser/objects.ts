/** Maximum levels of nesting of an additional field. JSON.stringify fails at 5,000. */
export const MAX_LEVELS = 1000;

/** The fields of a JSON object, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Copies an object without its prototype. Null if the value is not an object, or throws when read.
 */
export function ownProperties(value: unknown): Fields | null {
  try {
    if (typeof value !== 'object' || value === null || isArray(value)) return null;
    return withoutPrototype({ ...value });
  } catch {
    return null;
  }
}

/** Removes the prototype, so that no property of `Object.prototype` is mistaken for a field. */
export function withoutPrototype(fields: object): Fields {
  return Object.setPrototypeOf(fields, null);
}

/** Like `Array.isArray`, but returns false for a revoked proxy instead of throwing. */
export function isArray(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * Whether a value has more than `levels` levels of nesting. False for a value that throws when
 * read.
 */
export function isDeeplyNested(value: unknown, levels: number = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  try {
    return Object.values(value).some((part) => isDeeplyNested(part, levels - 1));
  } catch {
    return false;
  }
}
