import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'payment-notifications';

// The database of postgres.mjs, for SQLite: by node:sqlite, or by better-sqlite3, whose `Database`
// has the same methods. With the tables of schema.sqlite.sql.

const database = new DatabaseSync(process.env.DATABASE_URL ?? 'merchant.sqlite');
// In WAL mode, better-sqlite3 syncs no commit unless told to. Of several processes, one at a time
// reads and writes.
database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`);

/**
 * Books an event once, in one transaction. `conflict`: its key is known, with another account,
 * currency or amount.
 *
 * @param {string} key
 * @param {Uint8Array} body
 * @param {{ account: string, currency: string, amount: Decimal }} move
 * @returns {'settled' | 'repeated' | 'conflict'}
 */
export function book(key, body, { account, currency, amount }) {
  database.exec('BEGIN IMMEDIATE');
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

/** Stores a body for review, once. @param {Uint8Array} body @param {string} reason */
export function hold(body, reason) {
  const insert = `INSERT INTO held (digest, body, reason) VALUES (?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET reason = excluded.reason`;
  const digest = createHash('sha256').update(body).digest();
  database.prepare(insert).run(digest, body, reason);
}

/**
 * Returns whether the tables refuse a value, so that a repeat would fail as well: one that is too
 * big, a constraint, or a wrong type.
 *
 * @param {unknown} error
 * @returns {error is Error}
 */
export function isRefusal(error) {
  if (!(error instanceof Error)) return false;
  // node:sqlite has a number, whose lower byte is the kind, and better-sqlite3 a name.
  if ('errcode' in error) return [18, 19, 20].includes(Number(error.errcode) & 0xff);
  return 'code' in error && /^SQLITE_(TOOBIG|CONSTRAINT|MISMATCH)/.test(`${error.code}`);
}
