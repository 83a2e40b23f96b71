import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** @typedef {(sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>} Query */
/**
 * @typedef {object} Database
 * @property {Query} query One statement: all of it, or nothing.
 * @property {<T>(work: (query: Query) => Promise<T>) => Promise<T>} transaction All of it, or nothing;
 * the work may be done several times.
 * @property {() => Promise<void>} close
 */

// Every wait ends. That for a lock ends early: copies of one event that wait for it hold connections.
const LIMITS = {
  max: 20,
  connectionTimeoutMillis: 3_000,
  lock_timeout: 500,
  statement_timeout: 3_000,
  idle_in_transaction_session_timeout: 3_000,
  query_timeout: 4_000,
};

/** Of two transactions that PostgreSQL can't both let through: serialization failure, deadlock. */
const ABORTED = ['40001', '40P01'];
const ATTEMPTS = 10;

/** A PostgreSQL server, for any number of processes. @type {(url: string) => Database} */
export function openServer(url) {
  const pool = new pg.Pool({ connectionString: url, ...LIMITS });
  // A broken connection fails its query, which reports it; unhandled here, it would end the process.
  const ignore = () => {};
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  return {
    query: (sql, values) => retry(async () => (await pool.query(sql, values)).rows),
    transaction: (work) =>
      retry(() =>
        inTransaction(pool, (client) =>
          work(async (sql, values) => (await client.query(sql, values)).rows),
        ),
      ),
    close: () => pool.end(),
  };
}

/**
 * Does the work in one transaction, by one connection: all of it, or nothing.
 *
 * @template T
 * @param {pg.Pool} pool
 * @param {(client: pg.PoolClient) => Promise<T>} work
 */
async function inTransaction(pool, work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    // If a statement failed and the work caught its error, PostgreSQL rolls back here, without an error.
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // without its connection, the server rolls back
    throw error;
  }
}

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
async function retry(work) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isAborted = error instanceof pg.DatabaseError && ABORTED.includes(error.code ?? '');
      if (!isAborted || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * 2 ** attempt); // apart, or the same two would meet again
    }
  }
}

/** PostgreSQL in this process, its data in a folder: for one. @type {(folder: string) => Database} */
export function openEmbedded(folder) {
  const database = new PGlite(folder);
  return {
    query: async (sql, values) => (await database.query(sql, values)).rows,
    transaction: (work) =>
      database.transaction((tx) => work(async (sql, values) => (await tx.query(sql, values)).rows)),
    close: () => database.close(),
  };
}
