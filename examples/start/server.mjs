import { once } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import express from 'express';
import { idempotencyKey, safeParseDepositReceived } from 'payment-notifications';

const app = express();

// The bytes as they came, whatever the method and the headers: none are documented. Mount this before any
// express.json(), which would round numbers.
const raw = express.raw({
  type: ({ headers }) => delete headers['content-encoding'],
  limit: '64kb',
});

app.all('/deposits', raw, async (request, response) => {
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body)) throw new Error('the body was parsed before');
  const keep = (reason = '') => {
    console.error(reason); // have somebody alerted: the retries end after 24 hours
    const insert = 'INSERT INTO refused VALUES (sha256($1), $1, $2) ON CONFLICT DO NOTHING';
    return database.query(insert, [body, reason]);
  };
  // Your check of where the callback comes from goes here.
  const { notification: deposit, error } = safeParseDepositReceived(body);
  if (error) {
    await keep(error.message);
    response.status(400).json(error.issues.map(({ code }) => code));
    return;
  }
  for (const { message } of deposit.warnings) console.warn(message);
  const { clientPaymentId, depositCurrency, actualDepositAmount } = deposit;
  try {
    const answer = await database.transaction(async ({ query }) => {
      const insert = 'INSERT INTO event VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING key';
      const { rows } = await query(insert, [idempotencyKey(deposit), body]);
      if (rows.length === 0) return 'repeated'; // it is credited already: a success, too
      await query(
        `INSERT INTO balance VALUES ($1, $2, $3) ON CONFLICT (account, currency)
         DO UPDATE SET amount = balance.amount + excluded.amount`,
        [clientPaymentId, depositCurrency, actualDepositAmount.toString()],
      );
      return 'credited';
    });
    response.json(answer);
  } catch (error) {
    await keep(`${error}`); // such as what PostgreSQL can't store
    response.status(500).json('kept');
  }
});

const port = Number(process.env.PORT ?? 3000);
await once(app.listen(port, '127.0.0.1'), 'listening');

// PostgreSQL inside this process, to try it, now that the port is taken: a second process would spoil its
// folder. A power cut may undo a credit: for real money, use a server.
const database = new PGlite('./data');
await database.exec(`
  CREATE TABLE IF NOT EXISTS event (key text PRIMARY KEY, body bytea NOT NULL);
  CREATE TABLE IF NOT EXISTS balance (account text, currency text, amount numeric NOT NULL,
    PRIMARY KEY (account, currency));
  CREATE TABLE IF NOT EXISTS refused (digest bytea PRIMARY KEY, body bytea NOT NULL, reason text NOT NULL,
    at timestamptz DEFAULT now())`);
console.log(`listening at http://127.0.0.1:${port}/deposits`);
