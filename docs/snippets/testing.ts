import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import {
  bodyVariants,
  DEPOSIT_RETRY,
  deliver,
  depositReceivedBody,
  faultyBodies,
  virtualClock,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';

// Your handler goes here.
const settled = new Set<string>();
const server = createServer(async (request, response) => {
  if (request.url !== '/callbacks') return response.writeHead(404).end();
  const { notification } = safeParseNotification(await buffer(request));
  if (notification === undefined) return response.writeHead(400).end();
  settled.add(idempotencyKey(notification));
  response.end();
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`;

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

// What a parser refuses is not settled.
for (const { label, body } of faultyBodies(deposit)) {
  const { delivered } = await deliver(body, { url });
  if (delivered) console.log(`accepted: ${label}`);
}
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

server.close();
