// Replaces receiver.ts in the tests: prints what its functions are given as JSON, and fails where a body asks for it.
import { Buffer } from 'node:buffer';
import type { PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';

const keys = new Set<string>();

export const receiver = createReceiver({
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
  async onRefused(error, body) {
    failOn(error.reference.clientPaymentId);
    console.info(JSON.stringify({ refused: Buffer.from(body).toString('base64'), error }));
  },
});

async function settleOnce(notification: PaymentNotification, { key }: DeliveryContext) {
  failOn('clientPaymentId' in notification ? notification.clientPaymentId : undefined);
  console.info(JSON.stringify({ key, isRepeated: keys.has(key), notification }));
  keys.add(key);
}

/** Of NestJS, where that is loaded. */
declare const HttpException: typeof import('@nestjs/common').HttpException | undefined;

/** What an error of a merchant's client may have, which a framework may take for an answer. */
const FIELDS: Record<string, object> = {
  'status 200': { status: 200, statusCode: 200 },
  'status 404': { status: 404, statusCode: 404 },
  'a response': { getResponse: () => new Response('ok') }, // of Hono's HTTPException
};

function failOn(id = ''): void {
  if (!id.startsWith('fail with ')) return;
  const message = 'the database says no';
  if (id.endsWith('an exception') && typeof HttpException === 'function') {
    throw new HttpException(message, 200);
  }
  throw Object.assign(new Error(message), FIELDS[id.slice('fail with '.length)]);
}
