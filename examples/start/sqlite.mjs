import SQLite from 'better-sqlite3';
import { Decimal } from 'payment-notifications';

// For SQLite: createSettle(database, { customerOf }). The tables are in sqlite.sql.

const sqlite = new SQLite(process.env.DATABASE_FILE || 'merchant.db');
sqlite.pragma('journal_mode = WAL');
sqlite.pragma('synchronous = FULL'); // a commit survives a power cut

/** @param {string} sql @param {string[]} values @returns {any} */
const get = (sql, ...values) => sqlite.prepare(sql).get(...values);

// Without `await`, so that no other webhook's queries get into the transaction.
const settle = sqlite.transaction((key, account, currency, amount) => {
  const known = get('SELECT * FROM event WHERE key = ?', key);
  if (known) {
    const isEqual = known.account === account && known.currency === currency;
    return { first: false, same: isEqual && new Decimal(amount).eq(known.amount) };
  }
  sqlite.prepare('INSERT INTO event VALUES (?, ?, ?, ?)').run(key, account, currency, amount);
  const old = get('SELECT * FROM balance WHERE account = ? AND currency = ?', account, currency);
  const sum = new Decimal(amount).plus(old?.amount ?? 0).toString();
  sqlite.prepare('REPLACE INTO balance VALUES (?, ?, ?)').run(account, currency, sum);
  return { first: true, same: true };
});

export const database = {
  /**
   * Finds an order for `customerOf`. Select your ID and the customer. SQLite may find 7 for '07',
   * so the ID is compared again here.
   *
   * @param {string} sql
   * @param {string} id
   * @returns {Promise<string | bigint | null | undefined>}
   */
  async find(sql, id) {
    const rows = sqlite.prepare(sql).safeIntegers().raw().all(id); // integers stay exact
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
    return { rows: [settle.immediate(key, account, currency, amount)] };
  },
};
