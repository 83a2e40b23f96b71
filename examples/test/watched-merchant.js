// The merchant of the tests, in the place of the example's: prints what it gets as JSON, and fails where a
// body asks for it.
import { Buffer } from 'node:buffer';
import * as merchant from '../frameworks/merchant.js';

/** @import { PaymentNotification, NotificationError } from 'payment-notifications' */

/** @param {string} key @param {PaymentNotification} notification */
export async function settleOnce(key, notification) {
  failOn('clientPaymentId' in notification ? notification.clientPaymentId : undefined);
  const isRepeated = merchant.settled.has(key);
  await merchant.settleOnce(key, notification);
  console.info(JSON.stringify({ key, isRepeated, notification }));
}

/** @param {Uint8Array | ArrayBuffer} body @param {NotificationError} error */
export async function keepRefused(body, error) {
  failOn(error.reference.clientPaymentId);
  const status = await merchant.keepRefused(body, error);
  const refused = Buffer.from(new Uint8Array(body)).toString('base64');
  if (status === 400) console.info(JSON.stringify({ refused, error }));
  return status;
}

/** Throws as a database's client does, or one for HTTP, whose errors have a status. @param {string | undefined} id */
function failOn(id) {
  const [, status] = id?.match(/^fail with (.*)$/) ?? [];
  if (status === undefined) return;
  const error = new Error('the database says no');
  throw Object.assign(
    error,
    status !== '' && { status: Number(status), statusCode: Number(status) },
  );
}
