import { quote } from '../internal/quote.js';

/** Of characters that nothing percent-encodes, so that a path is compared as it comes. */
const SECRET = /^[\w.~-]{16,}$/;

/** Creates a check of whether the last segment of a URL's path is the secret. With null, every URL passes. */
export function createCheck(secret: string | null | undefined): (url: unknown) => boolean {
  if (secret === null) return () => true;
  if (typeof secret !== 'string' || !SECRET.test(secret)) {
    const received = typeof secret === 'string' ? 'another text' : quote(secret); // it may be a real secret
    throw new TypeError(
      `secret: expected at least 16 letters, digits or any of -._~, received ${received}. Make one with "openssl rand -hex 32", end the callback URL with it, and set it where the receiver runs. Or pass null, if something in front of the receiver checks who calls`,
    );
  }
  return (url) => {
    if (typeof url !== 'string') {
      throw new TypeError(
        `url: expected the URL that was called, or its path, received ${quote(url)}. Pass it to receive(), or call settle() for a body of your own`,
      );
    }
    const [path = ''] = url.split('?', 1);
    const whole = path.endsWith('/') ? path.slice(0, -1) : path;
    return isEqual(whole.slice(whole.lastIndexOf('/') + 1), secret);
  };
}

/** Takes the same time wherever two texts differ. */
function isEqual(text: string, secret: string): boolean {
  let difference = text.length ^ secret.length;
  for (let index = 0; index < secret.length; index += 1) {
    difference |= text.charCodeAt(index) ^ secret.charCodeAt(index);
  }
  return difference === 0;
}
