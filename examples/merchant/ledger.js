import { Decimal, idempotencyKey, safeParseNotification } from 'payment-notifications';

/** @import { Issue, Notification } from 'payment-notifications' */
/** @import { Database, Query } from './database.js' */

// Why no deposit is credited twice and none is lost, whatever happens to the processes or the network:
//
// 1. `event.key` is a primary key. Of all deliveries of one event, to any number of processes, only
//    one inserts it. The others wait for that transaction, then insert nothing.
// 2. The event and its two lines are inserted by one statement: all three are there, or none.
// 3. The sender gets its 200 after the commit. Without one it may deliver again: see 1.
//
// Rows of `event` and `line` are never changed. No two events touch the same row, so one customer's
// deposits never wait for another's. A balance is the sum of the account's lines.
//
// Double entry: what one account gains, another one lacks. A deposit adds to the customer and takes
// from `service`, whose negative balance is what the service holds for you; a withdrawal does the
// opposite. So the sum of all lines of a currency is zero at any time, which `check` verifies.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS event (
     key text PRIMARY KEY,
     subject text NOT NULL, -- the deposit or withdrawal; its events have different statuses
     received_at timestamptz NOT NULL DEFAULT now(),
     body bytea NOT NULL,
     moves jsonb NOT NULL, -- see movesOf
     warnings jsonb NOT NULL
   )`,
  'CREATE INDEX IF NOT EXISTS event_subject ON event (subject)',
  `CREATE INDEX IF NOT EXISTS event_warnings ON event (received_at) WHERE warnings <> '[]'`,
  `CREATE TABLE IF NOT EXISTS line (
     key text NOT NULL REFERENCES event,
     account text NOT NULL,
     currency text NOT NULL,
     amount numeric NOT NULL, -- exact at any size
     PRIMARY KEY (key, account)
   )`,
  'CREATE INDEX IF NOT EXISTS line_account ON line (account, currency)',
  // The key of a settled event, but something else moves: a person must find out which one is true.
  `CREATE TABLE IF NOT EXISTS conflict (
     digest bytea PRIMARY KEY, -- however often a body is delivered, it is stored once
     key text NOT NULL REFERENCES event,
     received_at timestamptz NOT NULL DEFAULT now(),
     deliveries integer NOT NULL DEFAULT 1,
     body bytea NOT NULL,
     moves jsonb NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS refused (
     digest bytea PRIMARY KEY,
     received_at timestamptz NOT NULL DEFAULT now(),
     deliveries integer NOT NULL DEFAULT 1,
     body bytea NOT NULL,
     faults jsonb NOT NULL,
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
 * @typedef {{ code: string, field: string }} Fault The field is a documented one, or empty: nothing
 * out of a body, so that it is safe to count by.
 */

/**
 * @typedef {object} Settlement What became of a body. All but `refused` deserve a 200: sending it
 * again would change nothing.
 * @property {'settled' | 'repeated' | 'conflict' | 'refused'} outcome
 * @property {string | null} key The idempotency key; null if the body was refused.
 * @property {Fault[]} faults Why it was refused.
 * @property {Fault[]} warnings What the parser tolerated.
 * @property {string} reason The faults in one line, for a person.
 */

/**
 * Settles the raw body of a callback once, or stores it as a conflict or as refused. Throws only if
 * the database fails: then nothing is stored.
 *
 * @param {Query} query The database's, or that of a transaction which settles several bodies. In a
 * transaction, an error dooms all of them: settle them one by one then.
 * @param {Uint8Array} body
 * @returns {Promise<Settlement>}
 */
export async function settle(query, body) {
  const settlement = await trySettle(query, body);
  if (settlement.outcome === 'refused') await storeRefused(query, body, settlement);
  return settlement;
}

/**
 * The same, but stores nothing of a refused body.
 *
 * @param {Query} query
 * @param {Uint8Array} body
 * @returns {Promise<Settlement>}
 */
export async function trySettle(query, body) {
  const result = safeParseNotification(body);
  if (!result.success) return refusal(faultsOf(result.error.issues), result.error.message);
  try {
    return await record(query, result.notification, body);
  } catch (error) {
    // No column can hold it (a NUL in an identifier, for instance), now or later.
    if (!/^(22|54)...$/.test(codeOf(error))) throw error;
    return refusal([{ code: 'not_storable', field: '' }], `not storable: ${error}`);
  }
}

/**
 * Settles a notification once.
 *
 * @param {Query} query
 * @param {Notification} notification
 * @param {Uint8Array} body
 * @returns {Promise<Settlement>}
 */
export async function record(query, notification, body) {
  const key = idempotencyKey(notification);
  const moves = JSON.stringify(movesOf(notification));
  const warnings = warningsOf(notification);
  const settlement = { key, faults: [], warnings, reason: '' };

  const inserted = await query(
    `WITH inserted AS (
       INSERT INTO event (key, subject, body, moves, warnings) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (key) DO NOTHING RETURNING key, moves
     ), lines AS (
       SELECT key, 'customer:' || (moves->>'account') AS customer, moves->>'currency' AS currency,
         (moves->>'amount')::numeric AS amount
       FROM inserted
     ), booked AS (
       INSERT INTO line (key, account, currency, amount)
       SELECT key, customer, currency, amount FROM lines WHERE amount IS NOT NULL
       UNION ALL
       SELECT key, 'service', currency, -amount FROM lines WHERE amount IS NOT NULL
     )
     SELECT key FROM inserted`,
    [key, subjectOf(notification), body, moves, JSON.stringify(warnings)],
  );
  if (inserted.length > 0) return { outcome: 'settled', ...settlement };

  const [same] = await query('SELECT key FROM event WHERE key = $1 AND moves = $2', [key, moves]);
  if (same) return { outcome: 'repeated', ...settlement };
  await query(
    `INSERT INTO conflict (digest, key, body, moves) VALUES (sha256($1), $2, $1, $3)
     ON CONFLICT (digest) DO UPDATE SET deliveries = conflict.deliveries + 1`,
    [body, key, moves],
  );
  return { outcome: 'conflict', ...settlement };
}

/**
 * What an event moves: the same in every honest copy of it. Amounts are texts, never JavaScript
 * numbers. Here an account is named by the identifier that you gave to the service; yours is that of
 * the customer for whom you gave it.
 *
 * @param {Notification} notification
 */
function movesOf(notification) {
  if (notification.type === 'deposit.received') {
    return {
      account: notification.clientPaymentId,
      currency: currencyOf(notification.depositCurrency),
      amount: notification.actualDepositAmount.toString(),
      settlementCurrency: currencyOf(notification.settlementCurrency),
      settlementAmount: notification.settlementAmount.toString(),
    };
  }
  return {
    account: notification.clientWithdrawalId,
    currency: currencyOf(notification.withdrawCurrency),
    amount: debitOf(notification)?.toString() ?? null,
    settlementCurrency: currencyOf(notification.settlementCurrency),
    settlementAmount: notification.deductedSettlementAmount?.negated().toString() ?? null,
    address: notification.toTxAddress?.raw ?? null,
  };
}

/** @param {Extract<Notification, { type: 'withdrawal.broadcast' }>} withdrawal */
function debitOf({ status, actualWithdrawAmount }) {
  if (status !== 'COMPLETED') return new Decimal(0); // nothing was sent
  // Null if the service doesn't say it: a person must look. An estimate is no amount to debit.
  return actualWithdrawAmount?.negated() ?? null;
}

/** One spelling: `btc` and `BTC` are one balance. @param {string} currency */
function currencyOf(currency) {
  return currency.trim().toUpperCase();
}

/** @param {Notification} notification */
function subjectOf(notification) {
  return notification.type === 'deposit.received'
    ? `deposit ${notification.depositId.toLowerCase()}`
    : `withdrawal ${notification.withdrawalId.toLowerCase()}`;
}

/** @param {Notification} notification @returns {Fault[]} */
function warningsOf(notification) {
  const { warnings = [] } = /** @type {{ warnings?: readonly Issue[] }} */ (notification);
  const faults = faultsOf(warnings);
  // Unknown fields are counted, too, but not by name: the sender chooses those.
  const isKnown = (/** @type {string} */ name) => faults.some(({ field }) => field === name);
  if (!Object.keys(notification.additionalFields).every(isKnown)) {
    faults.push({ code: 'additional_fields', field: '' });
  }
  return faults;
}

/** @param {readonly Pick<Issue, 'code' | 'path'>[]} issues @returns {Fault[]} */
function faultsOf(issues) {
  return issues.map(({ code, path }) => ({ code, field: path.join('.') }));
}

/** @param {Fault[]} faults @param {string} reason @returns {Settlement} */
export function refusal(faults, reason) {
  return { outcome: 'refused', key: null, faults, warnings: [], reason };
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Stores a refused body as it came, once, with the faults of its latest delivery.
 *
 * @param {Query} query
 * @param {Uint8Array} body
 * @param {Settlement} settlement
 */
export async function storeRefused(query, body, { faults, reason }) {
  await query(
    `INSERT INTO refused (digest, body, faults, reason) VALUES (sha256($1), $1, $2, $3)
     ON CONFLICT (digest) DO UPDATE
     SET deliveries = refused.deliveries + 1, faults = excluded.faults, reason = excluded.reason`,
    [body, JSON.stringify(faults), reason],
  );
}

/**
 * The double-entry check: what is wrong with the books, which is nothing. Each event has two lines
 * that sum to zero and say what it moves, or none if its amount is unknown; so all lines sum to zero.
 *
 * @param {Query} query
 */
export async function check(query) {
  const [count] = await query(
    'SELECT (SELECT count(*) FROM event)::int AS events, (SELECT count(*) FROM line)::int AS lines',
  );
  const currencies = await query(
    `SELECT currency, sum(amount)::text AS sum FROM line GROUP BY currency
     HAVING sum(amount) <> 0 ORDER BY currency`,
  );
  const events = await query(
    `SELECT event.key FROM event LEFT JOIN line ON line.key = event.key
     GROUP BY event.key
     HAVING coalesce(sum(line.amount), 0) <> 0
       OR count(line.key) <> CASE WHEN moves->>'amount' IS NULL THEN 0 ELSE 2 END
       OR bool_or(line.currency <> moves->>'currency')
       OR max(line.amount) FILTER (WHERE account = 'customer:' || (moves->>'account'))
         IS DISTINCT FROM (moves->>'amount')::numeric
     ORDER BY event.key LIMIT 100`,
  );
  return { ...count, unbalancedCurrencies: currencies, faultyEvents: events.map(({ key }) => key) };
}
