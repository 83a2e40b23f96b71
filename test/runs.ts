/** How often a property is tried: so often, or as often as the variable RUNS says. */
export function runs(count: number): number {
  return Number(process.env.RUNS ?? count);
}
