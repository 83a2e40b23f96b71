import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise' */
/** @import { Decimal } from 'payment-notifications' */

/** Of `balance.amount`. */
const DECIMALS = 30;

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
    const outcome = await Promise.race([bookOn(connection, key, body, move), tooLate()]);
    connection.release();
    return outcome;
  } catch (error) {
    // The server then rolls back. A rollback from here might wait forever.
    connection.destroy();
    throw error;
  }
}

/** Ends the wait for a frozen server, so that the body can be saved. @returns {Promise<never>} */
async function tooLate() {
  await sleep(10_000, null, { ref: false });
  throw new Error('the database does not answer');
}

/** @param {PoolConnection} connection @param {string} key @param {Uint8Array} body @param {string[]} move */
async function bookOn(connection, key, body, move) {
  await connection.beginTransaction();
  const isNew = await connection
    .execute('INSERT INTO event VALUES (?, ?, ?, ?, ?)', [key, ...move, Buffer.from(body)])
    // Not by affectedRows: mysql2 counts a row that was found as one that was inserted.
    .then(() => true, falseIfKnown);
  if (isNew) {
    await connection.execute(
      'INSERT INTO balance VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount)',
      move,
    );
    await connection.commit();
    return 'settled';
  }
  const [same] = /** @type {[RowDataPacket[], unknown]} */ (
    await connection.execute(
      'SELECT 1 FROM event WHERE `key` = ? AND account = ? AND currency = ? AND amount = ?',
      [key, ...move],
    )
  );
  await connection.commit();
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
