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
import { parseDepositReceived } from 'payment-notifications';
import { createReceiver, NeedsReview } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { blocksOn, filesOn } from '../../scripts/pages/code.js';
import { createBucketStore } from '../start/bucket-store.mjs';
import { writeRecipes } from './handlers.js';
import { renamed, testsOf } from './kit.js';
import { openFolder, replaced, SCHEMA, SETTLE } from './merchant.js';
import { startPostgres } from './postgres.js';
import { MARIADBD, whyNoMariaDb, whyNoPostgres } from './programs.js';
import { atExit, SECRET, startServer, until } from './server.js';

/** @import { Bucket } from '../start/bucket-store.mjs' */
/** @import { Tables } from './kit.js' */
/** @import { Server } from './server.js' */

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

/** A file to copy. @param {string} name */
const copied = (name) => fs.readFileSync(new URL(`../start/${name}`, import.meta.url), 'utf8');

const pages = {
  creditOnce: blocksOn('docs/credit-once.md'),
  recipes: blocksOn('docs/recipes.md'),
};
/**
 * The block that starts with a text.
 *
 * @param {'creditOnce' | 'recipes'} page
 * @param {string} start
 */
const blockOf = (page, start) => {
  const found = pages[page].filter(({ code }) => code.startsWith(start));
  assert.equal(found.length, 1, start);
  return `${found[0]?.code}`;
};
const OWN_FIND = /^async function customerOf.*?^}\n/ms.exec(SETTLE)?.[0] ?? '';
const ledger = filesOn('docs/credit-once.md').get('ledger.ts') ?? '';

/** The ledger of the page Credit once, with the statement of a recipe. */
const withOwnTables = () => {
  const find = blockOf('creditOnce', 'async function customerOf');
  const moved = /moved AS.*?^ {2}\)\n/ms.exec(SETTLE)?.[0] ?? '';
  const settle = replaced(SETTLE, moved, blockOf('recipes', '  updated AS').trimStart());
  return {
    'ledger.ts': ledger,
    'postgres.mjs': copied('postgres.mjs'),
    'settle.mjs': replaced(settle, OWN_FIND, find),
  };
};

/** The same with another database. @param {'mysql' | 'sqlite'} database */
const withDatabase = (database) => {
  const own = replaced(
    ledger,
    "{ pool } from './postgres.mjs'",
    `{ database } from './${database}.mjs'`,
  );
  return {
    'ledger.ts': replaced(own, 'createSettle(pool)', 'createSettle(database)'),
    [`${database}.mjs`]: copied(`${database}.mjs`),
    'settle.mjs': replaced(SETTLE, OWN_FIND, blockOf('recipes', 'async function customerOf')),
  };
};

/** The tables of mysql.sql and sqlite.sql, which a trigger breaks. */
const OWN = {
  /** @param {string} currency */
  balances: (currency) => `SELECT amount FROM balance WHERE currency = '${currency}'`,
  order: insertOrder,
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

/** @param {boolean} isDeposit @param {string} id */
function insertOrder(isDeposit, id) {
  return [`INSERT INTO ${isDeposit ? 'invoice' : 'payout'} VALUES ('${id}', 7)`];
}

/**
 * Files of a merchant, by all tests of a handler.
 *
 * @param {string} database
 * @param {Record<string, string | undefined>} files
 * @param {Tables} tables
 * @param {Record<string, string>} [env]
 */
function testFiles(database, files, tables, env = {}) {
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
  const tests = testsOf(
    () => server.url,
    () => cwd,
    tables,
  );
  for (const { name, run } of tests) test(name, run);
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
      order: (isDeposit, id, one) => [
        ...insertOrder(isDeposit, id),
        // Enough for a debit.
        ...(one.type === 'deposit.received'
          ? []
          : [
              `INSERT INTO wallet VALUES (7, upper('${one.withdrawCurrency}'), 1e18) ON CONFLICT DO NOTHING`,
            ]),
      ],
      broken: (part) => renamed(part === 'keys' ? 'event' : 'wallet'),
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

/**
 * What a receiver does with a store: a webhook that fails once, one for review, and a faulty one.
 *
 * @param {import('payment-notifications/receiver').Store} store
 */
async function tryStore(store) {
  let isDown = true;
  /** @type {string[]} */
  const settled = [];
  const receiver = createReceiver({
    secret: null,
    store,
    log() {},
    async onDepositReceived({ clientPaymentId }, { key }) {
      if (clientPaymentId === 'unknown') throw new NeedsReview('the order is unknown');
      if (isDown) throw new Error('the database is down');
      settled.push(key);
    },
  });
  const bodies = [{}, { clientPaymentId: 'unknown' }].map((fields, seed) =>
    depositReceivedBody(fields, { seed }),
  );
  for (const body of [...bodies, ...bodies, '{}']) await receiver.settle(body);
  const [name = '', ...others] = await store.list();
  assert.match(name, /^deposit\.received\.[0-9a-f-]{36}\.[0-9a-f]{16}$/);
  assert.deepEqual(others, []);
  assert.equal(`${Buffer.from((await store.read(name)) ?? [])}`, bodies[0]);
  assert.equal(await store.read('none'), null);
  isDown = false;
  await receiver.retry();
  assert.equal(settled.length, 1);
  assert.deepEqual(await store.list(), []);
  await store.remove(name);
}

test('a bucket is a store', async () => {
  /** @type {Map<string, string | Uint8Array>} */
  const files = new Map();
  /** @type {Bucket} */
  const bucket = {
    put: async (path, content) => files.set(path, content),
    get: async (path) => /** @type {Uint8Array | null} */ (files.get(path) ?? null),
    list: async (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
    delete: async (path) => files.delete(path),
  };
  await tryStore(createBucketStore(bucket));
  assert.deepEqual([...files.keys()].map((path) => path.replace(/\..*\./, '.')).sort(), [
    ...['review/deposit.json', 'review/deposit.txt', 'review/refused.json', 'review/refused.txt'],
  ]);
});

test('a table is a store', { skip: whyNoPostgres() }, async () => {
  await postgres.query(copied('table-store.sql'));
  const { store } = await import('../start/table-store.mjs'); // reads STORE_URL
  await tryStore(store);
  const rows = await postgres.query('SELECT folder, reason FROM webhook ORDER BY reason');
  assert.deepEqual(
    rows.map(({ folder }) => folder),
    ['review', 'review'],
  );
  assert.match(rows[0].reason, /refused/);
  assert.equal(rows[1].reason, 'the order is unknown');
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
