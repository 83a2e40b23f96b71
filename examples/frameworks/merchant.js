import { Buffer } from 'node:buffer';

/** @import { Notification, NotificationError } from 'payment-notifications' */

/** @type {Map<string, Notification>} */
export const settled = new Map();

/**
 * In your database: one transaction that inserts the key (unique) and moves the money.
 *
 * @param {string} key
 * @param {Notification} notification
 */
export async function settleOnce(key, notification) {
  const isRepeated = settled.has(key); // then there is nothing to do, and that is a success
  if (!isRepeated) settled.set(key, notification);
  console.info(JSON.stringify({ key, isRepeated, notification }));
}

/**
 * In your database: the raw body as it came, for a person to look at.
 *
 * @param {Uint8Array | ArrayBuffer | undefined} body Express and Fastify leave it undefined where none came.
 * @param {NotificationError} error
 */
export async function keepRefused(body, error) {
  const refused = Buffer.from(new Uint8Array(body ?? [])).toString('base64');
  console.info(JSON.stringify({ refused, error }));
}
