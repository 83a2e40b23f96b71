import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import express from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import pg from 'pg';

// Both callbacks on a PostgreSQL server, with the tables of schema.sql.

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  // Every wait ends.
  connectionTimeoutMillis: 10_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 12_000,
});
// Unhandled, the error of a connection would end this process: a restart of the database is enough.
const report = (/** @type {Error} */ error) => console.error(error.message);
pool.on('error', report).on('connect', (client) => client.on('error', report));

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
 * @param {import('payment-notifications').PaymentNotification} notification
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
  console.error(reason); // alert a person
  const keep = 'INSERT INTO held VALUES (sha256($1), $1, $2) ON CONFLICT DO NOTHING';
  await pool.query(keep, [body, reason]);
}

/**
 * Keeps a body while the database is down: a withdrawal may not come again. Post these files to this endpoint
 * when it is back.
 *
 * @param {Buffer} body
 */
async function save(body) {
  await mkdir('unsettled', { recursive: true });
  const file = `unsettled/${createHash('sha256').update(body).digest('hex')}`;
  // Under another name first: a crash in the middle of a redelivery must not spoil the file that is there.
  // (Before Node.js 20.10, `flush` is ignored: call `sync` of the file there.)
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, body, { flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }); // on a full disk, each delivery would leave one
    throw error;
  }
  // The names, too, have to survive a power cut: that of the file, and that of its folder.
  for (const path of ['unsettled', '.']) {
    const folder = await open(path);
    await folder.sync();
    await folder.close();
  }
}

/** What PostgreSQL says if the tables refuse a value: of bad data, a constraint, a limit, a trigger, a policy. */
const REFUSED = /^(22|23|54|P0|42501)/;

const app = express();

// The raw body, as it came. The service documents neither methods nor headers: take any.
const raw = express.raw({
  limit: '64kb', // the parser's own; beyond it, Express logs the error and answers 413
  type({ headers }) {
    delete headers['content-encoding']; // or a body that is labelled wrongly would be answered with 415, and lost
    return true;
  },
});

app.all('/callbacks', raw, async (request, response) => {
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body)) throw new Error('the body was parsed before');
  // Your check of where the callback comes from goes here.
  try {
    const [status, answer] = await settle(body);
    response.status(status).json(answer);
  } catch (error) {
    console.error(error);
    await save(body);
    response.status(500).json('failed');
  }
});

/** @param {Buffer} body @returns {Promise<[status: number, answer: unknown]>} */
async function settle(body) {
  const { notification, error } = safeParseNotification(body);
  if (error) {
    await hold(body, error.message);
    return [400, error.issues.map(({ code }) => code)];
  }
  for (const { message } of notification.warnings) console.warn(message);
  const unreadable = notification.warnings.map(({ path: [name] }) => name);
  const unknown = Object.keys(notification.additionalFields).filter(
    (name) => !unreadable.includes(name),
  );
  if (unknown.length > 0) console.warn('not documented:', JSON.stringify(unknown));
  const key = idempotencyKey(notification);
  const move = moveOf(notification);
  if (move === null) {
    // Without its key: a later body that says the amount can still be debited.
    await hold(body, `${key}: what it moved is unknown`);
    return [200, 'held'];
  }
  try {
    const outcome = await inTransaction((client) => book(client, key, body, move));
    if (outcome !== 'conflict') return [200, outcome];
    // One of the two may be forged. To send it again would change nothing: a success.
    await hold(body, `${key}: settled before, with another account, currency or amount`);
    return [200, 'held'];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED.test(error.code ?? ''))) throw error;
    await hold(body, `${key}: ${error.message}`);
    return [400, 'held'];
  }
}

/**
 * @param {pg.PoolClient} client
 * @param {string} key
 * @param {Buffer} body
 * @param {NonNullable<ReturnType<typeof moveOf>>} move
 */
async function book(client, key, body, { account, currency, amount }) {
  const move = [account, currency.trim().toUpperCase(), amount.toString()];
  const insert = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
  const { rowCount } = await client.query(insert, [key, ...move, body]);
  if (rowCount === 0) {
    const find = 'SELECT FROM event WHERE (key, account, currency, amount) = ($1, $2, $3, $4)';
    const same = await client.query(find, [key, ...move]);
    return same.rowCount === 1 ? 'repeated' : 'conflict'; // repeated is a success, too
  }
  await client.query(
    `INSERT INTO balance VALUES ($1, $2, $3) ON CONFLICT (account, currency)
     DO UPDATE SET amount = balance.amount + excluded.amount`,
    move,
  );
  return 'settled';
}

const port = Number(process.env.PORT ?? 3000);
app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`listening at http://127.0.0.1:${port}/callbacks`);
});
