import pg from 'pg';

/** @import { Store } from 'payment-notifications/receiver' */

// For servers without a disk: keeps webhooks in a table, which is in table-store.sql.

const pool = new pg.Pool({
  connectionString: process.env.STORE_URL,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 5_000,
  query_timeout: 6_000,
});
pool.on('error', (error) => console.error(error.message)); // a restart breaks idle connections

/** @param {string} sql @param {unknown[]} values @returns {Promise<any[]>} */
const query = async (sql, ...values) => (await pool.query(sql, values)).rows;

/** @type {Store} */
export const store = {
  save({ to, name, body, reason }) {
    const insert = `INSERT INTO webhook (folder, name, body, reason) VALUES ($1, $2, $3, $4)
      ON CONFLICT (folder, name) DO UPDATE SET reason = excluded.reason`;
    return query(insert, to, name, body, reason);
  },
  async list() {
    const rows = await query("SELECT name FROM webhook WHERE folder = 'retry' ORDER BY saved_at");
    return rows.map(({ name }) => name);
  },
  async read(name) {
    const find = "SELECT body FROM webhook WHERE (folder, name) = ('retry', $1)";
    return (await query(find, name))[0]?.body ?? null;
  },
  remove: (name) => query("DELETE FROM webhook WHERE (folder, name) = ('retry', $1)", name),
};
