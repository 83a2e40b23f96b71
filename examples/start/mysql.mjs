/** @import { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise' */
/** @import { Decimal } from 'payment-notifications' */

/** Of `balance.amount`. */
const DECIMALS = 30;

/** Without it, a delivery waits for a frozen server forever, and its body is never saved. */
const timeout = 10_000;

/**
 * Books an event once, in one transaction: the `book` of postgres.mjs for MySQL and MariaDB, in their default,
 * strict mode. `conflict`: the key is known, with something else.
 *
 * @param {Pool} pool Each call takes its own connection. On a shared one, a rollback would undo other calls.
 * @param {string} key
 * @param {Uint8Array} body
 * @param {{ account: string, currency: string, amount: Decimal }} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
export async function book(pool, key, body, { account, currency, amount }) {
  if (amount.decimalPlaces() > DECIMALS) throw new Error(`${amount} would be rounded`);
  const move = [account, spell(currency), amount.toString()];
  const connection = await pool.getConnection();
  try {
    await connection.query({ sql: 'BEGIN', timeout });
    const outcome = await bookOn(connection, key, body, move);
    await connection.query({ sql: 'COMMIT', timeout });
    connection.release();
    return outcome;
  } catch (error) {
    // The server then rolls back. A rollback from here would wait for it.
    connection.destroy();
    throw error;
  }
}

/** @param {PoolConnection} connection @param {string} key @param {Uint8Array} body @param {string[]} move */
async function bookOn(connection, key, body, move) {
  const isNew = await connection
    .execute({ sql: 'INSERT INTO event VALUES (?, ?, ?, ?, ?)', timeout }, [
      key,
      ...move,
      Buffer.from(body),
    ])
    // Not by affectedRows: mysql2 counts a row that was found as one that was inserted.
    .then(() => true, falseIfKnown);
  if (isNew) {
    const sql =
      'INSERT INTO balance VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount)';
    await connection.execute({ sql, timeout }, move);
    return 'settled';
  }
  const sql = 'SELECT 1 FROM event WHERE `key` = ? AND account = ? AND currency = ? AND amount = ?';
  const [same] = /** @type {[RowDataPacket[], unknown]} */ (
    await connection.execute({ sql, timeout }, [key, ...move])
  );
  return same.length === 1 ? 'repeated' : 'conflict';
}

/** btc is BTC, but uſdt is not USDT: only the letters a to z change. @param {string} currency */
function spell(currency) {
  return currency.trim().replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** @param {unknown} error */
function falseIfKnown(error) {
  if (error instanceof Error && 'code' in error && error.code === 'ER_DUP_ENTRY') return false;
  throw error;
}
