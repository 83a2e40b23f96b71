/** How often a property is tried: RUNS says how often at most, for tests that are run a thousand times. */
export function runs(count: number): number {
  return Math.min(count, Number(process.env.RUNS ?? count));
}
