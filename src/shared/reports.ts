/**
 * Reports something. If that fails, prints what was to be reported, and why it wasn't. Never
 * rejects, so that no answer depends on a logger.
 */
export async function reportOrPrint(report: () => unknown, subject: () => string): Promise<void> {
  try {
    await report();
  } catch (error) {
    try {
      console.error(`${subject()} (not logged: ${messageOf(error)})`);
    } catch {
      // Nothing can be printed.
    }
  }
}

/** Returns the message of what was thrown, with its cause: `fetch failed: connect ECONNREFUSED`. */
export function messageOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const { name, message, cause } = thrown;
    const isNews = cause instanceof Error && !message.includes(cause.message);
    return isNews ? `${message}: ${cause.message}` : message || name;
  } catch {
    return 'an error that has no readable message';
  }
}
