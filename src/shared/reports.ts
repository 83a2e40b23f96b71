/**
 * Reports something. If that fails, prints what was to be reported, and why it wasn't. Never
 * rejects, so that no answer depends on a logger.
 */
export async function reportOrPrint(report: () => unknown, ...subject: unknown[]): Promise<void> {
  const print = async (...shown: unknown[]) => console.error(...shown);
  try {
    await report();
  } catch (error) {
    await print(...subject, error)
      .catch(() => print('payment-notifications: an error throws when printed'))
      .catch(() => {}); // where nothing can be printed, nothing can be said
  }
}
