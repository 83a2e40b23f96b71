/** `Headers`, or a plain object whose names have any case. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Returns a header as one text; null if it is missing. */
export function headerOf(source: HeaderSource, name: string): string | null {
  if (typeof source.get === 'function') return source.get(name);
  const wanted = name.toLowerCase();
  for (const [given, value] of Object.entries(source)) {
    if (given.toLowerCase() === wanted && value !== undefined) return [value].flat().join(', ');
  }
  return null;
}
