import { Buffer } from 'node:buffer';

/** @import { PaymentNotification, NotificationError } from 'payment-notifications' */

/** @type {Map<string, PaymentNotification>} */
export const settled = new Map();

/**
 * In your database: one transaction that inserts the key (unique) and moves the money.
 *
 * @param {string} key
 * @param {PaymentNotification} notification
 */
export async function settleOnce(key, notification) {
  const isRepeated = settled.has(key); // then there is nothing to do, and that is a success
  if (!isRepeated) settled.set(key, notification);
  console.info(isRepeated ? 'repeated' : 'settled', key);
}

/**
 * In your database: the raw body as it came, for a person to look at.
 *
 * @param {Uint8Array | ArrayBuffer} body
 * @param {NotificationError} error
 */
export async function keepRefused(body, error) {
  console.warn(error.message, Buffer.from(new Uint8Array(body)).toString('base64'));
}
