/** @import { Connection, RowDataPacket } from 'mysql2/promise' */
/** @import { Decimal } from 'payment-notifications' */

/** Of `balance.amount`. */
const DECIMALS = 30;

/**
 * Books an event once, in one transaction on one connection: the `book` of postgres.mjs for MySQL and MariaDB,
 * in their default, strict mode. `conflict`: the key is known, with something else.
 *
 * @param {Connection} connection Not a pool: each of its statements may take another connection.
 * @param {string} key
 * @param {Buffer} body
 * @param {{ account: string, currency: string, amount: Decimal }} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
export async function book(connection, key, body, { account, currency, amount }) {
  if (amount.decimalPlaces() > DECIMALS) throw new Error(`${amount} would be rounded`);
  const move = [account, spell(currency), amount.toString()];
  await connection.beginTransaction();
  try {
    const isNew = await connection
      .execute('INSERT INTO event VALUES (?, ?, ?, ?, ?)', [key, ...move, body])
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
  } catch (error) {
    await connection.rollback().catch(() => {}); // it is lost: the first error says why
    throw error;
  }
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
