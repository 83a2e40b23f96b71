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
 * In your database: the raw body as it came, for a person to look at. One over the package's limit of 64 KiB is
 * only logged.
 *
 * @param {Uint8Array | ArrayBuffer} body
 * @param {NotificationError} error
 * @returns The status to answer with.
 */
export async function keepRefused(body, error) {
  const isTooLarge = error.issues[0].code === 'body_too_large';
  const kept = isTooLarge ? '' : Buffer.from(new Uint8Array(body)).toString('base64');
  console.warn(error.message, kept);
  return isTooLarge ? 413 : 400;
}
