/** The last segment of a path, and each of at least 16 characters: the receiver takes no shorter secret. */
const SECRETS = /[^/]+(?=\/*$)|[^/]{16,}/g;
/** How many characters of such a segment are shown. */
const SHOWN = 4;

/** Truncates what may be a secret in a path. Removes the query. Takes a URL as well, or a failed attempt at one. */
export function redactPath(text: string): string {
  const [path = ''] = text.split(/[?#]/, 1);
  return path.replace(SECRETS, (segment) => truncate(segment, SHOWN));
}

/** Shows a URL without its user name, password, query and secret. */
export function redactUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${redactPath(pathname)}`;
}

/** Removes everything but the scheme from the URLs in a text. */
export function redactUrlsIn(text: string): string {
  const start = text.indexOf('://');
  if (start === -1) return text;
  // A user name or password may contain anything, spaces and quotation marks as well.
  const end = Math.max(start, text.lastIndexOf('@'));
  const rest = text.slice(end);
  const length = rest.search(/[\s'"]/);
  return `${text.slice(0, start)}://…${length === -1 ? '' : redactUrlsIn(rest.slice(length))}`;
}

export function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
