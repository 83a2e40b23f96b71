// Replaces receiver.ts in the tests: prints what its function is given, and what it saves for
// review, as JSON. A body may ask it to fail, or to wait until the process gets a signal.
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
  timeoutMs: 600_000, // tests end it, however slow a machine is
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
});

console.info('the receiver starts');

/** It has what a framework may take for an answer. */
const FAILURE = Object.assign(new Error('the database says no'), {
  ...{ status: 200, statusCode: 200, getResponse: () => new Response('ok') },
});

async function settleOnce(notification: PaymentNotification, { key }: DeliveryContext) {
  const id = 'clientPaymentId' in notification ? notification.clientPaymentId : undefined;
  if (id === 'fail') throw FAILURE;
  if (id === 'wait') {
    const signal = new Promise((resolve) => process.once('SIGUSR2', resolve));
    console.info(JSON.stringify({ waits: key }));
    await signal;
  }
  console.info(JSON.stringify({ key, notification }));
}
