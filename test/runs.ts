/** The number of runs of a property test; the variable RUNS overrides it. */
export function runs(count: number): number {
  return Number(process.env.RUNS ?? count);
}
