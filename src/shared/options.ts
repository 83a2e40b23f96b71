/** A suggestion must begin like the given name, in at most this many characters. */
const BEGINNING = 5;

/**
 * Throws if an option would be ignored, because its name is unknown.
 *
 * @param given - Names that were given.
 * @param known - All names of options.
 * @throws TypeError that suggests a known name with the same beginning, or lists all.
 */
export function checkNames(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const beginning = unknown.slice(0, BEGINNING).toLowerCase();
  const nearest = known.find((name) => name.toLowerCase().startsWith(beginning));
  const fix = nearest ? `Did you mean ${nearest}?` : `Expected one of: ${known.join(', ')}`;
  throw new TypeError(`${unknown}: unknown option. ${fix}`);
}
