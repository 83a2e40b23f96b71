import type { Notification, NotificationError } from 'payment-notifications';

export const settled = new Map<string, Notification>();
export const refused: { body: unknown; error: NotificationError }[] = [];

/** In your database: one transaction that inserts the key (unique) and moves the money. */
export async function settleOnce(key: string, notification: Notification): Promise<void> {
  if (settled.has(key)) return; // a repeated delivery: nothing to do, and that is a success
  settled.set(key, notification);
}

/** In your database: the raw body as it came, for a person to look at. */
export async function keepRefused(body: unknown, error: NotificationError): Promise<void> {
  refused.push({ body, error });
  console.error(error.message);
}
