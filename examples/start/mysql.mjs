import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';

/** @import { PoolConnection, RowDataPacket } from 'mysql2/promise' */
/** @import { Decimal } from 'payment-notifications' */

// The database of postgres.mjs, for MySQL and MariaDB in their default, strict mode, with the
// tables of schema.mysql.sql.

/** Of `balance.amount`. */
const DECIMALS = 30;

export const pool = mysql.createPool(process.env.DATABASE_URL ?? '');

/**
 * Books an event once, in one transaction. `conflict`: its key is known, with another account,
 * currency or amount.
 *
 * @param {string} key
 * @param {Uint8Array} body
 * @param {{ account: string, currency: string, amount: Decimal }} move
 * @returns {Promise<'settled' | 'repeated' | 'conflict'>}
 */
export async function book(key, body, { account, currency, amount }) {
  if (amount.decimalPlaces() > DECIMALS) throw new UnfitAmount(`${amount} would be rounded`);
  const move = [account, currency, amount.toString()];
  return onConnection(async (connection) => {
    await connection.beginTransaction();
    const isNew = await connection
      .execute('INSERT INTO event VALUES (?, ?, ?, ?, ?)', [key, ...move, Buffer.from(body)])
      // Not by affectedRows: mysql2 counts a row that was found as one that was inserted.
      .then(() => true, falseIfKnown);
    if (isNew) {
      await connection.execute(
        `INSERT INTO balance VALUES (?, ?, ?)
          ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount)`,
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
  });
}

/** Stores a body for review, once. @param {Uint8Array} body @param {string} reason */
export async function hold(body, reason) {
  const insert = `INSERT INTO held (digest, body, reason) VALUES (UNHEX(SHA2(?, 256)), ?, ?)
    ON DUPLICATE KEY UPDATE reason = VALUES(reason)`;
  const bytes = Buffer.from(body);
  await onConnection((connection) => connection.execute(insert, [bytes, bytes, reason]));
}

/**
 * Returns whether the tables refuse a value, so that a repeat would fail as well: bad data, a
 * constraint or a trigger.
 *
 * @param {unknown} error
 * @returns {error is Error}
 */
export function isRefusal(error) {
  if (error instanceof UnfitAmount) return true;
  return error instanceof Error && 'sqlState' in error && /^(22|23|45)/.test(`${error.sqlState}`);
}

class UnfitAmount extends Error {}

/**
 * Each use takes its own connection: on a shared one, a rollback would undo other events.
 *
 * @template Result
 * @param {(connection: PoolConnection) => Promise<Result>} use
 */
async function onConnection(use) {
  const connection = await pool.getConnection();
  try {
    const result = await Promise.race([use(connection), tooLate()]);
    connection.release();
    return result;
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

/** @param {unknown} error */
function falseIfKnown(error) {
  if (error instanceof Error && 'code' in error && error.code === 'ER_DUP_ENTRY') return false;
  throw error;
}
