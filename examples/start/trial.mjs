import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createReceiver } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import { createSettle } from './settle.mjs';

/** @import { AddressInfo } from 'node:net' */

// Credits sample webhooks in PostgreSQL inside this process. All data is deleted when it ends, so
// no real webhook may reach it: it listens on this machine only, with a new secret.

process.stdout.on('error', () => {}); // a closed pipe must not end the process
console.log('This is a trial. All its data is deleted when it ends. PostgreSQL is starting.');
const database = await PGlite.create();
await database.exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
await database.exec(`INSERT INTO orders VALUES -- of the sample webhooks
  ('deposit.received', 'order-10042', 'customer-7'),
  ('withdrawal.broadcast', 'payout-7731', 'customer-7')`);

const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit());

const secret = randomUUID();
const settleOnce = createSettle(database);
const receiver = createReceiver({
  secret,
  store: createStore(folder),
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
});
receiver.start();

const given = process.env.PORT || '3000';
if (!/^\d+$/.test(given)) throw new Error(`PORT: expected a number, received "${given}"`);
const server = createServer(receiver.node).listen(Number(given), '127.0.0.1');
await once(server, 'listening').catch(({ code }) => {
  console.error(`PORT: expected a free port, received ${given} (${code}). Start with PORT=3001`);
  process.exit(1);
});
const { port } = /** @type {AddressInfo} */ (server.address());
const url = `http://127.0.0.1:${port}/callbacks/${secret}`;
console.log(`Try it: npx payment-notifications send deposit --copies 5 --to ${url}`);
