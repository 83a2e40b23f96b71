/** @import { Database } from '../database.js' */
/** @import { Spool } from '../spool.js' */
/** @typedef {Awaited<ReturnType<typeof report>>} Report */

/** At most this many rows of each list. */
export const ROWS = 100;
/** At most this much of a body. */
const BODY = 2_000;
/** A held body that nobody has dismissed. */
const OPEN = "encode(digest, 'hex') NOT IN (SELECT what FROM dismissed)";

/**
 * What there is to see. With something to do, its rows are for a person to settle.
 *
 * @type {Record<string, { title: string, toDo?: string, sql: string }>}
 */
export const LISTS = {
  conflicts: {
    title: 'Conflicts',
    toDo: 'A later delivery of a settled event moves something else. The first one is settled. Ask the service which is true: one of them may be forged.',
    sql: `SELECT encode(digest, 'hex') AS digest, key, event.moves AS settled,
        event.received_at AS settled_at, held.moves AS claimed, held.received_at, deliveries,
        left(encode(held.body, 'escape'), ${BODY}) AS body
      FROM held JOIN event USING (key) WHERE ${OPEN} ORDER BY held.received_at DESC`,
  },
  outcomes: {
    title: 'Withdrawals with two outcomes',
    toDo: 'Only one can be true. Ask the service whether the money was sent, and compare.',
    sql: `SELECT (array_agg(key ORDER BY received_at DESC))[1] AS key,
        array_agg(split_part(key, ':', 3) ORDER BY received_at) AS statuses,
        min(moves->>'account') AS account, min(moves->>'currency') AS currency,
        sum((moves->>'amount')::numeric)::text AS amount
      FROM event GROUP BY split_part(key, ':', 2) HAVING count(*) > 1
        AND (array_agg(key ORDER BY received_at DESC))[1] NOT IN (SELECT what FROM dismissed)
      ORDER BY max(received_at) DESC`,
  },
  withoutAmount: {
    title: 'Withdrawals without an amount',
    toDo: "They are completed, but don't say how much was sent, so nothing is debited yet.",
    sql: `SELECT key, moves->>'account' AS account, moves->>'currency' AS currency, received_at
      FROM event WHERE moves->>'amount' IS NULL AND key NOT IN (SELECT what FROM dismissed)
      ORDER BY received_at DESC`,
  },
  refused: {
    title: 'Refused bodies',
    toDo: 'After a fix, npm run merchant -- replay settles them.',
    sql: `SELECT encode(digest, 'hex') AS digest, received_at, deliveries, faults, reason,
        left(encode(body, 'escape'), ${BODY}) AS body
      FROM held WHERE key IS NULL AND ${OPEN} ORDER BY received_at DESC`,
  },
  drift: {
    title: "Where settled bodies depart from the service's documentation",
    sql: `SELECT warning->>'code' AS code, warning->>'field' AS field, count(*)::int AS events,
        max(received_at) AS latest
      FROM event, jsonb_array_elements(warnings) AS warning WHERE warnings <> '[]'
      GROUP BY 1, 2 ORDER BY latest DESC`,
  },
  totals: {
    title: 'What the service holds for you',
    sql: `SELECT currency, (-sum(amount))::text AS amount FROM line WHERE account = 'service'
      GROUP BY currency ORDER BY currency`,
  },
  balances: {
    title: 'Balances of customers, the first of them',
    sql: `SELECT account, currency, sum(amount)::text AS amount FROM line
      WHERE account <> 'service' GROUP BY account, currency ORDER BY account, currency`,
  },
};

/**
 * The rows of each list, and what is in the spool; of the latter, without the database, too.
 *
 * @param {Database} database
 * @param {Spool} spool
 */
export async function report({ query }, spool) {
  const head = { at: new Date().toISOString(), spool: spool.status() };
  /** @type {Record<string, Record<string, unknown>[]>} */
  const lists = {};
  try {
    for (const [id, { sql }] of Object.entries(LISTS))
      lists[id] = await query(`${sql} LIMIT ${ROWS}`);
    return { ...head, databaseError: null, lists };
  } catch (error) {
    return { ...head, databaseError: `${error}`, lists };
  }
}
