import { describe } from '../internal/quote.js';

/** Of characters that nothing percent-encodes, so that a path is compared as it was sent. */
const SECRET = /^[\w.~-]{16,}$/;

/**
 * Creates a check of whether the last segment of a URL's path is a secret. With null, every URL
 * passes.
 *
 * @throws TypeError if a secret is missing, is shorter than 16 characters, or has another
 * character.
 */
export function createCheck(
  secret: string | readonly string[] | null | undefined,
): (url: unknown) => boolean {
  if (secret === null) return () => true;
  const isList = Array.isArray(secret);
  const given: readonly unknown[] = isList ? secret : [secret];
  if (given.length === 0) throw wrongSecret('secret', 'an empty list');
  const secrets = given.map((value, index) => {
    if (typeof value === 'string' && SECRET.test(value)) return value;
    throw wrongSecret(isList ? `secret[${index}]` : 'secret', describe(value));
  });
  return (url) => {
    if (typeof url !== 'string') {
      throw new TypeError(
        `url: expected the URL that was called, or its path, received ${describe(url)}. Pass it to receive(), or call settle() for a body of your own`,
      );
    }
    const segment = lastSegment(url);
    // Compares with every secret, so that the time doesn't depend on which one it is.
    return secrets.filter((value) => isEqual(segment, value)).length > 0;
  };
}

/** @param received - Describes the value without showing it, because it may be a real secret. */
function wrongSecret(name: string, received: string): TypeError {
  return new TypeError(
    `${name}: expected at least 16 letters, digits or any of -._~, received ${received}. Make one with "openssl rand -hex 32", end the callback URL with it, and set it where the receiver runs. Or pass null, if something in front of the receiver checks who calls`,
  );
}

/** Returns the last segment of a URL's path. Ignores the query and one trailing slash. */
function lastSegment(url: string): string {
  const [path = ''] = url.split('?', 1);
  const whole = path.endsWith('/') ? path.slice(0, -1) : path;
  return whole.slice(whole.lastIndexOf('/') + 1);
}

/** Takes the same time wherever two texts differ. */
function isEqual(text: string, secret: string): boolean {
  let difference = text.length ^ secret.length;
  for (let index = 0; index < secret.length; index += 1) {
    difference |= text.charCodeAt(index) ^ secret.charCodeAt(index);
  }
  return difference === 0;
}
