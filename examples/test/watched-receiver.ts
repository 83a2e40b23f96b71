// Replaces receiver.ts in the tests: prints what its function is given, and what it saves for
// review, as JSON. A body may ask it to fail, or to wait until the process gets a signal.
import { Buffer } from 'node:buffer';
import type { PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';

export const receiver = createReceiver({
  secret: 'a-secret-of-these-tests', // workerd has no environment
  store: {
    async save({ to, body }) {
      // The start of a body that is too long says nothing more.
      if (to === 'review' && body.length <= 65_536) print('review', body);
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

function print(outcome: string, body: Uint8Array) {
  console.info(JSON.stringify({ [outcome]: Buffer.from(body).toString('base64') }));
}

async function settleOnce(notification: PaymentNotification, { body }: DeliveryContext) {
  const id = 'clientPaymentId' in notification ? notification.clientPaymentId : undefined;
  if (id === 'fail') throw new Error('the database says no');
  if (id === 'wait') {
    const signal = new Promise((resolve) => process.once('SIGUSR2', resolve));
    print('waits', body);
    await signal;
  }
  print('settled', body);
}
