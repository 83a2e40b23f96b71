import mysql from 'mysql2/promise';
import { Decimal } from 'payment-notifications';
import { NeedsReview } from 'payment-notifications/receiver';

// For MySQL and MariaDB: createSettle(database, { customerOf }). The tables are in mysql.sql.

const pool = mysql.createPool({
  uri: process.env.DATABASE_URL ?? '',
  connectTimeout: 5_000,
  supportBigNumbers: true, // otherwise, a large bigint is rounded
});

export const database = {
  /**
   * Finds an order for `customerOf`. Select your ID and the customer. MySQL finds 'a' for 'A', and
   * 7 for '7x', so the ID is compared again here.
   *
   * @param {string} sql
   * @param {string} id
   * @returns {Promise<string | number | null | undefined>}
   */
  async find(sql, id) {
    const [rows] = await pool.query({ sql, values: [id], timeout: 5_000, rowsAsArray: true });
    const found = /** @type {any[][]} */ (rows).find(([number]) => String(number) === id);
    return found?.[1];
  },

  /**
   * Settles an event by a transaction, in place of the statement for PostgreSQL.
   *
   * @param {string} _
   * @param {any[]} values
   */
  async query(_, [key, account, currency, amount]) {
    const exact = new Decimal(amount);
    // The column would round it, or refuse it.
    if (exact.decimalPlaces() > 30 || exact.abs().gte('1e35'))
      throw new NeedsReview('the amount does not fit decimal(65, 30)');
    const connection = await pool.getConnection();
    /** @param {string} sql @param {any[]} values @returns {Promise<any>} */
    const run = async (sql, ...values) =>
      (await connection.query({ sql, values, timeout: 5_000 }))[0];
    try {
      await connection.beginTransaction();
      const insert = `INSERT INTO event (event_key, account, currency, amount) VALUES (?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE deliveries = deliveries + 1`;
      await run(insert, key, account, currency, amount);
      const compare = `SELECT deliveries = 1 AS first,
        account = ? AND currency = ? AND amount = CAST(? AS decimal(65, 30)) AS same
        FROM event WHERE event_key = ?`;
      const [event] = await run(compare, account, currency, amount, key);
      const add = `INSERT INTO balance VALUES (?, ?, ?)
        ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount)`;
      if (event.first) await run(add, account, currency, amount);
      await connection.commit();
      connection.release();
      return { rows: [event] };
    } catch (error) {
      connection.destroy(); // closes the connection, which rolls back
      throw error;
    }
  },
};
