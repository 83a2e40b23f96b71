import fc from 'fast-check';
import { anyBody } from './bodies.js';

/** @import { Random } from './random.js' */

/**
 * The next hostile body.
 *
 * @param {Random} random
 * @returns {unknown}
 */
export function nextBody(random) {
  const [makeBody = () => undefined] = fc.sample(anyBody, {
    seed: random.below(2 ** 31),
    numRuns: 1,
  });
  return makeBody();
}
