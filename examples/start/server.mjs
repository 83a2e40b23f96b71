import { once } from 'node:events';
import { createServer } from 'node:http';
import { createReceiver } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import { pool } from './postgres.mjs';
import { createSettle } from './settle.mjs';

// Receives both webhooks, and settles them in PostgreSQL. First, run schema.sql.

const { CALLBACK_SECRET } = process.env;
const folder = process.env.FOLDER || '/var/lib/webhooks';
const host = process.env.HOST || '127.0.0.1';
const port = process.env.PORT || '3000';
if (!/^\d+$/.test(port)) throw new Error(`PORT: expected a number, received "${port}"`);

const settleOnce = createSettle(pool);
const receiver = createReceiver({
  secret: CALLBACK_SECRET, // the last segment of the callback URL's path
  store: createStore(folder), // every webhook, until it is settled; on a persistent disk
  timeoutMs: 15_000, // short, so that the process can stop within 30 seconds
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
});
receiver.start(); // tries what waits again, now and every minute
process.stdout.on('error', () => {}); // a closed pipe must not end the process

const server = createServer((request, response) => {
  // While the server stops, a kept connection would bring more bodies.
  if (!server.listening) response.setHeader('connection', 'close');
  receiver.node(request, response);
});
// Load balancers must close first, or they would send a webhook on a connection that closes.
server.keepAliveTimeout = 75_000;
await once(server.listen(Number(port), host), 'listening');
console.log(`listening on ${host}:${port}, at /callbacks/$CALLBACK_SECRET`);

// Not `once`: a second signal would end the process before the bodies in progress are saved.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

async function stop() {
  // A server that closes has no timeouts, so half a request would keep it open.
  setTimeout(() => server.closeAllConnections(), 5_000);
  server.close();
  await once(server, 'close');
  await receiver.stop(); // a sender may have hung up before its body is settled
  process.exit();
}
