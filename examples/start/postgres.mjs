import { once } from 'node:events';
import { createServer } from 'node:http';
import { createReceiver } from 'payment-notifications/receiver';
import { createSpool } from 'payment-notifications/spool';
import pg from 'pg';

/** @import { Decimal, PaymentNotification } from 'payment-notifications' */
/** @import { DeliveryContext } from 'payment-notifications/receiver' */

// Receives both callbacks, and books each event once on a PostgreSQL server. Any number of
// processes may run at the same time.

// ---- The database, with the tables of schema.sql ----

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  // Every wait ends. The last one drops the connection, because a commit that waits for a standby
  // ignores `statement_timeout`, and a server that is frozen ignores everything.
  connectionTimeoutMillis: 10_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
});
// Unhandled, the error of an idle connection would end this process: a restart of the database is
// enough.
pool.on('error', (error) => console.error(error.message));

/**
 * Books an event once, in one transaction: see schema.sql. `conflict`: its key is known, with
 * another account, currency or amount.
 *
 * @param {string} key
 * @param {Uint8Array} body
 * @param {{ account: string, currency: string, amount: Decimal }} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
async function book(key, body, { account, currency, amount }) {
  const values = [key, account, currency, amount.toString(), body];
  const { rows } = await pool.query('SELECT book($1, $2, $3, $4, $5) AS outcome', values);
  return rows[0].outcome;
}

/** Stores a body for review, once. @param {Uint8Array} body @param {string} reason */
async function hold(body, reason) {
  // A known body is written again, for the standby, as in `book`. It stays done, unless the reason
  // is new.
  const insert = `INSERT INTO held (digest, body, reason) VALUES (sha256($1), $1, $2)
    ON CONFLICT (digest) DO UPDATE SET
      reason = excluded.reason, done = CASE WHEN held.reason = excluded.reason THEN held.done END`;
  await pool.query(insert, [body, reason]);
}

/**
 * Returns whether the tables refuse a value, so that a repeat would fail as well: bad data, or a
 * constraint, limit, trigger or policy.
 *
 * @param {unknown} error
 * @returns {error is Error}
 */
function isRefusal(error) {
  return error instanceof pg.DatabaseError && /^(22|23|54|P0|42501)/.test(error.code ?? '');
}

// ---- What an event moves: change this ----

/**
 * Returns whose payment or withdrawal it is; null if you don't know it. Look up your identifier.
 *
 * @param {PaymentNotification} notification
 * @returns {Promise<string | null>}
 */
async function accountOf(notification) {
  return notification.type === 'deposit.received'
    ? notification.clientPaymentId
    : notification.clientWithdrawalId;
}

/**
 * Returns what an event adds to whose balance. The amount is null if the event doesn't say it.
 *
 * @param {PaymentNotification} notification
 */
async function moveOf(notification) {
  const account = await accountOf(notification);
  if (notification.type === 'deposit.received') {
    const { depositCurrency, actualDepositAmount } = notification;
    return { account, currency: depositCurrency, amount: actualDepositAmount };
  }
  const { status, withdrawCurrency, actualWithdrawAmount } = notification;
  // Don't debit an estimate. What a FAILED or BLOCKED withdrawal has moved is not documented.
  const amount = status === 'COMPLETED' ? actualWithdrawAmount : null;
  return { account, currency: withdrawCurrency, amount: amount?.negated() ?? null };
}

// ---- The endpoint ----

/**
 * Spells a currency code in one way: btc is BTC. Returns null for one with spaces around it or
 * letters beyond ASCII, which would be a balance of its own.
 *
 * @param {string} code
 */
function spell(code) {
  return /^[!-~]([ -~]*[!-~])?$/.test(code) ? code.toUpperCase() : null;
}

/** A text that anyone may have sent, as a short line of a log. @param {string} text */
const toLine = (text) => text.replace(/[^ -~]/g, '?').slice(0, 200);

/** @param {Uint8Array} body @param {string} reason */
async function keep(body, reason) {
  console.error(reason); // alert someone
  await hold(body, reason);
}

/** @param {PaymentNotification} notification @param {DeliveryContext} context */
async function settle(notification, { key, body }) {
  /** @param {number} status @param {string} reason */
  const review = async (status, reason) => {
    await keep(body, `${key}: ${reason}`);
    return { status, text: 'held' };
  };
  // A change of the service's bodies shows here first.
  const names = Object.keys(notification.additionalFields);
  if (names.length > 0) console.warn(key, 'additional fields:', toLine(JSON.stringify(names)));
  try {
    const { account, currency: code, amount } = await moveOf(notification);
    if (account === null) return await review(400, 'the order is unknown');
    // Its key isn't inserted, so a later body with the amount can still be debited.
    if (amount === null) return await review(200, 'what it moved is unknown');
    const currency = spell(code);
    if (currency === null) return await review(400, 'the currency is no plain code');
    const outcome = await book(key, body, { account, currency, amount });
    if (outcome !== 'conflict') return { status: 200, text: outcome };
    // One of the two may be forged. Still 200: another delivery of this body would change nothing.
    return await review(200, 'settled before, with another account, currency or amount');
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return review(400, toLine(error.message));
  }
}

/** Bodies that wait while the database is down. If it can, the folder outlives the machine. */
const spool = createSpool('unsettled');

const receiver = createReceiver({
  secret: process.env.CALLBACK_SECRET,
  onDepositReceived: settle,
  onWithdrawalBroadcast: settle,
  onRefused: (error, { body }) => keep(body, error.message),
  async onError(error, { key, body }) {
    console.error(key, error);
    if (body) await spool.save(body);
  },
});
const stopSpool = spool.start(receiver.settle);

const server = createServer((request, response) => {
  // A kept connection would keep a stopped server open.
  if (!server.listening) response.setHeader('connection', 'close');
  receiver.node(request, response);
});

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
server.listen(Number(PORT), HOST, () => {
  console.log(`listening at http://${HOST}:${PORT}/callbacks/$CALLBACK_SECRET`);
});

// Waits for the work, not only for the connections: a sender that has given up leaves none, and its
// withdrawal may not come again. What has come is settled, or saved.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    // A closing server has no timeouts: whoever connects and sends nothing would keep it open.
    setTimeout(() => server.closeAllConnections(), 15_000);
    await Promise.all([once(server.close(), 'close'), stopSpool()]);
    await receiver.idle();
    process.exit();
  });
