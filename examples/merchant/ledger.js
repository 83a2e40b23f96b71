import { Decimal, idempotencyKey } from 'payment-notifications';

/** @import { Notification } from 'payment-notifications' */
/** @import { Database } from './database.js' */

// Why a deposit can't be credited twice, whatever happens to the processes and the network:
//
// 1. `event.key` is a primary key. Of all deliveries of one event, at any number of processes, one
//    alone can insert it; the others wait for that one's transaction, and then insert nothing.
// 2. The key and the credit are in one transaction: both are there, or neither is.
// 3. The endpoint answers 200 after the commit. Whoever hears no 200 may deliver again: see 1.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS event (
     key text PRIMARY KEY,
     received_at timestamptz NOT NULL DEFAULT now(),
     body bytea NOT NULL,
     account text NOT NULL,
     currency text NOT NULL,
     amount numeric -- exact at any size; null: unknown, a person must look
   )`,
  `CREATE TABLE IF NOT EXISTS balance (
     account text, currency text, amount numeric NOT NULL, PRIMARY KEY (account, currency)
   )`,
  `CREATE TABLE IF NOT EXISTS refused (
     digest bytea PRIMARY KEY, -- a body that is delivered every 2 minutes is kept once
     received_at timestamptz NOT NULL DEFAULT now(),
     deliveries integer NOT NULL DEFAULT 1,
     body bytea NOT NULL,
     reason text NOT NULL
   )`,
];

/** @param {Database} database */
export async function createTables(database) {
  await database.transaction(async (query) => {
    // Processes that start together would create the same table at once, which PostgreSQL refuses.
    await query('SELECT pg_advisory_xact_lock(1)');
    for (const table of TABLES) await query(table);
  });
}

/**
 * Credits or debits an event, once. The answer to a repeated delivery is success, too.
 *
 * @param {Database} database
 * @param {Notification} notification
 * @param {Uint8Array} body
 * @returns {Promise<'settled' | 'repeated'>}
 */
export async function settleOnce(database, notification, body) {
  const { account, currency, amount } = movementOf(notification);
  const digits = amount?.toString() ?? null; // never a JavaScript number
  return database.transaction(async (query) => {
    const inserted = await query(
      `INSERT INTO event (key, body, account, currency, amount) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (key) DO NOTHING RETURNING key`,
      [idempotencyKey(notification), body, account, currency, digits],
    );
    if (inserted.length === 0) return 'repeated';
    if (digits !== null) {
      await query(
        `INSERT INTO balance (account, currency, amount) VALUES ($1, $2, $3)
         ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount`,
        [account, currency, digits],
      );
    }
    return 'settled';
  });
}

/**
 * What an event moves. Here an account is named by the identifier that you gave to the service;
 * yours is that of the customer for whom you gave it.
 *
 * @param {Notification} notification
 * @returns {{ account: string, currency: string, amount: Decimal | null }}
 */
function movementOf(notification) {
  if (notification.type === 'deposit.received') {
    const { clientPaymentId, depositCurrency, actualDepositAmount } = notification;
    return { account: clientPaymentId, currency: depositCurrency, amount: actualDepositAmount };
  }
  const { clientWithdrawalId: account, withdrawCurrency: currency } = notification;
  // Of one that failed or was blocked, nothing was sent.
  if (notification.status !== 'COMPLETED') return { account, currency, amount: new Decimal(0) };
  // Null where the service doesn't say it: an estimate is no amount to debit.
  return { account, currency, amount: notification.actualWithdrawAmount?.negated() ?? null };
}

/**
 * Keeps the raw body of a refused notification: nothing is lost.
 *
 * @param {Database} database
 * @param {Uint8Array} body
 * @param {string} reason
 */
export async function keepRefused(database, body, reason) {
  await database.query(
    `INSERT INTO refused (digest, body, reason) VALUES (sha256($1), $1, $2)
     ON CONFLICT (digest) DO UPDATE SET deliveries = refused.deliveries + 1`,
    [body, reason],
  );
}

/**
 * What there is to see: every balance, what a person must settle, and the latest refused bodies.
 *
 * @param {Database} database
 */
export async function report({ query }) {
  return {
    balances: await query('SELECT * FROM balance ORDER BY account, currency'),
    completedWithoutAmount: await query('SELECT key, account FROM event WHERE amount IS NULL'),
    refused: await query(
      `SELECT received_at, deliveries, reason, left(encode(body, 'escape'), 2000) AS body
       FROM refused ORDER BY received_at DESC LIMIT 100`,
    ),
  };
}
