import { escapeUnprintable } from '../parser/messages.js';

/**
 * Reports something. If that fails, prints what was to be reported, and why it wasn't. Never
 * rejects, so that no answer depends on a logger.
 */
export async function reportOrPrint(report: () => unknown, subject: () => string): Promise<void> {
  try {
    await report();
  } catch (error) {
    try {
      console.error(`${subject()} (not logged: ${escapeUnprintable(messageOf(error))})`);
    } catch {
      // Nothing can be printed.
    }
  }
}

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
