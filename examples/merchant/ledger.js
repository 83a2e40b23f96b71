import { Decimal, idempotencyKey, safeParseNotification } from 'payment-notifications';

/** @import { NotificationIssue, PaymentNotification } from 'payment-notifications' */
/** @import { Database, Query } from './database.js' */

// Why no deposit is credited twice and none is lost, whatever happens to the processes or the network:
// 1. `event.key` is a primary key. Of all deliveries of one event, to any number of processes, only
//    one inserts it. The others wait for that transaction, then insert nothing.
// 2. The event and its two lines are inserted by one statement: all three are there, or none.
// 3. The sender gets its 200 after the commit. Without one it may deliver again: see 1.
//
// Double entry: a deposit adds to the customer and takes from `service`, whose negative balance is what
// the service holds for you; a withdrawal does the opposite. So all lines of a currency sum to zero at
// any time, which `check` verifies. A balance is the sum of an account's lines. Lines are only added,
// so no event waits for another.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS event (
     key text PRIMARY KEY,
     received_at timestamptz NOT NULL DEFAULT now(),
     body bytea NOT NULL,
     moves jsonb NOT NULL, -- see movesOf
     warnings jsonb NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS line (
     key text NOT NULL REFERENCES event,
     account text NOT NULL,
     currency text NOT NULL,
     amount numeric NOT NULL, -- exact at any size
     PRIMARY KEY (key, account)
   )`,
  'CREATE INDEX IF NOT EXISTS line_account ON line (account, currency)',
  // What a person must settle: refused bodies; and those with the key of a settled event that move
  // something else, one of which must be wrong.
  `CREATE TABLE IF NOT EXISTS held (
     digest bytea PRIMARY KEY, -- however often a body is delivered, it is stored once
     received_at timestamptz NOT NULL DEFAULT now(),
     deliveries integer NOT NULL,
     body bytea NOT NULL,
     key text REFERENCES event, -- null: refused
     moves jsonb,
     faults jsonb NOT NULL,
     reason text NOT NULL
   )`,
  // What a person has settled: the digest of a held body and the key of what it reports, or the key of
  // an event. None of these is settled again.
  `CREATE TABLE IF NOT EXISTS dismissed (
     what text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), why text NOT NULL
   )`,
];

/** @param {Database} database */
export async function createTables(database) {
  await database.transaction(async (query) => {
    const [last] = await query(`SELECT to_regclass('dismissed') AS found`);
    if (last?.found) return; // an index that is there already would still lock its table
    // Processes that start together would create the same table at once, which PostgreSQL refuses.
    await query('SELECT pg_advisory_xact_lock(1)');
    for (const table of TABLES) await query(table);
  });
}

/** @typedef {{ code: string, field: string }} Fault The field is a documented one, or empty. */
/**
 * @typedef {object} Settlement
 * @property {'settled' | 'repeated' | 'conflict' | 'refused' | 'dismissed'} outcome
 * @property {string | null} key The idempotency key; null if the body was refused.
 * @property {string | null} moves
 * @property {Fault[]} faults Why it was refused.
 * @property {string} reason The same for a person.
 * @property {Fault[]} warnings What the parser tolerated.
 */

/**
 * Settles the raw body of a callback once, or holds it for a person. Throws only if the database
 * fails; then nothing is stored.
 *
 * @param {Query} query The database's; or a transaction's, in which one error dooms all bodies.
 * @param {Uint8Array} body
 * @param {number} deliveries 0 to settle a body again that is held already.
 */
export async function settle(query, body, deliveries = 1) {
  const settlement = await settleOnce(query, body);
  const { outcome, key, moves, faults, reason } = settlement;
  if (outcome === 'conflict' || outcome === 'refused') {
    const held = await query(
      `INSERT INTO held (digest, body, key, moves, faults, reason, deliveries)
       SELECT sha256($1), $1, $2, $3::jsonb, $4::jsonb, $5, $6
       WHERE NOT EXISTS (SELECT FROM dismissed WHERE what = encode(sha256($1), 'hex'))
       ON CONFLICT (digest) DO UPDATE SET key = excluded.key, moves = excluded.moves,
         faults = excluded.faults, reason = excluded.reason, deliveries = held.deliveries + $6
       RETURNING digest`,
      [body, key, moves, JSON.stringify(faults), reason, deliveries],
    );
    if (held.length === 0) return { ...settlement, outcome: /** @type {const} */ ('dismissed') };
  }
  return settlement;
}

/** @param {Query} query @param {Uint8Array} body @returns {Promise<Settlement>} */
async function settleOnce(query, body) {
  const { notification, error } = safeParseNotification(body);
  if (error) return refusal(faultsOf(error.issues), error.message);
  const key = idempotencyKey(notification);
  const moves = JSON.stringify(movesOf(notification));
  const warnings = warningsOf(notification);
  const settlement = { key, moves, faults: [], reason: '', warnings };
  try {
    const inserted = await query(
      `WITH inserted AS (
         INSERT INTO event (key, body, moves, warnings)
         SELECT $1, $2::bytea, $3::jsonb, $4::jsonb WHERE NOT EXISTS (
           SELECT FROM dismissed WHERE what IN ($1, encode(sha256($2), 'hex'))
         )
         ON CONFLICT (key) DO NOTHING RETURNING key, moves
       ), moved AS (
         SELECT key, 'customer:' || (moves->>'account') AS customer, moves->>'currency' AS currency,
           (moves->>'amount')::numeric AS amount
         FROM inserted WHERE moves->>'amount' IS NOT NULL
       ), lines AS (
         INSERT INTO line (key, account, currency, amount)
         SELECT key, customer, currency, amount FROM moved
         UNION ALL SELECT key, 'service', currency, -amount FROM moved
       ), held_before AS ( -- off the page, or a person might settle it, too
         DELETE FROM held USING inserted WHERE digest = sha256($2) AND held.key IS NULL
       )
       SELECT key FROM inserted`,
      [key, body, moves, JSON.stringify(warnings)],
    );
    if (inserted.length > 0) return { outcome: 'settled', ...settlement };
  } catch (error) {
    // What the database says no to (an identifier with a NUL, one that a constraint or a trigger of yours
    // doesn't know) would be refused again at once. Held, it keeps no other body waiting in the spool.
    if (!isOfTheBody(error)) throw error;
    return refusal([{ code: 'not_storable', field: '' }], `not storable: ${error}`);
  }
  const [event] = await query('SELECT moves = $2 AS same FROM event WHERE key = $1', [key, moves]);
  if (event) return { outcome: event.same ? 'repeated' : 'conflict', ...settlement };
  return refusal([{ code: 'dismissed', field: '' }], `its event was settled by hand: ${key}`);
}

/** Classes of errors that would meet any body: connection, rollback, our SQL, resources, locks, shutdown … */
const NOT_OF_THE_BODY = /^(08|0A|25|26|28|3[DF]|40|42(?!501)|53|55|57|58|F0|HV|XX)/;

/** @param {unknown} error */
function isOfTheBody(error) {
  // What PostgreSQL itself says has a severity; an error of the network has none.
  if (!(error instanceof Error && 'severity' in error && 'code' in error)) return false;
  return !NOT_OF_THE_BODY.test(String(error.code));
}

/** @param {Fault[]} faults @param {string} reason @returns {Settlement} */
function refusal(faults, reason) {
  return { outcome: 'refused', key: null, moves: null, faults, reason, warnings: [] };
}

/**
 * What an event moves: the same in every honest copy of it. An account is named by the identifier that
 * you gave to the service; yours is that of the customer for whom you gave it.
 *
 * @param {PaymentNotification} notification
 */
export function movesOf(notification) {
  if (notification.type === 'deposit.received') {
    return {
      account: notification.clientPaymentId,
      currency: currencyOf(notification.depositCurrency),
      amount: notification.actualDepositAmount.toString(),
      settlementCurrency: currencyOf(notification.settlementCurrency),
      settlementAmount: notification.settlementAmount.toString(),
    };
  }
  const { status, actualWithdrawAmount, deductedSettlementAmount } = notification;
  // What a FAILED or BLOCKED one has moved is undocumented: nothing is debited. An estimate is no amount to debit.
  const sent = status === 'COMPLETED' ? actualWithdrawAmount : new Decimal(0);
  return {
    account: notification.clientWithdrawalId,
    currency: currencyOf(notification.withdrawCurrency),
    amount: sent?.negated().toString() ?? null,
    settlementCurrency: currencyOf(notification.settlementCurrency),
    settlementAmount: deductedSettlementAmount?.negated().toString() ?? null,
    address: notification.toTxAddress?.raw ?? null,
  };
}

/** One spelling: `btc` and `BTC` are one balance. @param {string} currency */
function currencyOf(currency) {
  return currency.trim().toUpperCase();
}

/** @param {readonly Pick<NotificationIssue, 'code' | 'path'>[]} issues @returns {Fault[]} */
function faultsOf(issues) {
  return issues.map(({ code, path }) => ({ code, field: path.join('.') }));
}

/** @param {PaymentNotification} notification */
function warningsOf({ warnings, additionalFields }) {
  const faults = faultsOf(warnings);
  // Unknown fields are counted, too, but not by name: the sender chooses those.
  const isKnown = (/** @type {string} */ name) => faults.some(({ field }) => field === name);
  if (Object.keys(additionalFields).every(isKnown)) return faults;
  return [...faults, { code: 'additional_fields', field: '' }];
}

/**
 * The double-entry check: every event has two lines that sum to zero and move what it says, or none
 * if it doesn't say its amount. What it lists is wrong.
 *
 * @param {Query} query
 */
export async function check(query) {
  const [counts] = await query(
    'SELECT (SELECT count(*) FROM event)::int AS events, (SELECT count(*) FROM line)::int AS lines',
  );
  const unbalanced = await query(
    'SELECT currency, sum(amount)::text FROM line GROUP BY currency HAVING sum(amount) <> 0',
  );
  const faulty = await query(
    `SELECT event.key FROM event LEFT JOIN line USING (key) GROUP BY event.key
     HAVING coalesce(sum(amount), 0) <> 0 OR bool_or(currency <> moves->>'currency')
       OR count(amount) <> CASE WHEN moves->>'amount' IS NULL THEN 0 ELSE 2 END
       OR max(amount) FILTER (WHERE account = 'customer:' || (moves->>'account'))
         IS DISTINCT FROM (moves->>'amount')::numeric
     LIMIT 100`,
  );
  const isBalanced = unbalanced.length + faulty.length === 0;
  return { isBalanced, events: counts?.events, lines: counts?.lines, unbalanced, faulty };
}
