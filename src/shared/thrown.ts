/** Returns the message of what was thrown, with its cause: `fetch failed: connect ECONNREFUSED`. */
export function messageOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const message = textOf(thrown);
    const cause = thrown.cause instanceof Error ? textOf(thrown.cause) : '';
    return message.includes(cause) ? message : `${message}: ${cause}`;
  } catch {
    return 'an error that has no readable message';
  }
}

/** If several addresses of a host refuse, the error of Node.js has a code and no message. */
export function textOf({ message, code, name }: Error & { readonly code?: unknown }): string {
  return String(message || code || name);
}
