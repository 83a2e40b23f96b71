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
 * Whether a value has more than 1,000 levels of nesting. False for a value that throws when read.
 */
export function isDeeplyNested(value: unknown): boolean {
  // A list of what is left to see, because recursion could overflow the stack as well.
  const rest = [{ value, level: 1 }];
  try {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      if (typeof next.value !== 'object' || next.value === null) continue;
      if (next.level > MAX_LEVELS) return true;
      const level = next.level + 1;
      for (const part of Object.values(next.value)) rest.push({ value: part, level });
    }
  } catch {
    return false;
  }
  return false;
}
