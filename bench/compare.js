/**
 * @typedef {object} Outcome What came of a body: one of the two.
 * @property {object} [notification]
 * @property {string[]} [faults] The names of the faulty fields.
 */

/** @returns {Outcome} */
export function outcomeOfOurs({ success, notification, error }) {
  return success ? { notification } : { faults: error.issues.map(({ path }) => path[0]) };
}

/**
 * Compares a peer's outcome with ours.
 *
 * @param {string} who
 * @param {Outcome} outcome
 * @param {Outcome} expected Ours, from the text.
 * @param {Outcome} rounded Ours, from what JSON.parse left of the text.
 * @returns {string} What the peer does less: it loses digits, or names fewer faults.
 * @throws {Error} where the outcomes differ in anything else.
 */
export function compare(who, outcome, expected, rounded) {
  if (expected.faults) return compareFaults(who, new Set(outcome.faults), expected.faults);
  if (isSame(outcome.notification, expected.notification)) return '';
  if (isSame(outcome.notification, rounded.notification)) return 'loses digits';
  throw new Error(`${who} differs from ours: ${JSON.stringify(outcome)}`);
}

function compareFaults(who, named, faults) {
  const found = faults.filter((name) => named.has(name));
  if (found.length === 0 || named.size > found.length) {
    throw new Error(`${who} names ${[...named]} as faulty, ours ${faults}`);
  }
  return found.length === faults.length ? '' : `names ${found.length} of ${faults.length}`;
}

/**
 * Whether all of our fields are in a peer's object, to the digit. A peer may leave out what is null,
 * and leave unknown fields where they were.
 */
function isSame(notification, ours) {
  const theirs = JSON.parse(JSON.stringify(notification ?? {}));
  const { type, additionalFields, txAddressOwner, ...fields } = JSON.parse(JSON.stringify(ours));
  return (
    txAddressOwner?.name === theirs.txAddressOwner?.name &&
    txAddressOwner?.category === theirs.txAddressOwner?.category &&
    Object.entries(fields).every(
      ([name, value]) => JSON.stringify(theirs[name] ?? null) === JSON.stringify(value),
    )
  );
}
