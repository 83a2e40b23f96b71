import { once } from 'node:events';
import { createServer } from 'node:http';
import { createReceiver } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import { pool } from './postgres.mjs';
import { createSettle } from './settle.mjs';
import { stopOnSignal } from './stop.mjs';

// Receives both webhooks, and settles them in PostgreSQL. First, run schema.sql.

const { CALLBACK_SECRET } = process.env;
const folder = process.env.FOLDER || '/var/lib/webhooks';
const host = process.env.HOST || '127.0.0.1';
const port = process.env.PORT || '3000';
if (!/^\d+$/.test(port)) throw new Error(`PORT: expected a number, received "${port}"`);

const settleOnce = createSettle(pool); // for your own orders, pass customerOf
const receiver = createReceiver({
  secret: CALLBACK_SECRET, // the last segment of the callback URL's path
  store: createStore(folder), // saves each webhook until it is settled; use a persistent disk
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
});
receiver.start(); // tries waiting webhooks again, now and every minute

const server = createServer(receiver.node);
stopOnSignal(server, receiver);
await once(server.listen(Number(port), host), 'listening');
console.log(`listening on ${host}:${port}, at /callbacks/$CALLBACK_SECRET`);
