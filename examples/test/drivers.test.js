// What docs/amounts.md says of each driver, run on it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { BSON, Decimal128 } from 'bson';
import { numeric, pgTable } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { Kysely, PostgresDialect } from 'kysely';
import { Decimal, parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import pg from 'pg';
import postgresJs from 'postgres';
import { DataTypes, Sequelize } from 'sequelize';
import { DataSource, EntitySchema } from 'typeorm';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';

const amount = new Decimal('0.123456789012345678');

test('Decimal128 of MongoDB keeps 34 digits and refuses more; a bare Decimal is stored in parts', () => {
  const store = (/** @type {unknown} */ value) => BSON.deserialize(BSON.serialize({ value })).value;
  assert.equal(String(store(Decimal128.fromString(`${amount}`))), `${amount}`);
  assert.throws(() => Decimal128.fromString(`${'1'.repeat(34)}.5`), /inexact rounding/);
  assert.equal(String(store(Decimal128.fromString('0.00000001'))), '1E-8');
  assert.deepEqual(Object.keys(store(amount)), ['s', 'e', 'd']);
});

/** A PostgreSQL server, PGlite beside it, and a client of each driver. */
async function openDatabases() {
  const server = await startPostgres();
  const url = new URL(server.url());
  const host = url.searchParams.get('host') ?? '';
  const options = { host, username: url.username, database: 'postgres' };
  const [pool, pglite] = [new pg.Pool({ connectionString: url.href }), new PGlite()];
  await pool.query('CREATE TABLE kysely (amount numeric)');
  await pglite.exec('CREATE TABLE drizzle (amount numeric)');
  const columns = { amount: { type: /** @type {const} */ ('numeric'), primary: true } };
  const entities = [new EntitySchema({ name: 'typeorm', columns })];
  const typeorm = new DataSource({ type: 'postgres', ...options, entities, synchronize: true });
  await typeorm.initialize();
  const sequelize = new Sequelize({ dialect: 'postgres', logging: false, ...options });
  const Credit = sequelize.define('sequelize', { amount: DataTypes.DECIMAL });
  await Credit.sync();
  return { server, pool, pglite, sql: postgresJs(options), typeorm, sequelize, Credit };
}

describe('PostgreSQL', { skip: whyNoPostgres() }, () => {
  /** @type {Awaited<ReturnType<typeof openDatabases>>} */
  let on;
  before(async () => {
    on = await openDatabases();
  });
  after(async () => {
    const { server, pool, pglite, sql, typeorm, sequelize } = on;
    await Promise.all([pool.end(), pglite.close(), sql.end(), typeorm.destroy()]);
    await sequelize.close();
    await server.remove();
  });

  const select = 'SELECT $1::numeric AS amount';
  /**
   * How each stores a value and reads it back.
   *
   * @type {Record<string, (value: any) => Promise<any[]>>}
   */
  const DRIVERS = {
    pg: async (value) => (await on.pool.query(select, [value])).rows,
    'postgres.js': async (value) => [...(await on.sql`SELECT ${value}::numeric AS amount`)],
    pglite: async (value) => (await on.pglite.query(select, [value])).rows,
    async kysely(value) {
      /** @type {Kysely<{ kysely: { amount: unknown } }>} */
      const db = new Kysely({ dialect: new PostgresDialect({ pool: on.pool }) });
      return db.insertInto('kysely').values({ amount: value }).returningAll().execute();
    },
    async drizzle(value) {
      const table = pgTable('drizzle', { amount: numeric() });
      return drizzle(on.pglite).insert(table).values({ amount: value }).returning();
    },
    async typeorm(value) {
      const credits = on.typeorm.getRepository('typeorm');
      await credits.insert({ amount: value });
      return credits.find();
    },
    async sequelize(value) {
      const id = (await on.Credit.create({ amount: value })).get('id');
      return on.Credit.findAll({ where: { id }, attributes: ['amount'], raw: true });
    },
  };
  for (const [name, store] of Object.entries(DRIVERS)) {
    const isRefused = ['pg', 'kysely', 'typeorm'].includes(name);
    test(`${name} keeps text${isRefused ? ', and refuses' : ' and'} a Decimal`, async () => {
      assert.deepEqual(await store(`${amount}`), [{ amount: `${amount}` }]);
      if (isRefused) await assert.rejects(store(amount), /invalid input syntax for type numeric/);
      else assert.deepEqual(await store(amount), [{ amount: `${amount}` }]);
    });
  }

  test('the number mode of Drizzle and the sum of Sequelize are rounded', async () => {
    const table = pgTable('drizzle', { amount: numeric({ mode: 'number' }) });
    const [row] = await drizzle(on.pglite).select().from(table);
    assert.deepEqual(row, { amount: amount.toNumber() });
    assert.equal(await on.Credit.sum('amount'), amount.times(2).toNumber());
  });

  test('a constraint on the scale refuses what numeric(20, 8) rounds', async () => {
    await on.pool.query(
      'CREATE TABLE scaled (amount numeric CHECK (scale(trim_scale(amount)) <= 8), rounded numeric(20, 8))',
    );
    const insert = (/** @type {string} */ column, /** @type {string} */ value) =>
      on.pool.query(`INSERT INTO scaled (${column}) VALUES ($1) RETURNING ${column}`, [value]);
    await assert.rejects(insert('amount', `${amount}`), /violates check constraint/);
    assert.deepEqual((await insert('amount', '0.1234567800')).rows, [{ amount: '0.1234567800' }]);
    assert.deepEqual((await insert('rounded', `${amount}`)).rows, [{ rounded: '0.12345679' }]);
  });

  test('jsonb refuses bodies that the parser reads without a warning; bytea, text and json keep them', async () => {
    for (const unknown of ['"\\u0000"', '"\\ud800"', '1e200000']) {
      const body = depositReceivedBody().replace('{', `{"unknown":${unknown},`);
      assert.deepEqual(parseDepositReceived(body).warnings, []);
      const store = (/** @type {string} */ type) =>
        on.pool.query(`SELECT $1::${type} AS body`, [type === 'bytea' ? Buffer.from(body) : body]);
      await assert.rejects(store('jsonb'), pg.DatabaseError, unknown);
      for (const type of ['bytea', 'text', 'json']) assert.equal((await store(type)).rowCount, 1);
    }
  });
});
