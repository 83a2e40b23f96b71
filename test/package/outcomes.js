// Runs inside each runtime, next to a bundle or a module of the packed package: plain JavaScript
// without any import, so that every one of them takes it as it is.

/**
 * The part of a notification or an error that a fixture's expected outcome has: of each warning and
 * issue its code, path and message.
 *
 * @param {any} outcome
 */
export function inShort({ notificationType, issues, reference, warnings, ...fields }) {
  /** @param {{ code: string, path: string[], message: string }} issue */
  const short = ({ code, path, message }) => ({ code, path, message });
  return issues
    ? { notificationType, issues: issues.map(short), reference }
    : { ...fields, warnings: warnings.map(short) };
}

/**
 * Parses every fixture, and returns the outcomes by their ids, as JSON.
 *
 * @param {Record<string, any>} library The package's root entry.
 * @param {{ id: string, parser: string, base64: string }[]} fixtures
 */
export function outcomes(library, fixtures) {
  const outcomeOf = (/** @type {string} */ parser, /** @type {Uint8Array} */ body) => {
    try {
      const notification = library[parser](body);
      const idempotencyKey = library.idempotencyKey(notification);
      return { notification: inShort(notification), idempotencyKey };
    } catch (error) {
      return library.isNotificationError(error) ? inShort(error) : { thrown: String(error) };
    }
  };
  const entries = fixtures.map(({ id, parser, base64 }) => {
    const body = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return [id, outcomeOf(parser, body)];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
