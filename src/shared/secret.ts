/** Nothing shorter is a secret. */
export const SECRET_LENGTH: number = 16;
/** What is expected of a secret, in words. */
export const SECRET_RULE: string = `at least ${SECRET_LENGTH} letters, digits or -._~`;

/** These characters need no percent-encoding in a URL, so a path is compared without decoding. */
export function isSecret(text: string): boolean {
  return text.length >= SECRET_LENGTH && /^[\w.~-]+$/.test(text);
}
