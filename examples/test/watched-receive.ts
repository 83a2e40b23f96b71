// Takes the place of receive.ts in the tests, and calls it: prints what the handler passes on as JSON, and fails
// where a body asks for it.
import { Buffer } from 'node:buffer';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import * as own from './own-receive.ts';

export async function receive(body: Uint8Array | ArrayBuffer) {
  const { notification, error } = safeParseNotification(body);
  if (error) {
    failOn(error.reference.clientPaymentId);
    const received = await own.receive(body);
    const refused = Buffer.from(new Uint8Array(body)).toString('base64');
    if (received.status === 400) console.info(JSON.stringify({ refused, error }));
    return received;
  }
  failOn('clientPaymentId' in notification ? notification.clientPaymentId : undefined);
  const key = idempotencyKey(notification);
  const isRepeated = own.settled.has(key);
  const received = await own.receive(body);
  console.info(JSON.stringify({ key, isRepeated, notification }));
  return received;
}

/** Throws as a database's client does, or one for HTTP, whose errors have a status. */
function failOn(id: string | undefined): void {
  const [, status] = id?.match(/^fail with (.*)$/) ?? [];
  if (status === undefined) return;
  const fields = status === '' ? {} : { status: Number(status), statusCode: Number(status) };
  throw Object.assign(new Error('the database says no'), fields);
}
