/** @import { Pool, PoolClient } from 'pg' */

/**
 * Does the work in one transaction, by one connection: all of it, or nothing.
 *
 * @template T
 * @param {Pool} pool
 * @param {(client: PoolClient) => Promise<T>} work
 */
export async function inTransaction(pool, work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // without its connection, the server rolls back
    throw error;
  }
}
