// Replaces receiver.ts in the tests: prints what its functions are given as JSON. A body may ask it
// to fail, or never to end.
import { Buffer } from 'node:buffer';
import type { PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';

const keys = new Set<string>();

export const receiver = createReceiver({
  secret: ['the-secret-before-that', 'a-secret-of-these-tests'], // workerd has no environment
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
  async onRefused(error, { body }) {
    failOn(error.reference.clientPaymentId);
    if (error.issues[0].code !== 'body_too_large')
      console.info(JSON.stringify({ refused: Buffer.from(body).toString('base64'), error }));
  },
  async onError(error) {
    console.error(error);
  },
  timeoutMs: 5_000,
});

/** The receiver of the page has a spool. */
export const stopSpool = async (): Promise<void> => {};

async function settleOnce(notification: PaymentNotification, { key }: DeliveryContext) {
  const id = 'clientPaymentId' in notification ? notification.clientPaymentId : undefined;
  failOn(id);
  if (id === 'hang') await new Promise(() => {});
  console.info(JSON.stringify({ key, isRepeated: keys.has(key), notification }));
  keys.add(key);
}

/** What an error of a merchant's client may have, which a framework may take for an answer. */
const ANSWER = { status: 200, statusCode: 200, getResponse: () => new Response('ok') };

function failOn(id?: string): void {
  if (id === 'fail') throw Object.assign(new Error('the database says no'), ANSWER);
}
