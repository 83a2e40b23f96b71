import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { PGlite } from '@electric-sql/pglite';
import { createReceiver } from 'payment-notifications/receiver';

/** Ends the URL, so that nobody else can post. Without yours, each start makes another. */
const secret = process.env.CALLBACK_SECRET ?? randomUUID();

const receiver = createReceiver({
  secret,
  async onDepositReceived(deposit, { key, body }) {
    const { clientPaymentId, depositCurrency, actualDepositAmount } = deposit;
    const credit = [clientPaymentId, depositCurrency, actualDepositAmount.toString()];
    const text = await database.transaction(async ({ query }) => {
      const insert = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
      const { affectedRows } = await query(insert, [key, ...credit, body]);
      if (affectedRows === 0) {
        // With the same account, currency and amount, it is a repeat. Otherwise, it is for review.
        const find = 'SELECT FROM event WHERE (key, account, currency, amount) = ($1, $2, $3, $4)';
        const { rows } = await query(find, [key, ...credit]);
        return rows.length === 1 ? 'repeated' : 'held';
      }
      await query(
        `INSERT INTO balance VALUES ($1, $2, $3) ON CONFLICT (account, currency)
         DO UPDATE SET amount = balance.amount + excluded.amount`,
        credit,
      );
      return 'credited';
    });
    if (text === 'held')
      await keep(`${key}: credited before, with another amount or account`, body);
    return { status: 200, text };
  },
  onRefused: (error, { body }) => keep(error.message, body),
  // Such as a value that PostgreSQL can't store.
  onError: (error, { key, body }) => keep(`${key}: ${error}`, body),
});

/** @param {string} reason @param {Uint8Array | null} body Null if it could not be read. */
async function keep(reason, body) {
  console.error(reason); // alert someone: the retries end after 24 hours
  const insert = 'INSERT INTO kept VALUES (sha256($1), $1, $2) ON CONFLICT DO NOTHING';
  if (body) await database.query(insert, [body, reason]);
}

// PostgreSQL inside this process, to try it. A second process would spoil its folder, and a power
// cut may undo a credit: for real money, use a server.
const owner = existsSync('data.pid') ? Number(readFileSync('data.pid')) : 0;
if (isRunning(owner)) {
  console.error(`./data belongs to process ${owner}; if that is another program, delete data.pid`);
  process.exit(1);
}
writeFileSync('data.pid', `${process.pid}`);
const database = new PGlite('./data');
await database.exec(`
  CREATE TABLE IF NOT EXISTS event (key text PRIMARY KEY, account text NOT NULL,
    currency text NOT NULL, amount numeric NOT NULL, body bytea NOT NULL);
  CREATE TABLE IF NOT EXISTS balance (account text, currency text, amount numeric NOT NULL,
    PRIMARY KEY (account, currency));
  CREATE TABLE IF NOT EXISTS kept (digest bytea PRIMARY KEY, body bytea NOT NULL,
    reason text NOT NULL, at timestamptz DEFAULT now())`);

const server = createServer(receiver.node);
const port = Number(process.env.PORT ?? 3000);
await once(server.listen(port, '127.0.0.1'), 'listening');
// One that is yours is not printed, because logs are read by many.
const shown = process.env.CALLBACK_SECRET ? '$CALLBACK_SECRET' : secret;
console.log(`listening at http://127.0.0.1:${port}/callbacks/${shown}`);

/** @param {number} pid */
function isRunning(pid) {
  try {
    return pid > 0 && pid !== process.pid && process.kill(pid, 0); // which sends no signal
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // another user's
  }
}
