import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** @typedef {(sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>} Query */

/**
 * @typedef {object} Database
 * @property {Query} query One statement: all of it, or nothing.
 * @property {<T>(work: (query: Query) => Promise<T>) => Promise<T>} transaction All of it, or nothing.
 * The work is done again if the server gave it up for another's sake.
 * @property {() => Promise<void>} close
 */

// Each wait ends: behind another's lock, in a statement, for a connection, for a server that is
// there but says nothing. The longest of them leaves time to spool the body before the shutdown's end.
const LIMITS = {
  max: 10,
  connectionTimeoutMillis: 2_000,
  lock_timeout: 2_000,
  statement_timeout: 4_000,
  idle_in_transaction_session_timeout: 4_000,
  query_timeout: 5_000,
};

/** Under `serializable`, or in a deadlock, the server gives up one of two, which may try again. */
const GIVEN_UP = new Set(['40001', '40P01']);
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
      retry(async () => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          const result = await work(async (sql, values) => (await client.query(sql, values)).rows);
          await client.query('COMMIT');
          client.release();
          return result;
        } catch (error) {
          client.release(true); // without its connection, the server rolls back
          throw error;
        }
      }),
    close: () => pool.end(),
  };
}

/** PostgreSQL in this process, its data in a folder: for one process. @type {(folder: string) => Database} */
export function openEmbedded(folder) {
  const database = new PGlite(folder);
  return {
    query: async (sql, values) => (await database.query(sql, values)).rows,
    transaction: (work) =>
      database.transaction((tx) => work(async (sql, values) => (await tx.query(sql, values)).rows)),
    close: () => database.close(),
  };
}

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
async function retry(work) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      if (attempt === ATTEMPTS || code === undefined || !GIVEN_UP.has(code)) throw error;
      await sleep(Math.random() * 2 ** attempt); // apart, or they'd meet again
    }
  }
}
