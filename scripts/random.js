/**
 * A source of choices that a seed repeats (xorshift32).
 *
 * @param {number} seed Any whole number but 0.
 */
export function createRandom(seed) {
  let state = seed | 0 || 1;

  /**
   * A whole number from 0 to below the limit.
   *
   * @param {number} limit
   */
  function below(limit) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  }

  return {
    below,
    /**
     * One of the items.
     *
     * @template T
     * @param {readonly T[]} items Not empty.
     * @returns {T}
     */
    pick: (items) => /** @type {T} */ (items[below(items.length)]),
  };
}
