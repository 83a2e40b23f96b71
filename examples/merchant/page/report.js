/** @import { Database, Query } from '../database.js' */
/** @import { Spool } from '../spool.js' */
/** @typedef {Awaited<ReturnType<typeof report>>} Report */

/** At most this many rows of each kind. */
const ROWS = 100;
/** At most this much of a body. */
const BODY = 2_000;

/**
 * What a person must settle, and what there is. It works without the database, as far as it can.
 *
 * @param {Database} database
 * @param {Spool} spool
 */
export async function report({ query }, spool) {
  const at = new Date().toISOString();
  const spoolStatus = await spool.status();
  try {
    return { at, spool: spoolStatus, databaseError: null, ...(await ledgerReport(query)) };
  } catch (error) {
    return { at, spool: spoolStatus, databaseError: `${error}` };
  }
}

/** A held body that nobody has dismissed. */
const OPEN = "encode(digest, 'hex') NOT IN (SELECT what FROM dismissed)";

/** @param {Query} query */
async function ledgerReport(query) {
  const [counts = {}] = await query(
    `SELECT count(DISTINCT account)::int AS customers FROM line WHERE account <> 'service'`,
  );
  return {
    counts: { ...counts, ...(await countHeld(query)) },
    /** Another delivery of a settled event moves something else. */
    conflicts: await query(
      `SELECT encode(digest, 'hex') AS digest, key, event.moves AS settled, event.received_at AS settled_at,
         held.moves AS claimed, held.received_at, deliveries,
         left(encode(held.body, 'escape'), ${BODY}) AS body
       FROM held JOIN event USING (key) WHERE ${OPEN} ORDER BY held.received_at DESC LIMIT ${ROWS}`,
    ),
    /** Withdrawals with more than one outcome. */
    outcomes: await query(
      `SELECT (array_agg(key ORDER BY received_at DESC))[1] AS key,
         array_agg(split_part(key, ':', 3) ORDER BY received_at) AS statuses,
         min(moves->>'account') AS account, min(moves->>'currency') AS currency,
         sum((moves->>'amount')::numeric)::text AS amount
       FROM event GROUP BY split_part(key, ':', 2) HAVING count(*) > 1
         AND (array_agg(key ORDER BY received_at DESC))[1] NOT IN (SELECT what FROM dismissed)
       ORDER BY max(received_at) DESC LIMIT ${ROWS}`,
    ),
    /** Completed withdrawals that don't say how much was sent. */
    withoutAmount: await query(
      `SELECT key, moves->>'account' AS account, moves->>'currency' AS currency, received_at
       FROM event WHERE moves->>'amount' IS NULL AND key NOT IN (SELECT what FROM dismissed) ORDER BY received_at DESC LIMIT ${ROWS}`,
    ),
    refused: await query(
      `SELECT encode(digest, 'hex') AS digest, received_at, deliveries, faults, reason,
         left(encode(body, 'escape'), ${BODY}) AS body
       FROM held WHERE key IS NULL AND ${OPEN} ORDER BY received_at DESC LIMIT ${ROWS}`,
    ),
    /** How the service departs from its documentation. */
    drift: await query(
      `SELECT warning->>'code' AS code, warning->>'field' AS field, count(*)::int AS events,
         max(received_at) AS latest
       FROM event, jsonb_array_elements(warnings) AS warning WHERE warnings <> '[]'
       GROUP BY 1, 2 ORDER BY latest DESC LIMIT ${ROWS}`,
    ),
    totals: await query(
      `SELECT currency, (-sum(amount))::text AS amount FROM line WHERE account = 'service'
       GROUP BY currency ORDER BY currency`,
    ),
    balances: await query(
      `SELECT account, currency, sum(amount)::text AS amount FROM line WHERE account <> 'service'
       GROUP BY account, currency ORDER BY account, currency LIMIT ${ROWS}`,
    ),
  };
}

/** @param {Query} query */
export async function countHeld(query) {
  const [counts = {}] = await query(
    `SELECT count(key)::int AS conflicts, (count(*) - count(key))::int AS refused
     FROM held WHERE ${OPEN}`,
  );
  return counts;
}
