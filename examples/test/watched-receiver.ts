// Replaces receiver.ts in the tests: prints what its function is given, and what it saves for
// review, as JSON. A body may ask it to fail.
import { Buffer } from 'node:buffer';
import type { PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';

export const receiver = createReceiver({
  secret: ['the-secret-before-that', 'a-secret-of-these-tests'], // workerd has no environment
  store: {
    async save({ to, body, reason }) {
      const saved = Buffer.from(body);
      if (saved.includes('"fail"') && to === 'review') throw FAILURE;
      // The start of a body that is too long says nothing more.
      if (to !== 'review' || saved.length > 65_536) return;
      console.info(JSON.stringify({ saved: saved.toString('base64'), reason }));
    },
    list: async () => [],
    read: async () => null,
    remove: async () => {},
  },
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
});

/** It has what a framework may take for an answer. */
const FAILURE = Object.assign(new Error('the database says no'), {
  ...{ status: 200, statusCode: 200, getResponse: () => new Response('ok') },
});

async function settleOnce(notification: PaymentNotification, { key }: DeliveryContext) {
  const id = 'clientPaymentId' in notification ? notification.clientPaymentId : undefined;
  if (id === 'fail') throw FAILURE;
  console.info(JSON.stringify({ key, notification }));
}
