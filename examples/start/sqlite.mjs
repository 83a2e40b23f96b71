import { Decimal } from 'payment-notifications';

/**
 * What this needs of a `DatabaseSync` of node:sqlite, or of better-sqlite3.
 *
 * @typedef {object} Database
 * @property {(sql: string) => unknown} exec
 * @property {(sql: string) => { get(...values: unknown[]): any, run(...values: unknown[]): unknown }} prepare
 */

/**
 * Books an event once, in one transaction: the `book` of postgres.mjs for SQLite. `conflict`: the key is known,
 * with something else.
 *
 * @param {Database} database
 * @param {string} key
 * @param {Uint8Array} body
 * @param {{ account: string, currency: string, amount: Decimal }} move
 * @returns {'settled' | 'repeated' | 'conflict'}
 */
export function book(database, key, body, { account, currency: code, amount }) {
  const currency = spell(code);
  // Better-sqlite3 syncs no commit in WAL mode unless told to. One process at a time reads and writes.
  database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  try {
    const known = database.prepare('SELECT * FROM event WHERE key = ?').get(key);
    if (!known) {
      const insert = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?)');
      insert.run(key, account, currency, amount.toString(), body);
      // Not by SQL, whose sum would be a double.
      const find = database.prepare(
        'SELECT amount FROM balance WHERE account = ? AND currency = ?',
      );
      const before = find.get(account, currency)?.amount ?? 0;
      const after = new Decimal(before).plus(amount).toString();
      const replace = database.prepare('INSERT OR REPLACE INTO balance VALUES (?, ?, ?)');
      replace.run(account, currency, after);
    }
    database.exec('COMMIT');
    if (!known) return 'settled';
    const isSame = known.account === account && known.currency === currency;
    return isSame && amount.equals(known.amount) ? 'repeated' : 'conflict';
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {} // after some errors, such as a full disk, SQLite has done so by itself
    throw error;
  }
}

/** btc is BTC, but uſdt is not USDT: only the letters a to z change. @param {string} currency */
function spell(currency) {
  return currency.trim().replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
