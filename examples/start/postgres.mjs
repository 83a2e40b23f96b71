import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import pg from 'pg';

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

/**
 * Books an event once, in one transaction: see schema.sql.
 *
 * @param {string} key
 * @param {Buffer} body
 * @param {NonNullable<ReturnType<typeof moveOf>>} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
async function book(key, body, { account, currency, amount }) {
  const values = [key, account, currency, amount.toString(), body];
  const { rows } = await pool.query('SELECT book($1, $2, $3, $4, $5) AS outcome', values);
  return rows[0].outcome;
}

/** Keeps a body for a person, once. @param {Buffer} body @param {string} reason */
async function hold(body, reason) {
  console.error(reason); // alert a person
  // A known body is written again, for the standby, as in `book`. It stays done, unless the reason is new.
  const keep = `INSERT INTO held (digest, body, reason) VALUES (sha256($1), $1, $2)
    ON CONFLICT (digest) DO UPDATE SET
      reason = excluded.reason, done = CASE WHEN held.reason = excluded.reason THEN held.done END`;
  await pool.query(keep, [body, reason]);
}

/**
 * Keeps a body while the database is down: a withdrawal may not come again. The folder has to outlive the
 * process, and the machine if it can.
 *
 * @param {Buffer} body
 */
async function save(body) {
  const name = createHash('sha256').update(body).digest('hex');
  // Under another name first: a crash in the middle of a redelivery must not spoil the file that is there.
  // (Before Node.js 20.10, `flush` is ignored: call `sync` of the file there.)
  const draft = `unsettled/.${randomUUID()}`;
  try {
    await writeFile(draft, body, { flush: true });
    await rename(draft, `unsettled/${name}`);
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

/** Settles what was saved, once the database is back. */
async function settleSaved() {
  for (const name of await readdir('unsettled')) {
    if (name.startsWith('.')) continue; // a draft
    try {
      await settle(await readFile(`unsettled/${name}`));
      await rm(`unsettled/${name}`, { force: true });
    } catch (error) {
      console.error(`unsettled/${name} waits: ${error}`);
    }
  }
}

/** What PostgreSQL says if the tables refuse a value: of bad data, a constraint, a limit, a trigger, a policy. */
const REFUSED = /^(22|23|54|P0|42501)/;

/** @param {Buffer} body @returns {Promise<[status: number, answer: unknown]>} */
async function settle(body) {
  const { notification, error } = safeParseNotification(body);
  if (error) {
    await hold(body, error.message);
    return [400, error.issues.map(({ code }) => code)];
  }
  const key = idempotencyKey(notification);
  // A change of the service's bodies shows here first: in warnings, and in names that are not documented.
  for (const { message } of notification.warnings) console.warn(key, message);
  const additional = Object.keys(notification.additionalFields);
  if (additional.length > 0) console.warn(key, 'additional fields:', JSON.stringify(additional));
  const move = moveOf(notification);
  if (move === null) {
    // Without its key: a later body that says the amount can still be debited.
    await hold(body, `${key}: what it moved is unknown`);
    return [200, 'held'];
  }
  try {
    const outcome = await book(key, body, move);
    if (outcome !== 'conflict') return [200, outcome]; // repeated is a success, too
    // One of the two may be forged. To send it again would change nothing: a success.
    await hold(body, `${key}: settled before, with another account, currency or amount`);
    return [200, 'held'];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED.test(error.code ?? ''))) throw error;
    await hold(body, `${key}: ${error.message}`);
    return [400, 'held'];
  }
}

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
  /** @type {[status: number, answer: unknown]} */
  let [status, answer] = [500, 'failed'];
  try {
    [status, answer] = await settle(body);
  } catch (error) {
    console.error(error);
    await save(body);
  }
  if (!server.listening) response.set('connection', 'close'); // or it would keep this process from ending
  response.status(status).json(answer);
});

await mkdir('unsettled', { recursive: true });

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const server = app.listen(Number(PORT), HOST, (error) => {
  if (error) throw error;
  console.log(`listening at http://${HOST}:${PORT}/callbacks`);
});

// What has arrived is answered first: a withdrawal that is cut off may not come again.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => server.close(() => process.exit()));

for (;;) {
  await settleSaved().catch(console.error);
  await sleep(60_000);
}
