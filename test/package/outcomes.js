// Runs inside each runtime, beside a bundle or a module of the packed package: plain JavaScript
// without any import, so that every one of them takes it as it is.

/**
 * The part of a notification or an error that a fixture's expected outcome holds: of each warning
 * and issue its code, path and message.
 *
 * @param {any} outcome
 */
export function inShort({ notificationType, issues, reference, warnings, ...fields }) {
  return issues
    ? { notificationType, issues: issues.map(shortIssue), reference }
    : { ...fields, warnings: warnings.map(shortIssue) };
}

/** @param {{ code: string, path: string[], message: string }} issue */
function shortIssue({ code, path, message }) {
  return { code, path, message };
}

/**
 * @typedef {object} SentFixture
 * @property {string} id
 * @property {string} parser
 * @property {string} body The wire's bytes in base64.
 * @property {Record<string, any>} expected
 */

/**
 * Parses every fixture and compares each outcome with the expected one.
 *
 * @param {Record<string, any>} library The package's root entry.
 * @param {SentFixture[]} fixtures
 * @returns {{ parsed: number, differing: object[] }}
 */
export function outcomes(library, fixtures) {
  const differing = [];
  for (const { id, parser, body, expected: wanted } of fixtures) {
    const received = outcome(library, parser, bytes(body));
    if (ordered(received) !== ordered(wanted)) differing.push({ id, wanted, received });
  }
  return { parsed: fixtures.length, differing };
}

/**
 * @param {Record<string, any>} library
 * @param {string} parser
 * @param {Uint8Array} body
 */
function outcome(library, parser, body) {
  try {
    const notification = library[parser](body);
    return {
      notification: inShort(notification),
      idempotencyKey: library.idempotencyKey(notification),
    };
  } catch (error) {
    return library.isNotificationError(error) ? inShort(error) : { thrown: String(error) };
  }
}

/** @param {string} base64 */
function bytes(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/**
 * JSON with the keys of every object in alphabetical order.
 *
 * @param {unknown} value
 */
function ordered(value) {
  return JSON.stringify(JSON.parse(JSON.stringify(value)), (_key, item) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
