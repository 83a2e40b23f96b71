import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** @typedef {(sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>} Query */

/**
 * @typedef {object} Database
 * @property {Query} query
 * @property {<T>(work: (query: Query) => Promise<T>) => Promise<T>} transaction All of it, or nothing.
 * @property {() => Promise<void>} close
 */

/** A PostgreSQL server, for any number of processes. @type {(url: string) => Database} */
export function openServer(url) {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A connection that breaks fails its query, which is told there; unheard here, it ends the process.
  const ignore = () => {};
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  return {
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    async transaction(work) {
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
    },
    close: () => pool.end(),
  };
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
