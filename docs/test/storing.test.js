// What the page about storing amounts says of each driver, run on it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { BSON, Decimal128 } from 'bson';
import { numeric, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgresJs from 'postgres';
import { DataTypes, Sequelize } from 'sequelize';
import { DataSource, EntitySchema } from 'typeorm';
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

test('Decimal128 of MongoDB keeps 34 digits and refuses more; a bare Decimal is stored in parts', () => {
  const store = (/** @type {unknown} */ value) => BSON.deserialize(BSON.serialize({ value })).value;
  assert.equal(String(store(Decimal128.fromString(amount.toString()))), DIGITS);
  assert.throws(() => Decimal128.fromString(`${'1'.repeat(34)}.5`), /inexact rounding/);
  const satoshi = String(store(Decimal128.fromString('0.00000001')));
  assert.equal(satoshi, '1E-8');
  assert.equal(new Decimal(satoshi).toString(), '0.00000001');
  assert.deepEqual(Object.keys(store(amount)), ['s', 'e', 'd']);
});

const postgres = findPostgres();
const skip = postgres ? false : 'no PostgreSQL server is installed: apt-get install postgresql-15';
describe('a PostgreSQL server', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let server;
  /** @type {pg.Pool} */
  let pool;
  /** The socket's folder and who connects, for those that don't take them from an address. */
  let options = { host: '', username: '', database: 'postgres' };

  before(async () => {
    server = await startPostgres(postgres ?? { bin: '' });
    const url = new URL(server.url('postgres'));
    options = { ...options, host: url.searchParams.get('host') ?? '', username: url.username };
    pool = new pg.Pool({ connectionString: url.href });
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

  test('postgres.js keeps text and a Decimal', async () => {
    const sql = postgresJs(options);
    const read = async (/** @type {any} */ value) => [
      ...(await sql`SELECT ${value}::numeric AS a`),
    ];
    assert.deepEqual(await read(amount.toString()), [{ a: DIGITS }]);
    assert.deepEqual(await read(amount), [{ a: DIGITS }]);
    await sql.end();
  });

  test('TypeORM on pg does as pg does', async () => {
    const columns = { amount: { type: /** @type {const} */ ('numeric'), primary: true } };
    const entities = [new EntitySchema({ name: 'typeorm_credit', columns })];
    const settings = { ...options, entities, synchronize: true };
    const source = await new DataSource({ type: 'postgres', ...settings }).initialize();
    const credits = source.getRepository('typeorm_credit');
    await credits.insert({ amount: amount.toString() });
    await assert.rejects(credits.insert({ amount }), /invalid input syntax for type numeric/);
    assert.deepEqual(await credits.find(), [{ amount: DIGITS }]);
    await source.destroy();
  });

  test('Sequelize on pg keeps text and a Decimal, and sums to a rounded number', async () => {
    const sequelize = new Sequelize({ dialect: 'postgres', logging: false, ...options });
    const Credit = sequelize.define('sequelize_credit', { amount: DataTypes.DECIMAL });
    await Credit.sync();
    for (const value of [amount.toString(), amount]) await Credit.create({ amount: value });
    const rows = await Credit.findAll({ attributes: ['amount'], raw: true });
    assert.deepEqual(rows, [{ amount: DIGITS }, { amount: DIGITS }]);
    const sum = await Credit.sum('amount');
    assert.equal(typeof sum, 'number');
    assert.notEqual(String(sum), amount.times(2).toString());
    await sequelize.close();
  });

  test('a constraint on the scale refuses what numeric(20, 8) rounds', async () => {
    await pool.query(
      'CREATE TABLE scaled (amount numeric CHECK (scale(trim_scale(amount)) <= 8), rounded numeric(20, 8))',
    );
    const insert = (/** @type {string} */ column, /** @type {string} */ value) =>
      pool.query(`INSERT INTO scaled (${column}) VALUES ($1) RETURNING ${column}`, [value]);
    await assert.rejects(insert('amount', DIGITS), /violates check constraint/);
    assert.deepEqual((await insert('amount', '0.1234567800')).rows, [{ amount: '0.1234567800' }]);
    assert.deepEqual((await insert('rounded', DIGITS)).rows, [{ rounded: '0.12345679' }]);
  });
});
