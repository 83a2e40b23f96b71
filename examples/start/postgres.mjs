import pg from 'pg';

const { DATABASE_URL = '' } = process.env;
// The error of pg doesn't name the variable.
if (!/^postgres(ql)?:/.test(DATABASE_URL) || !URL.canParse(DATABASE_URL))
  throw new Error('DATABASE_URL: expected postgres://user:password@host/database');

/** The connections to PostgreSQL, with time limits. */
export const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  connectionTimeoutMillis: 5_000,
  // Without this limit, statements that wait for a locked row use up the database's connections. If
  // PgBouncer refuses it, set its ignore_startup_parameters = statement_timeout, and in PostgreSQL
  // ALTER ROLE … SET statement_timeout = '5s'.
  statement_timeout: 5_000,
  // A database that hangs ignores the other limit. This one drops the connection.
  query_timeout: 6_000,
});
// A restart of the database breaks idle connections. Unhandled, that would end this process.
pool.on('error', (error) => console.error(error.message));
