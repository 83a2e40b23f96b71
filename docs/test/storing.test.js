// What the page about storing amounts says of each driver, run on it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { numeric, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { Decimal } from '../../dist/index.js';
import { findPostgres, startPostgres } from '../../examples/test/postgres.js';

const DIGITS = '0.123456789012345678';
const ROUNDED = '0.12345678901234568';
const amount = new Decimal(DIGITS);

describe('PGlite', () => {
  const database = new PGlite();
  after(() => database.close());
  const read = async (/** @type {unknown} */ value) =>
    (await database.query('SELECT $1::numeric AS amount', [value])).rows;

  test('keeps what it gets as text, or as a Decimal, and gives text', async () => {
    assert.deepEqual(await read(amount.toString()), [{ amount: DIGITS }]);
    assert.deepEqual(await read(amount), [{ amount: DIGITS }]);
    assert.deepEqual(await read(amount.toNumber()), [{ amount: ROUNDED }]);
  });

  test('Drizzle on it: numeric() keeps text, mode number rounds', async () => {
    await database.exec('CREATE TABLE credit (id text, amount numeric)');
    const db = drizzle(database);
    const exact = pgTable('credit', { id: text(), amount: numeric() });
    const rounded = pgTable('credit', { id: text(), amount: numeric({ mode: 'number' }) });
    await db.insert(exact).values({ id: '1', amount: amount.toString() });
    assert.deepEqual(await db.select().from(exact), [{ id: '1', amount: DIGITS }]);
    assert.deepEqual(await db.select().from(rounded), [{ id: '1', amount: Number(ROUNDED) }]);
  });
});

const postgres = findPostgres();
const skip = postgres ? false : 'no PostgreSQL server is installed: apt-get install postgresql-15';
describe('a PostgreSQL server', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let server;
  /** @type {pg.Pool} */
  let pool;

  before(async () => {
    server = await startPostgres(postgres ?? { bin: '' });
    pool = new pg.Pool({ connectionString: server.url('postgres') });
    await pool.query('CREATE TABLE credit (amount numeric)');
  });
  after(async () => {
    await pool.end();
    await server.remove();
  });

  test('pg keeps text, and binds a Decimal with quotes in it', async () => {
    const read = async (/** @type {unknown} */ value, type = 'numeric') =>
      (await pool.query(`SELECT $1::${type} AS amount`, [value])).rows;
    assert.deepEqual(await read(amount.toString()), [{ amount: DIGITS }]);
    await assert.rejects(read(amount), /invalid input syntax for type numeric/);
    assert.deepEqual(await read(amount, 'text'), [{ amount: `"${DIGITS}"` }]);
    assert.deepEqual(await read(amount.toNumber()), [{ amount: ROUNDED }]);
  });

  test('Kysely on it does as pg does', async () => {
    /** @type {Kysely<{ credit: { amount: unknown } }>} */
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
    const insert = (/** @type {unknown} */ value) =>
      db.insertInto('credit').values({ amount: value }).execute();
    await insert(amount.toString());
    await assert.rejects(insert(amount), /invalid input syntax for type numeric/);
    assert.deepEqual(await db.selectFrom('credit').selectAll().execute(), [{ amount: DIGITS }]);
  });
});
