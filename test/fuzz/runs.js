/**
 * How often a property is tried: so often, or as often as the variable RUNS says.
 *
 * @param {number} count
 */
export function runs(count) {
  return Number(process.env.RUNS ?? count);
}
