import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import express from 'express';
import { idempotencyKey, safeParseDepositReceived } from 'payment-notifications';

const app = express();

// The bytes as they came, whatever the method and the headers: none are documented. Mount this before any
// express.json(), which would round numbers.
const raw = express.raw({
  type: ({ headers }) => delete headers['content-encoding'], // any type, any encoding as it came
  limit: '64kb',
});

app.all('/deposits', raw, async (request, response) => {
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body)) throw new Error('the body was parsed before');
  const keep = (reason = '') => {
    console.error(reason); // alert a person: the retries end after 24 hours
    const insert = 'INSERT INTO kept VALUES (sha256($1), $1, $2) ON CONFLICT DO NOTHING';
    return database.query(insert, [body, reason]);
  };
  // Your check of where the callback comes from goes here.
  const { notification: deposit, error } = safeParseDepositReceived(body);
  if (error) {
    await keep(error.message);
    response.status(400).json(error.issues.map(({ code }) => code));
    return;
  }
  const key = idempotencyKey(deposit);
  for (const { message } of deposit.warnings) console.warn(key, message);
  const { clientPaymentId, depositCurrency, actualDepositAmount } = deposit;
  const credit = [clientPaymentId, depositCurrency, actualDepositAmount.toString()];
  try {
    const answer = await database.transaction(async ({ query }) => {
      const insert = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
      const { affectedRows } = await query(insert, [key, ...credit, body]);
      if (affectedRows === 0) {
        const find = 'SELECT FROM event WHERE (key, account, currency, amount) = ($1, $2, $3, $4)';
        const { rows } = await query(find, [key, ...credit]);
        return rows.length === 1 ? 'repeated' : 'held'; // repeated is a success, too
      }
      await query(
        `INSERT INTO balance VALUES ($1, $2, $3) ON CONFLICT (account, currency)
         DO UPDATE SET amount = balance.amount + excluded.amount`,
        credit,
      );
      return 'credited';
    });
    if (answer === 'held') await keep(`${key}: credited before, with another amount or account`);
    response.json(answer);
  } catch (error) {
    await keep(`${error}`); // such as what PostgreSQL can't store
    response.status(500).json('kept');
  }
});

// PostgreSQL inside this process, to try it. A second process would spoil its folder, and a power cut may undo
// a credit: for real money, use a server.
const owner = existsSync('data.pid') ? Number(readFileSync('data.pid')) : 0;
if (isRunning(owner)) {
  console.error(`./data belongs to process ${owner}; if that is another program, delete data.pid`);
  process.exit(1);
}
writeFileSync('data.pid', `${process.pid}`);
const database = new PGlite('./data');
await database.exec(`
  CREATE TABLE IF NOT EXISTS event (key text PRIMARY KEY, account text NOT NULL, currency text NOT NULL,
    amount numeric NOT NULL, body bytea NOT NULL);
  CREATE TABLE IF NOT EXISTS balance (account text, currency text, amount numeric NOT NULL,
    PRIMARY KEY (account, currency));
  CREATE TABLE IF NOT EXISTS kept (digest bytea PRIMARY KEY, body bytea NOT NULL, reason text NOT NULL,
    at timestamptz DEFAULT now())`);

const port = Number(process.env.PORT ?? 3000);
await once(app.listen(port, '127.0.0.1'), 'listening');
console.log(`listening at http://127.0.0.1:${port}/deposits`);

/** @param {number} pid */
function isRunning(pid) {
  try {
    return pid > 0 && pid !== process.pid && process.kill(pid, 0); // which sends no signal
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // it is another user's
  }
}
