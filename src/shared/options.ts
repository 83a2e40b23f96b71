/** How much of a name must be right, so that a suggestion helps. */
const MIN_PREFIX = 5;

/**
 * Throws if an option would be ignored, because its name is unknown.
 *
 * @param given - Names that were given.
 * @param known - All names of options.
 * @throws TypeError that suggests the known name with the longest shared beginning, or lists all.
 */
export function checkNames(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  let prefix = unknown;
  const isBeginning = (name: string) => name.toLowerCase().startsWith(prefix.toLowerCase());
  while (prefix.length > MIN_PREFIX && !known.some(isBeginning)) prefix = prefix.slice(0, -1);
  const nearest = known.find(isBeginning);
  const fix = nearest ? `Did you mean ${nearest}?` : `Expected ${known.join(', ')}`;
  throw new TypeError(`${unknown}: unknown option. ${fix}`);
}
