import express from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import pg from 'pg';

// Both callbacks on a PostgreSQL server. Create the tables in a migration: of two processes that create them
// at the same time, one fails.
//
//   CREATE TABLE event (key text PRIMARY KEY, body bytea NOT NULL);
//   CREATE TABLE balance (account text, currency text, amount numeric NOT NULL, PRIMARY KEY (account, currency));
//   CREATE TABLE held (digest bytea PRIMARY KEY, body bytea NOT NULL, reason text NOT NULL,
//     at timestamptz DEFAULT now());

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  // Every wait ends.
  connectionTimeoutMillis: 3_000,
  statement_timeout: 3_000,
  idle_in_transaction_session_timeout: 3_000,
  query_timeout: 4_000,
});
// Unhandled, the error of an idle connection would end this process: a restart of the database is enough.
pool.on('error', (error) => console.error(error.message));

/**
 * Does the work in one transaction: all of it, or nothing. All statements have to go through this client;
 * with `pool.query`, each may take another connection.
 *
 * @template T
 * @param {(client: pg.PoolClient) => Promise<T>} work
 */
async function inTransaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    // If a statement failed and the work caught its error, PostgreSQL rolls back here, without an error.
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // without its connection, the server rolls back
    throw error;
  }
}

/**
 * What an event adds to an account; null if a person has to look. You gave the service the identifier of the
 * payment or the withdrawal: look up whose it is.
 *
 * @param {import('payment-notifications').Notification} notification
 */
function moveOf(notification) {
  if (notification.type === 'deposit.received') {
    const { clientPaymentId, depositCurrency, actualDepositAmount } = notification;
    return { account: clientPaymentId, currency: depositCurrency, amount: actualDepositAmount };
  }
  const { status, clientWithdrawalId, withdrawCurrency, actualWithdrawAmount } = notification;
  // An estimate is no amount to debit; what a FAILED or BLOCKED withdrawal has moved is not documented.
  if (status !== 'COMPLETED' || actualWithdrawAmount === null) return null;
  const amount = actualWithdrawAmount.negated();
  return { account: clientWithdrawalId, currency: withdrawCurrency, amount };
}

/** Keeps a body for a person, once. @param {Buffer} body @param {string} reason */
async function hold(body, reason) {
  console.error(reason); // have somebody alerted
  const keep = 'INSERT INTO held VALUES (sha256($1), $1, $2) ON CONFLICT DO NOTHING';
  await pool.query(keep, [body, reason]);
}

const app = express();

app.all('/callbacks', express.raw({ type: () => true }), async (request, response) => {
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body)) throw new Error('the body was parsed before');
  // Your check of where the callback comes from goes here.
  const { notification, error } = safeParseNotification(body);
  if (error) {
    await hold(body, error.message);
    response.status(400).json(error.issues.map(({ code }) => code));
    return;
  }
  for (const { message } of notification.warnings) console.warn(message);
  const key = idempotencyKey(notification);
  const move = moveOf(notification);
  if (move === null) {
    // Without its key: a later body that says the amount can still be debited.
    await hold(body, `${key}: what it moved is unknown`);
    response.json('held');
    return;
  }
  const answer = await inTransaction(async (client) => {
    const insert = 'INSERT INTO event VALUES ($1, $2) ON CONFLICT DO NOTHING';
    const { rowCount } = await client.query(insert, [key, body]);
    if (rowCount === 0) return 'repeated'; // it is settled already: a success, too
    await client.query(
      `INSERT INTO balance VALUES ($1, $2, $3) ON CONFLICT (account, currency)
       DO UPDATE SET amount = balance.amount + excluded.amount`,
      [move.account, move.currency.trim().toUpperCase(), move.amount.toString()],
    );
    return 'settled';
  });
  response.json(answer);
});

const port = Number(process.env.PORT ?? 3000);
app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`listening at http://127.0.0.1:${port}/callbacks`);
});
