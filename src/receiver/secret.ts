import { describe } from '../parser/messages.js';
import type { Log } from './log.js';

/** Of characters that nothing percent-encodes, so that a path is compared as it was sent. */
export const SECRET: RegExp = /^[\w.~-]{16,}$/;

/** The least time between two lines about wrong URLs, in milliseconds. */
const PAUSE = 60_000;

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
    const ending = typeof value === 'string' && /\s$/.test(value);
    const received = describe(value) + (ending ? ' that ends with a space or a newline' : '');
    throw wrongSecret(isList ? `secret[${index}]` : 'secret', received);
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

/**
 * Creates a function that counts wrong URLs, and logs the count once a minute at most. It shows no
 * URL, which may end with an earlier secret.
 */
export function createMissReport(log: Log): () => void {
  let [count, next] = [0, 0];
  return () => {
    count += 1;
    const now = performance.now();
    if (now < next) return;
    next = now + PAUSE;
    const requests = count === 1 ? '1 request' : `${count} requests`;
    count = 0;
    const message = `answered ${requests} with 404, because the URL doesn't end with the secret. If the service sent this, its callback URL has another secret`;
    log({ outcome: 'warning', key: null, message });
  };
}

/** @param received - Describes the value without showing it, because it may be a real secret. */
function wrongSecret(name: string, received: string): TypeError {
  return new TypeError(
    `${name}: expected at least 16 letters, digits or any of -._~, received ${received}. Make one with "openssl rand -hex 32", end the callback URL with it, and set it where the receiver runs. Or pass null, but only if something that knows a secret or a signature checks who calls. A list of addresses is not enough`,
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
