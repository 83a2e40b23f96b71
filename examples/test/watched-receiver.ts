// Replaces receiver.ts in the tests: calls its functions, prints what they are given as JSON, and fails where a
// body asks for it.
import { Buffer } from 'node:buffer';
import type { PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';
import * as own from './own-receiver.ts';

const keys = new Set<string>();

export const receiver = createReceiver({
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
  async onRefused(error, body) {
    failOn(error.reference.clientPaymentId);
    await own.keepRefused(error, body);
    console.info(JSON.stringify({ refused: Buffer.from(body).toString('base64'), error }));
  },
});

async function settleOnce(notification: PaymentNotification, context: DeliveryContext) {
  failOn('clientPaymentId' in notification ? notification.clientPaymentId : undefined);
  await own.settleOnce(notification, context);
  const { key } = context;
  console.info(JSON.stringify({ key, isRepeated: keys.has(key), notification }));
  keys.add(key);
}

/** Throws as a database's client does, or one for HTTP, whose errors have a status. */
function failOn(id: string | undefined): void {
  const [, status] = id?.match(/^fail with (.*)$/) ?? [];
  if (status === undefined) return;
  const fields = status === '' ? {} : { status: Number(status), statusCode: Number(status) };
  throw Object.assign(new Error('the database says no'), fields);
}
