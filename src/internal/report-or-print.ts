/**
 * Reports something. If that fails, prints what was to be reported, and why it wasn't. Never rejects, so that no
 * answer depends on a logger.
 */
export async function reportOrPrint(report: () => unknown, ...subject: unknown[]): Promise<void> {
  try {
    await report();
  } catch (error) {
    const print = async () => console.error(...subject, error);
    await print().catch(() => console.error('payment-notifications: an error throws when printed'));
  }
}
