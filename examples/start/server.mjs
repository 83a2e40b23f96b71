import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReceiver } from 'payment-notifications/receiver';
import { createSpool } from 'payment-notifications/spool';

/** @import { AddressInfo } from 'node:net' */
/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { DeliveryContext } from 'payment-notifications/receiver' */
/** @typedef {{ query(sql: string, values: unknown[]): Promise<{ rows: any[] }> }} Database */

// Receives both callbacks, and adds the amount of each event to a balance, once.

// ---- What an event moves: change this ----

/**
 * Returns whose balance an event changes, and by how much. If it is for review, returns the reason.
 *
 * @param {PaymentNotification} notification
 */
async function moveOf(notification) {
  const { type } = notification;
  if (type === 'deposit.received') {
    const { depositCurrency, actualDepositAmount } = notification;
    const order = notification.clientPaymentId;
    const account = await customerOf(type, order);
    if (account === null) return 'the order is unknown';
    return { order, account, currency: depositCurrency, amount: actualDepositAmount };
  }
  const { status, withdrawCurrency, actualWithdrawAmount } = notification;
  const order = notification.clientWithdrawalId;
  // The service doesn't document whether a FAILED or BLOCKED withdrawal has moved anything.
  if (status !== 'COMPLETED') return `the withdrawal is ${status}`;
  // Never debit the estimate.
  if (actualWithdrawAmount === null) return 'the amount is missing';
  const account = await customerOf(type, order);
  if (account === null) return 'the order is unknown';
  return { order, account, currency: withdrawCurrency, amount: actualWithdrawAmount.negated() };
}

/**
 * Returns whose payment or withdrawal it is; null if you don't know it.
 *
 * @param {PaymentNotification['type']} type
 * @param {string} id The `clientPaymentId` or `clientWithdrawalId`.
 * @returns {Promise<string | null>}
 */
async function customerOf(type, id) {
  // Replace the table `orders` with yours.
  const find = 'SELECT customer FROM orders WHERE (type, id) = ($1, $2)';
  const { rows } = await query(find, [type, id]);
  return rows[0]?.customer ?? null;
}

// ---- Each event once ----

const TABLES = `
  CREATE TABLE IF NOT EXISTS orders (
    type text, id text, customer text NOT NULL, PRIMARY KEY (type, id)
  );
  CREATE TABLE IF NOT EXISTS event ( -- never delete a row: the event may arrive again
    key text PRIMARY KEY,
    account text NOT NULL,
    currency text NOT NULL,
    amount numeric NOT NULL, -- without a precision, so that nothing is rounded
    body bytea NOT NULL, -- not jsonb, which rejects some bodies
    order_id text NOT NULL, -- clientPaymentId or clientWithdrawalId
    deliveries bigint NOT NULL DEFAULT 1
  );
  CREATE INDEX IF NOT EXISTS event_order ON event (order_id);
  CREATE TABLE IF NOT EXISTS balance (
    account text, currency text, amount numeric NOT NULL, PRIMARY KEY (account, currency)
  );`;

/**
 * One statement is one transaction: the key and the balance change together, or neither does. If
 * two deliveries of a key arrive at the same time, the second one waits for the first.
 *
 * A repeat is a write as well. With a synchronous standby, the answer to a repeat waits until the
 * standby has the event.
 *
 * The parts of the statement don't see each other's changes. If you add a part, change each table
 * only once, and don't read a table that another part changes.
 */
const SETTLE = `
  WITH delivered AS ( -- insert the key, or count a repeat
    INSERT INTO event (key, account, currency, amount, body, order_id)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (key) DO UPDATE SET deliveries = event.deliveries + 1
    RETURNING account, currency, amount, deliveries
  ), moved AS ( -- add to the balance, the first time only
    INSERT INTO balance (account, currency, amount)
    SELECT account, currency, amount FROM delivered WHERE deliveries = 1
    ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount
  )
  SELECT (account, currency, amount) = ($2, $3, $4) AS same, deliveries = 1 AS first FROM delivered`;

/** @param {PaymentNotification} notification @param {DeliveryContext} context */
export async function settleOnce(notification, { key, body }) {
  const move = await moveOf(notification);
  // Its key isn't inserted. To settle it later, move its file from `refused` to `unsettled`.
  if (typeof move === 'string') return review(`${key}: ${move}`, body);
  const { order, account, amount } = move;
  // 'btc' is BTC, but ' BTC' would be another balance.
  if (!/^[!-~]+$/.test(move.currency)) return review(`${key}: the currency is no plain code`, body);
  const currency = move.currency.toUpperCase();
  const { rows } = await query(SETTLE, [key, account, currency, amount.toString(), body, order]);
  // One of the two bodies may be forged.
  if (!rows[0].same) return review(`${key}: settled before, with other values`, body);
  console.log(`${key}: ${rows[0].first ? 'settled' : 'repeated'}, ${amount} ${currency}`);
}

/** @param {string} reason @param {Uint8Array} body */
async function review(reason, body) {
  console.error(reason); // alert someone
  await refused.save(body);
}

// ---- The database ----

/** @param {string} sql @param {unknown[]} values */
async function query(sql, values) {
  return (await database).query(sql, values);
}

/** For any number of processes. @param {string} [url] @returns {Promise<Database>} */
async function openPostgres(url = '') {
  // The error of pg doesn't name the variable.
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url))
    throw new Error('DATABASE_URL: expected postgres://user:password@host/database');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    // Without it, statements that wait for a locked row use up the connections of the database.
    statement_timeout: 5_000,
    // A database that hangs ignores the other limit. This one drops the connection.
    query_timeout: 6_000,
  });
  // A restart of the database breaks idle connections. Unhandled, that would end this process.
  pool.on('error', (error) => console.error(toText(error)));
  async function createTables() {
    try {
      // A role that may not create tables can use those that exist.
      await pool.query('SELECT FROM event LIMIT 0').catch(() => pool.query(TABLES));
    } catch (error) {
      // The database is down, or another copy creates them. Meanwhile, bodies are saved.
      console.error(`no tables yet: ${toText(error)}`);
      setTimeout(createTables, 5_000);
    }
  }
  await createTables();
  return pool;
}

/**
 * Returns the message of an error of the database or the network, and any other with its stack.
 *
 * @param {any} error
 */
function toText(error) {
  return error?.code ? `${error.message} (${error.code})` : (error?.stack ?? error);
}

// ---- The server ----

const { CALLBACK_SECRET, DATABASE_URL, FOLDER = '.', HOST, PORT } = process.env;
const host = HOST || '127.0.0.1';
const isTrial = DATABASE_URL === undefined;
// A trial forgets what it has settled, so no real callback may reach it.
if (isTrial && (CALLBACK_SECRET !== undefined || host !== '127.0.0.1'))
  throw new Error('DATABASE_URL is missing. A trial takes no CALLBACK_SECRET and no HOST');
const secret = isTrial ? randomUUID() : CALLBACK_SECRET;
const database = isTrial ? openPGlite() : openPostgres(DATABASE_URL);
const folder = isTrial ? temporaryFolder() : FOLDER; // use a persistent disk
const unsettled = createSpool(join(folder, 'unsettled')); // bodies that will be tried again
const refused = createSpool(join(folder, 'refused')); // bodies for review

const receiver = createReceiver({
  secret,
  // Short, so that the process can stop within 30 seconds.
  timeoutMs: 15_000,
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
  onRefused: (error, { body }) => review(error.message, body),
  async onError(error, { key, body }) {
    console.error(`${key ?? 'not read'}: ${toText(error)}`); // alert someone if it lasts
    if (body) await unsettled.save(body);
  },
});

await database; // a wrong DATABASE_URL stops this process here
const stopSpool = unsettled.start(receiver.settle);

const server = createServer((request, response) => {
  // While the server stops, a kept connection would bring more bodies.
  if (!server.listening) response.setHeader('connection', 'close');
  receiver.node(request, response);
});
await once(server.listen(Number(PORT || 3000), host), 'listening');
const { port } = /** @type {AddressInfo} */ (server.address());
// Many people read logs, so a secret of yours isn't printed.
const url = `http://${host}:${port}/callbacks/${isTrial ? secret : '$CALLBACK_SECRET'}`;
console.log(`listening at ${url}`);
if (isTrial) console.log(`Try it: npx payment-notifications send deposit --copies 5 --to ${url}`);

// Not `once`: a second signal would end the process before the bodies in progress are saved.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

async function stop() {
  // A closed server has no timeouts, so half a request would keep it open.
  setTimeout(() => server.closeAllConnections(), 5_000);
  await Promise.all([once(server.close(), 'close'), stopSpool()]);
  await receiver.idle(); // a sender may have hung up before its body is settled
  process.exit();
}

// ---- A trial ----

/** PostgreSQL in this process. @returns {Promise<Database>} */
async function openPGlite() {
  console.log('This is a trial, because DATABASE_URL is not set. It keeps nothing when it ends.');
  // Only a trial needs this package, so a bundler must not look for it.
  const { PGlite } = await import(/* webpackIgnore: true */ '@electric-sql/pglite');
  const pglite = await PGlite.create();
  await pglite.exec(`${TABLES}
    INSERT INTO orders VALUES -- those of the samples
      ('deposit.received', 'order-10042', 'customer-7'),
      ('withdrawal.broadcast', 'payout-7731', 'customer-7')`);
  return pglite;
}

/** Returns a folder that is removed when this process ends. */
function temporaryFolder() {
  const temporary = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  process.on('exit', () => rmSync(temporary, { recursive: true }));
  return temporary;
}
