import SQLite from 'better-sqlite3';
import { Decimal } from 'payment-notifications';

// For SQLite: createSettle(database). The tables are in sqlite.sql.

const sqlite = new SQLite(process.env.DATABASE_FILE || 'merchant.db');
sqlite.pragma('journal_mode = WAL');
sqlite.pragma('synchronous = FULL'); // a commit survives a power cut

/** @param {string} sql @param {string[]} values @returns {any} */
const get = (sql, ...values) => sqlite.prepare(sql).get(...values);

// Without `await`, so that no other webhook's queries get into the transaction.
const settle = sqlite.transaction((key, account, currency, amount) => {
  const known = get('SELECT * FROM event WHERE key = ?', key);
  if (known) {
    const same =
      known.account === account && known.currency === currency && known.amount === amount;
    return { first: false, same };
  }
  sqlite.prepare('INSERT INTO event VALUES (?, ?, ?, ?)').run(key, account, currency, amount);
  const old = get('SELECT * FROM balance WHERE account = ? AND currency = ?', account, currency);
  const sum = new Decimal(amount).plus(old?.amount ?? 0).toString();
  sqlite.prepare('REPLACE INTO balance VALUES (?, ?, ?)').run(account, currency, sum);
  return { first: true, same: true };
});

export const database = {
  /**
   * Finds a row, for `customerOf`.
   *
   * @param {string} sql
   * @param {string} id
   */
  find: async (sql, id) => get(sql, id),

  /**
   * Settles an event by a transaction, in place of the statement for PostgreSQL.
   *
   * @param {string} _
   * @param {any[]} values
   */
  query: async (_, [key, account, currency, amount]) => ({
    rows: [settle.immediate(key, account, currency, amount)],
  }),
};
