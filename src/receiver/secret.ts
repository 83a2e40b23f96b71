import { describe } from '../parser/messages.js';
import { isSecret, SECRET_LENGTH, SECRET_RULE } from '../shared/redact.js';
import type { Log } from './log.js';

/** Minimum time in milliseconds between two log lines about one kind of stranger. */
const PAUSE = 60_000;

/**
 * Creates a function that returns whether the last segment of a URL's path is a secret. If the
 * secret is null, every URL passes.
 *
 * @throws TypeError if a secret is missing, is shorter than 16 characters, or has a character that
 * is not allowed.
 */
export function createCheck(
  secret: string | readonly string[] | null | undefined,
): (url: unknown) => boolean {
  if (secret === null) return () => true;
  const isList = Array.isArray(secret);
  const given: readonly unknown[] = isList ? secret : [secret];
  if (given.length === 0) throw wrongSecret('secret', 'an empty list');
  const secrets = given.map((value, index) => {
    if (typeof value === 'string' && isSecret(value)) return value;
    throw wrongSecret(isList ? `secret[${index}]` : 'secret', describeSecret(value));
  });
  return (url) => {
    if (typeof url !== 'string') {
      throw new TypeError(
        `url: expected the URL that was called, or its path, received ${describe(url)}. Pass it to receive(), or call settle() for a body from a queue`,
      );
    }
    const segment = lastSegment(url);
    // Compares with every secret, so that the time doesn't depend on which of them matches.
    return secrets.filter((value) => isEqual(segment, value)).length > 0;
  };
}

/** Why a request is turned away. */
export type Stranger = 'a wrong secret' | 'a failed check';

const STRANGERS: Readonly<Record<Stranger, string>> = {
  'a wrong secret':
    "404, because the URL doesn't end with the secret. If the service sent it, its callback URL has a different secret",
  'a failed check':
    '401, because verify returned false. If the service sent it, verify has the wrong key',
};

/**
 * Creates a function that counts requests that were turned away, and logs the count of each kind at
 * most once a minute. The log shows no URL, because a URL may end with an earlier secret.
 */
export function createStrangerReport(log: Log): (stranger: Stranger) => void {
  const counts = new Map<Stranger, { count: number; next: number }>();
  return (stranger) => {
    const { count, next } = counts.get(stranger) ?? { count: 0, next: 0 };
    const now = performance.now();
    const isDue = now >= next;
    counts.set(stranger, isDue ? { count: 0, next: now + PAUSE } : { count: count + 1, next });
    if (!isDue) return;
    const requests = count === 0 ? '1 request' : `${count + 1} requests`;
    log({
      outcome: 'warning',
      key: null,
      message: `answered ${requests} with ${STRANGERS[stranger]}`,
    });
  };
}

/** Describes a value without showing it, because it may be a real secret. */
function describeSecret(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'string' || value === '') return describe(value);
  const length = value.length === 1 ? '1 character' : `${value.length} characters`;
  if (/\s$/.test(value)) return `${length} ending with a space, a tab or a newline`;
  return value.length < SECRET_LENGTH ? length : `${length}, not all of which are allowed`;
}

function wrongSecret(name: string, received: string): TypeError {
  return new TypeError(
    `${name}: expected ${SECRET_RULE}, received ${received}. Make one with "openssl rand -hex 32", end the callback URL with it, and set it where the receiver runs`,
  );
}

/** Returns the last segment of a URL's path. Ignores the query and one trailing slash. */
function lastSegment(url: string): string {
  const query = url.indexOf('?');
  let end = query === -1 ? url.length : query;
  if (url[end - 1] === '/') end -= 1;
  return url.slice(url.lastIndexOf('/', end - 1) + 1, end);
}

/** Compares two texts in a time that doesn't depend on where they differ. */
function isEqual(text: string, secret: string): boolean {
  let difference = text.length ^ secret.length;
  for (let index = 0; index < secret.length; index += 1) {
    difference |= text.charCodeAt(index) ^ secret.charCodeAt(index);
  }
  return difference === 0;
}
