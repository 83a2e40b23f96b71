import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReceiver } from 'payment-notifications/receiver';
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
 * @param {Uint8Array} body
 * @param {NonNullable<ReturnType<typeof moveOf>>} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
async function book(key, body, { account, currency, amount }) {
  const values = [key, account, currency, amount.toString(), body];
  const { rows } = await pool.query('SELECT book($1, $2, $3, $4, $5) AS outcome', values);
  return rows[0].outcome;
}

/** Keeps a body for a person, once. @param {Uint8Array} body @param {string} reason */
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
 * @param {Uint8Array} body
 */
async function save(body) {
  const path = `unsettled/${createHash('sha256').update(body).digest('hex')}`;
  // A file that is there keeps the time of the first delivery.
  if (
    !(await stat(path).then(
      (file) => file.isFile(),
      () => false,
    ))
  ) {
    // Under another name first: a crash must not leave half a body under this one.
    // (Before Node.js 20.10, `flush` is ignored: call `sync` of the file there.)
    const draft = `unsettled/.${randomUUID()}`;
    try {
      await writeFile(draft, body, { flush: true });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }); // on a full disk, each delivery would leave one
      throw error;
    }
  }
  // The names, too, have to survive a power cut: that of the file, and that of its folder.
  for (const name of ['unsettled', '.']) {
    const folder = await open(name);
    await folder.sync();
    await folder.close();
  }
}

/** What PostgreSQL says if the tables refuse a value: of bad data, a constraint, a limit, a trigger, a policy. */
const REFUSED = /^(22|23|54|P0|42501)/;

/**
 * @param {import('payment-notifications').PaymentNotification} notification
 * @param {import('payment-notifications/receiver').DeliveryContext} context
 */
async function settle(notification, { key, body }) {
  // A change of the service's bodies shows here first: in names that are not documented. Anyone may have sent them.
  const names = JSON.stringify(Object.keys(notification.additionalFields));
  if (names !== '[]')
    console.warn(key, 'additional fields:', names.replace(/[^ -~]/g, '?').slice(0, 200));
  const move = moveOf(notification);
  if (move === null) {
    // Without its key: a later body that says the amount can still be debited.
    await hold(body, `${key}: what it moved is unknown`);
    return { status: 200, text: 'held' };
  }
  try {
    const outcome = await book(key, body, move);
    if (outcome !== 'conflict') return { status: 200, text: outcome }; // repeated is a success, too
    // One of the two may be forged. To send it again would change nothing: a success.
    await hold(body, `${key}: settled before, with another account, currency or amount`);
    return { status: 200, text: 'held' };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED.test(error.code ?? ''))) throw error;
    await hold(body, `${key}: ${error.message}`);
    return { status: 400, text: 'held' };
  }
}

/** @type {import('payment-notifications/receiver').ReceiverOptions} */
const options = {
  onDepositReceived: settle,
  onWithdrawalBroadcast: settle,
  onRefused: (error, body) => hold(body, error.message),
};
const receiver = createReceiver({
  ...options,
  async onError(error, body) {
    console.error(error);
    if (body) await save(body);
  },
});
/** For what is saved already. */
const settler = createReceiver(options);

/** Settles what was saved, in the order of arrival, once the database is back. */
async function settleSaved() {
  const files = [];
  for (const name of await readdir('unsettled')) {
    const path = `unsettled/${name}`;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 })); // another process was first
    // A draft that a crash left may be whole; a new one may still be written.
    if (!name.startsWith('.') || Date.now() - mtimeMs > 60_000) files.push({ path, mtimeMs });
  }
  for (const { path } of files.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
    try {
      const { status } = await settler.receive(await readFile(path));
      if (status !== 500) await rm(path, { force: true });
    } catch (error) {
      console.error(`${path} waits: ${error}`);
    }
  }
}

/** Not answered yet. @type {Set<import('node:http').ServerResponse>} */
const pending = new Set();

const server = createServer(async (request, response) => {
  // Your check of where the callback comes from goes here.
  if (!/^\/callbacks\/?(\?|$)/.test(request.url ?? '')) return response.writeHead(404).end();
  pending.add(response);
  await receiver.node(request, response);
  pending.delete(response);
});

await mkdir('unsettled', { recursive: true });

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
server.listen(Number(PORT), HOST, () => {
  console.log(`listening at http://${HOST}:${PORT}/callbacks`);
});

// What has arrived is answered first: a withdrawal that is cut off may not come again.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(() => process.exit());
    for (const response of pending) response.setHeader('connection', 'close'); // or it would not end
  });

for (;;) {
  await settleSaved().catch(console.error);
  await sleep(60_000);
}
