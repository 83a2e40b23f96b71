import { createServer } from 'node:http';
import { createReceiver } from 'payment-notifications/receiver';
import { createSpool } from 'payment-notifications/spool';
import pg from 'pg';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { DeliveryContext } from 'payment-notifications/receiver' */

// Both callbacks on a PostgreSQL server, with the tables of schema.sql, in any number of processes.

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  // Every wait ends. The last one drops the connection, because a commit that waits for a standby ignores
  // `statement_timeout`, and a server that is frozen ignores everything.
  connectionTimeoutMillis: 10_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
});
// Unhandled, the error of an idle connection would end this process: a restart of the database is enough.
pool.on('error', (error) => console.error(error.message));

/**
 * Returns whose payment or withdrawal it is; null if you don't know it. Change this: look up your identifier.
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
 * Returns what an event adds to which account. The amount is null if the event doesn't say it.
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
  const isKnown = status === 'COMPLETED' && actualWithdrawAmount !== null;
  const amount = isKnown ? actualWithdrawAmount.negated() : null;
  return { account, currency: withdrawCurrency, amount };
}

/**
 * Books an event once, in one transaction: see schema.sql.
 *
 * @param {string} key
 * @param {Uint8Array} body
 * @param {{ account: string, currency: string, amount: import('payment-notifications').Decimal }} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
async function book(key, body, { account, currency, amount }) {
  const values = [key, account, currency, amount.toString(), body];
  const { rows } = await pool.query('SELECT book($1, $2, $3, $4, $5) AS outcome', values);
  return rows[0].outcome;
}

/** Keeps a body for review, once. @param {Uint8Array} body @param {string} reason */
async function hold(body, reason) {
  console.error(reason); // alert someone
  // A known body is written again, for the standby, as in `book`. It stays done, unless the reason is new.
  const keep = `INSERT INTO held (digest, body, reason) VALUES (sha256($1), $1, $2)
    ON CONFLICT (digest) DO UPDATE SET
      reason = excluded.reason, done = CASE WHEN held.reason = excluded.reason THEN held.done END`;
  await pool.query(keep, [body, reason]);
}

/** What PostgreSQL says if the tables refuse a value: of bad data, a constraint, a limit, a trigger, a policy. */
const REFUSED = /^(22|23|54|P0|42501)/;

/** A text that anyone may have sent, as a short line of a log. @param {string} text */
const toLine = (text) => text.replace(/[^ -~]/g, '?').slice(0, 200);

/** @param {PaymentNotification} notification @param {DeliveryContext} context */
async function settle(notification, { key, body }) {
  /** @param {number} status @param {string} reason */
  const review = async (status, reason) => {
    await hold(body, `${key}: ${reason}`);
    return { status, text: 'held' };
  };
  // A change of the service's bodies shows here first.
  const names = JSON.stringify(Object.keys(notification.additionalFields));
  if (names !== '[]') console.warn(key, 'additional fields:', toLine(names));
  try {
    const { account, currency, amount } = await moveOf(notification);
    if (account === null) return await review(400, 'the order is unknown');
    // Without its key: a later body with the amount can still be debited.
    if (amount === null) return await review(200, 'what it moved is unknown');
    const outcome = await book(key, body, { account, currency, amount });
    if (outcome !== 'conflict') return { status: 200, text: outcome };
    // One of the two may be forged. A repeat would change nothing, so it is a success.
    return await review(200, 'settled before, with another account, currency or amount');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED.test(error.code ?? ''))) throw error;
    return review(400, toLine(error.message));
  }
}

/** Bodies that wait while the database is down. The folder has to outlive the machine, if it can. */
const spool = createSpool('unsettled');

const receiver = createReceiver({
  secret: process.env.CALLBACK_SECRET,
  onDepositReceived: settle,
  onWithdrawalBroadcast: settle,
  onRefused: (error, { body }) => hold(body, error.message),
  async onError(error, { key, body }) {
    console.error(key, error);
    if (body) await spool.save(body);
  },
});

/** Not answered yet. @type {Set<import('node:http').ServerResponse>} */
const pending = new Set();

const server = createServer(async (request, response) => {
  pending.add(response);
  if (!server.listening) response.setHeader('connection', 'close');
  await receiver.node(request, response);
  pending.delete(response);
});

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
server.listen(Number(PORT), HOST, () => {
  console.log(`listening at http://${HOST}:${PORT}/callbacks/…`);
});

// What has arrived is answered first: a withdrawal that is cut off may not come again.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(() => process.exit());
    // A kept connection would keep this process from ending.
    for (const response of pending) response.setHeader('connection', 'close');
  });

spool.start(receiver.settle);
