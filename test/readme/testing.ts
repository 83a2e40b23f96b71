import {
  bodyVariants,
  DEPOSIT_RETRY,
  deliver,
  depositReceivedBody,
  virtualClock,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { settled } from './merchant.js';
import { url } from './server.js';

// One deposit in every encoding, five copies of each at once: settled once.
const deposit = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });
for (const { label, body } of bodyVariants(deposit)) {
  const { delivered } = await deliver(body, { url, copies: 5 });
  if (!delivered) console.log(`refused: ${label}`);
}
console.log(settled.size); // 1

// A withdrawal that failed is another event.
await deliver(withdrawalBroadcastBody({ status: 'FAILED' }), { url });
console.log(settled.size); // 2

// 24 hours of the service's retries to an endpoint that is down, in a moment.
const { delivered, attempts } = await deliver(deposit, {
  url,
  retry: DEPOSIT_RETRY,
  clock: virtualClock(),
  fetch: async () => new Response(null, { status: 503 }),
});
console.log(delivered); // false
console.log(attempts.length); // 721
console.log(attempts.at(-1)?.at.toISOString()); // 1970-01-02T00:00:00.000Z
