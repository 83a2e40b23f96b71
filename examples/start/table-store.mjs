import pg from 'pg';

/** @import { Store } from 'payment-notifications/receiver' */

// Saves webhooks in the table of table-store.sql, for servers without a disk.

const pool = new pg.Pool({
  connectionString: process.env.STORE_URL,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 5_000,
  query_timeout: 6_000,
});
pool.on('error', (error) => console.error(error.message)); // a restart breaks idle connections

/** @param {string} sql @param {unknown[]} values @returns {Promise<any[]>} */
const query = async (sql, ...values) => (await pool.query(sql, values)).rows;

const ARRIVE = `INSERT INTO webhook (name, place, body, reason, tries) VALUES ($1, 'progress', $2, '', 1)
  ON CONFLICT (name) DO UPDATE SET place = 'progress', since = now(), tries = greatest(webhook.tries, 1)
  WHERE webhook.place <> 'review'`; // a webhook in review stays there
const TAKE = `UPDATE webhook SET place = 'progress', since = now(), tries = tries + 1
  WHERE (name, place, since) = ($1, $2, $3) RETURNING name`; // no row: another process was first
const SAVE = `INSERT INTO webhook (name, place, body, reason) VALUES ($1, $2, $3, $4) ON CONFLICT (name)
  DO UPDATE SET place = CASE webhook.place WHEN 'review' THEN 'review' ELSE excluded.place END,
    reason = excluded.reason, since = now(), tries = 0`;

/** @type {Store} */
export const store = {
  async save({ to, name, body, reason, from }) {
    if (from) return (await query(TAKE, name, from.place, from.since)).length > 0;
    await (to === 'progress' ? query(ARRIVE, name, body) : query(SAVE, name, to, body, reason));
  },
  list: () => query("SELECT name, place, since, tries FROM webhook WHERE place <> 'review'"),
  async read(name) {
    const find = "SELECT body FROM webhook WHERE name = $1 AND place <> 'review'";
    return (await query(find, name))[0]?.body ?? null;
  },
  remove: (name) => query('DELETE FROM webhook WHERE name = $1', name),
};
