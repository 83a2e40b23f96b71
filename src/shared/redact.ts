// What may be a secret, and how a text is shown without it.

/** Nothing shorter is a secret. */
export const SECRET_LENGTH: number = 16;
/** What is expected of a secret, in words. */
export const SECRET_RULE: string = `at least ${SECRET_LENGTH} letters, digits or -._~`;

/** These characters need no percent-encoding in a URL, so a path is compared without decoding. */
export function isSecret(text: string): boolean {
  return text.length >= SECRET_LENGTH && /^[\w.~-]+$/.test(text);
}

/** How many characters of a possible secret are shown. */
const SHOWN = 4;

/**
 * Truncates the last segment of a path, and long ones, because each may be a secret. Removes the
 * query. The text may be something that should have been a URL.
 */
export function redactPath(text: string): string {
  const [path = ''] = text.split(/[?#]/, 1);
  const segments = path.split('/');
  const last = segments.map((segment) => segment !== '').lastIndexOf(true);
  return segments
    .map((segment, index) =>
      segment.length > SHOWN && (index === last || segment.length >= SECRET_LENGTH)
        ? `${segment.slice(0, SHOWN)}…`
        : segment,
    )
    .join('/');
}

/**
 * Hides long segments and the query of a wrong URL. Keeps short ones, which may show what is wrong
 * with it.
 */
export function hideLongSegments(text: string): string {
  const [path = ''] = text.split('?', 1);
  return path
    .split('/')
    .map((segment) => (segment.length < SECRET_LENGTH ? segment : '…'))
    .join('/');
}

/** Shows a URL without its user name, password, query and secret. */
export function redactUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${redactPath(pathname)}`;
}

/** Redacts the path and query of a URL in an answer, such as in `Cannot POST /callbacks/…`. */
export function redactPathIn(text: string, { pathname, search }: URL): string {
  const segments = pathname.split('/').filter((segment) => segment.length >= SECRET_LENGTH);
  const secrets = [pathname + search, pathname, search, ...segments];
  return secrets
    .filter((secret) => secret.length > 1)
    .reduce((redacted, secret) => redacted.replaceAll(secret, () => redactPath(secret)), text);
}

/** Removes everything but the scheme from the URLs in a text. */
export function redactUrlsIn(text: string): string {
  const start = text.indexOf('://');
  if (start === -1) return text;
  // A user name or password may contain anything, spaces and quotation marks as well.
  const end = Math.max(start + '://'.length, text.lastIndexOf('@'));
  return text.slice(0, start) + `://${text.slice(end)}`.replaceAll(/:\/\/[^\s'"]*/g, '://…');
}
