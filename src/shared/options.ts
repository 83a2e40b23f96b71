/**
 * Finds an option that would be ignored, because its name is misspelled.
 *
 * @param given - Names that were given.
 * @param known - All names of options.
 * @throws TypeError with the known name that shares the longest beginning.
 */
export function checkNames(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  let prefix = unknown;
  while (!known.some((name) => name.startsWith(prefix))) prefix = prefix.slice(0, -1);
  const nearest = known.find((name) => name.startsWith(prefix));
  throw new TypeError(
    `options: expected known names, received ${unknown}. Did you mean ${nearest}?`,
  );
}
