// The recipes of docs/recipes.md, on their databases.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import mysql from 'mysql2/promise';
import { Decimal, parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody, handlerTests } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { filesOn } from '../../scripts/pages/code.js';
import { createBucketStore } from '../start/bucket-store.mjs';
import { writeRecipes } from './handlers.js';
import { blockOn, copied, openFolder, replaced, SCHEMA, SETTLE, settleWith } from './merchant.js';
import { startPostgres } from './postgres.js';
import { MARIADBD, whyNoMariaDb, whyNoPostgres } from './programs.js';
import { atExit, SECRET, startServer, until } from './server.js';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { SavedBody, Store } from 'payment-notifications/receiver' */
/** @import { Server } from './server.js' */

/**
 * @typedef {object} Tables A merchant's database, in the hands of a test.
 * @property {(sql: string) => Promise<Record<string, any>[]>} query
 * @property {(currency: string) => string} balances Selects each `amount`.
 * @property {(one: PaymentNotification) => string[]} order Makes an order known, and gives its
 *   customer enough for a debit.
 * @property {(part: 'keys' | 'balances') => [fail: string[], mend: string[]]} broken
 */

register();
const folder = openFolder();
after(folder.remove);
/** @type {Awaited<ReturnType<typeof startPostgres>>} */
let postgres;
before(async () => {
  writeRecipes(folder.url);
  fs.writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }');
  if (whyNoPostgres()) return;
  postgres = await startPostgres();
  process.env.DATABASE_URL = postgres.url;
  process.env.STORE_URL = postgres.url;
});
after(() => postgres?.remove());

/** A module of a recipe. @param {string} name @returns {Promise<any>} */
const load = (name) => import(new URL(name, folder.url).href);

/** A merchant's orders. A text of MySQL needs a length to be a key. */
const ORDERS = `
  CREATE TABLE invoice (number varchar(200) PRIMARY KEY, customer_id bigint NOT NULL);
  CREATE TABLE payout (number varchar(200) PRIMARY KEY, customer_id bigint NOT NULL);`;
const WALLET = `CREATE TABLE wallet (
  customer_id bigint, coin text, total numeric NOT NULL CHECK (total >= 0),
  PRIMARY KEY (customer_id, coin)
)`;

const LEDGER = filesOn('docs/credit-once.md').get('ledger.ts') ?? '';

/** The ledger of the page Credit once, with the statement of a recipe. */
const withOwnTables = () => {
  const [moved = ''] = /moved AS.*?^ {2}\)\n/ms.exec(SETTLE) ?? [];
  const updated = blockOn('docs/recipes.md', '  updated AS').trimStart();
  const find = blockOn('docs/credit-once.md', 'async function customerOf');
  return {
    'ledger.ts': LEDGER,
    'postgres.mjs': copied('postgres.mjs'),
    'settle.mjs': settleWith(find, replaced(SETTLE, moved, updated)),
  };
};

/** The same with another database. @param {'mysql' | 'sqlite'} database */
const withDatabase = (database) => {
  const own = replaced(LEDGER, '{ pool }', '{ database }');
  const ledger = replaced(own, './postgres.mjs', `./${database}.mjs`);
  return {
    'ledger.ts': replaced(ledger, 'createSettle(pool)', 'createSettle(database)'),
    [`${database}.mjs`]: copied(`${database}.mjs`),
    'settle.mjs': settleWith(blockOn('docs/recipes.md', 'async function customerOf')),
  };
};

/** Every order is of customer 7. @param {PaymentNotification} one */
const insertOrder = (one) =>
  one.type === 'deposit.received'
    ? `INSERT INTO invoice VALUES ('${one.clientPaymentId}', 7)`
    : `INSERT INTO payout VALUES ('${one.clientWithdrawalId}', 7)`;

/** The tables of mysql.sql and sqlite.sql, which a trigger breaks. */
const OWN = {
  /** @param {string} currency */
  balances: (currency) => `SELECT amount FROM balance WHERE currency = '${currency}'`,
  /** @param {PaymentNotification} one */
  order: (one) => [insertOrder(one)],

  /** @param {string} failure @returns {Tables['broken']} */
  brokenBy: (failure) => (part) => {
    const table = part === 'keys' ? 'event' : 'balance';
    const create = (/** @type {string} */ event) =>
      `CREATE TRIGGER broken_${event} BEFORE ${event} ON ${table} FOR EACH ROW ${failure}`;
    return [
      [create('INSERT'), create('UPDATE')],
      ['DROP TRIGGER broken_INSERT', 'DROP TRIGGER broken_UPDATE'],
    ];
  },
};

/**
 * Files of a merchant, by all tests of a handler.
 *
 * @param {string} database
 * @param {Record<string, string | undefined>} files
 * @param {Tables} tables
 * @param {Record<string, string>} [env]
 */
function testFiles(database, files, { query, balances, order, broken }, env = {}) {
  const cwd = join(folder.path, `with-${database}`);
  /** @type {Server} */
  let server;
  before(async () => {
    fs.mkdirSync(cwd, { recursive: true });
    const page = filesOn('docs/frameworks.md');
    for (const [name, text = ''] of Object.entries({
      ...files,
      'receiver.ts': page.get('receiver.ts'),
      'server.ts': replaced(page.get('express.ts') ?? '', '3000', '0'),
    }))
      fs.writeFileSync(join(cwd, name), text);
    const command = ['node', '--import', 'tsx', 'server.ts'];
    server = await startServer(command, { cwd: pathToFileURL(`${cwd}/`), env });
  });
  after(async () => assert.equal(await server.stop(), 0));
  /** @param {string[]} statements */
  async function run(statements) {
    for (const sql of statements) await query(sql);
  }
  const tests = handlerTests({
    url: () => server.url,
    async balance(currency) {
      const rows = await query(balances(currency));
      return Decimal.sum(0, ...rows.map(({ amount }) => amount));
    },
    kept: async () =>
      fs.readdirSync(join(cwd, 'webhooks/review')).filter((name) => name.endsWith('.json')).length,
    prepare: (notifications) => run(notifications.flatMap(order)),
    async breakDatabase(part) {
      const [fail, mend] = broken(part);
      await run(fail);
      return () => run(mend);
    },
  });
  for (const one of tests) test(one.name, one.run);
}

describe('a database', { concurrency: true }, () => {
  describe('your own tables', { skip: whyNoPostgres(), concurrency: 1 }, () => {
    before(async () => {
      await postgres.query(`${ORDERS} ${WALLET}`);
      await postgres.query(SCHEMA.replace(/^CREATE TABLE balance .*?;$/ms, ''));
    });
    testFiles('postgres', withOwnTables(), {
      query: (sql) => postgres.query(sql),
      balances: (currency) => `SELECT total AS amount FROM wallet WHERE coin = '${currency}'`,
      order(one) {
        if (one.type === 'deposit.received') return [insertOrder(one)];
        const fund = `INSERT INTO wallet VALUES (7, upper('${one.withdrawCurrency}'), 1e18)`;
        return [insertOrder(one), `${fund} ON CONFLICT DO NOTHING`]; // enough for a debit
      },
      broken(part) {
        const table = part === 'keys' ? 'event' : 'wallet';
        return [[`ALTER TABLE ${table} RENAME TO away`], [`ALTER TABLE away RENAME TO ${table}`]];
      },
    });
    after(() => postgres.query('DROP TABLE orders, event'));
  });

  describe('MySQL and MariaDB', { skip: whyNoMariaDb(), concurrency: 1 }, () => {
    /** @type {mysql.Connection} */
    let connection;
    const data = fs.mkdtempSync(join(tmpdir(), 'mariadb-'));
    const socketPath = join(data, 'socket');
    const options = [`--datadir=${data}`, '--user=mysql'];
    /** @type {import('node:child_process').ChildProcess} */
    let server;
    before(async () => {
      execFileSync('chown', ['mysql', data]);
      const install = ['--auth-root-authentication-method=normal', '--skip-test-db', ...options];
      execFileSync('mariadb-install-db', ['--no-defaults', ...install], { stdio: 'ignore' });
      const own = [`--socket=${socketPath}`, '--skip-networking', ...options];
      server = spawn(MARIADBD, ['--no-defaults', ...own], { stdio: 'ignore' });
      atExit(() => server.kill('SIGKILL'));
      const user = { user: 'root', socketPath, multipleStatements: true };
      const connect = async () => {
        connection = await mysql.createConnection(user);
      };
      await until(() =>
        connect().then(
          () => true,
          () => false,
        ),
      );
      await connection.query('CREATE DATABASE merchant COLLATE utf8mb4_bin; USE merchant');
      await connection.query(ORDERS);
      await connection.query(copied('mysql.sql'));
    });
    after(async () => {
      await connection?.end();
      server.kill();
      await once(server, 'exit');
      fs.rmSync(data, { recursive: true });
    });
    const url = `mysql://root@localhost/merchant?socketPath=${encodeURIComponent(socketPath)}`;
    testFiles(
      'mysql',
      withDatabase('mysql'),
      {
        ...OWN,
        query: async (sql) => /** @type {any[]} */ ((await connection.query(sql))[0]),
        broken: OWN.brokenBy("SIGNAL SQLSTATE '45000'"),
      },
      { DATABASE_URL: url },
    );
  });

  // By libsql, which has SQLite and the interface of better-sqlite3, but needs no compiler.
  describe('SQLite', { concurrency: 1 }, () => {
    /** @type {Database.Database} */
    let database;
    before(() => {
      const cwd = join(folder.path, 'with-sqlite');
      fs.mkdirSync(cwd);
      database = new Database(join(cwd, 'test.db'));
      database.exec(ORDERS + copied('sqlite.sql'));
    });
    after(() => database.close());
    testFiles(
      'sqlite',
      withDatabase('sqlite'),
      {
        ...OWN,
        async query(sql) {
          const statement = database.prepare(sql);
          if (statement.reader) return /** @type {any[]} */ (statement.all());
          statement.run();
          return [];
        },
        broken: OWN.brokenBy("BEGIN SELECT RAISE(ABORT, 'broken by a test'); END"),
      },
      { DATABASE_FILE: 'test.db' },
    );
  });
});

/** @type {Pick<SavedBody, 'to' | 'name' | 'reason'>} */
const REVIEW = { to: 'review', name: 'refused.0123456789abcdef', reason: 'invalid JSON' };

/** What a receiver needs of a store. Leaves only what is for review. @param {Store} store */
async function tryStore(store) {
  /** @type {SavedBody} */
  const failed = {
    ...{ to: 'retry', name: 'deposit.received.7.0123456789abcdef', key: null },
    ...{ body: new Uint8Array([0xff, 0]), reason: 'the database is down' }, // no text
  };
  for (const saved of [failed, failed, { ...failed, ...REVIEW }]) await store.save(saved);
  assert.deepEqual(await store.list(), [failed.name]);
  assert.deepEqual(new Uint8Array((await store.read(failed.name)) ?? []), failed.body);
  assert.equal(await store.read(REVIEW.name), null);
  for (let count = 0; count < 2; count += 1) await store.remove(failed.name);
  assert.deepEqual(await store.list(), []);
}

test('a bucket is a store', async () => {
  /** @type {Map<string, string | Uint8Array>} */
  const files = new Map();
  await tryStore(
    createBucketStore({
      put: async (path, content) => files.set(path, content),
      get: async (path) => /** @type {Uint8Array | null} */ (files.get(path) ?? null),
      list: async (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
      delete: async (path) => files.delete(path),
    }),
  );
  const name = `review/${REVIEW.name}`;
  assert.deepEqual([...files.keys()], [`${name}.txt`, `${name}.json`]);
});

test('a table is a store', { skip: whyNoPostgres() }, async () => {
  await postgres.query(copied('table-store.sql'));
  const { store } = await import('../start/table-store.mjs'); // reads STORE_URL
  await tryStore(store);
  const rows = await postgres.query('SELECT folder, name, reason FROM webhook');
  assert.deepEqual(rows, [{ folder: 'review', name: REVIEW.name, reason: REVIEW.reason }]);
});

test('a retry helper lets NeedsReview through', async () => {
  const { credit } = await load('retry/ledger.ts');
  const { calls } = await load('retry/own-ledger.ts');
  const deposit = parseDepositReceived(depositReceivedBody());
  await assert.rejects(credit(deposit, { key: 'key', body: new Uint8Array() }), {
    name: 'NeedsReview',
  });
  assert.deepEqual(calls, ['key']);
});

test('a queue, and the state of an order', { skip: whyNoPostgres() }, async () => {
  await postgres.query(SCHEMA);
  await postgres.query(
    "INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7')",
  );
  process.env.CALLBACK_SECRET = SECRET;
  process.chdir(folder.path);
  const { receiver } = await load('queue/receiver.ts');
  const { stateOf } = await load('paid/paid.ts');
  const due = { currency: 'BTC', amount: '0.03' };
  for (const seed of [0, 1, 1]) {
    const body = depositReceivedBody({ clientPaymentId: 'order-10042' }, { seed });
    assert.equal(await receiver.settle(body), 'settled');
  }
  assert.equal(await stateOf('order-10042', due), 'underpaid by 0.03');
  await load('queue/worker.ts'); // settles what is on the queue
  assert.equal(await stateOf('order-10042', due), 'overpaid by 0.00046');
  assert.equal(await stateOf('order-10042', { ...due, amount: '0.03046' }), 'paid');
});
