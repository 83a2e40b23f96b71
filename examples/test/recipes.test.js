// The recipes of docs/recipes.md, on their databases.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import mysql from 'mysql2/promise';
import { Decimal, parseDepositReceived } from 'payment-notifications';
import { createStore } from 'payment-notifications/store';
import { depositReceivedBody, handlerTests } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { createBucketStore } from '../start/bucket-store.mjs';
import { blockOn, copied, filesOn } from './code.js';
import { writeRecipes } from './handlers.js';
import { openFolder, replaced, SCHEMA, SETTLE, settleWith } from './merchant.js';
import { startPostgres } from './postgres.js';
import { MARIADBD, whyNoMariaDb, whyNoPostgres } from './programs.js';
import { atExit, SECRET, startServer, until } from './server.js';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { SavedBody, Store, WaitingBody } from 'payment-notifications/receiver' */
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

const NAME = 'deposit.received.7.ea5dbf9596d187e9'; // with the digest of the body

/** What a receiver needs of a store. Leaves only what is for review. @param {Store} store */
async function tryStore(store) {
  const body = new Uint8Array([0xff, 0]); // no text
  /** @param {SavedBody['to']} to @param {WaitingBody} [from] */
  const save = (to, from) =>
    store.save({
      to,
      name: NAME,
      body,
      key: null,
      reason: to === 'progress' ? '' : `for ${to}`,
      from,
    });
  let earliest = Date.now() - 25;
  /** Where it waits: its claim, if it has one, which has begun since the last time. */
  async function waiting() {
    const listed = await store.list();
    assert.deepEqual(new Set(listed.map((one) => one.name)), new Set([NAME]));
    const found = listed.find(({ place }) => place === 'progress') ?? listed[0];
    assert(found);
    assert(Number(found.since) >= earliest && Number(found.since) <= Date.now() + 1);
    assert.deepEqual(new Uint8Array((await store.read(NAME)) ?? []), body);
    await sleep(50);
    earliest = Date.now() - 25; // the time of a file is a few milliseconds behind
    return found;
  }
  async function assertWaits(/** @type {WaitingBody['place']} */ place, tries = 0) {
    const found = await waiting();
    assert.deepEqual({ place: found.place, tries: found.tries }, { place, tries });
    return found;
  }
  async function assertNothingWaits() {
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.read(NAME), null);
  }

  await assertNothingWaits();
  await save('progress');
  const first = await assertWaits('progress', 1);
  await save('progress', first);
  const second = await assertWaits('progress', 2);
  // A store need not notice it, but may.
  assert.notEqual(await save('progress', second), false);
  await assertWaits('progress', 3);
  await save('progress'); // delivered again
  await assertWaits('progress', 3);
  await save('retry');
  await save('progress', await assertWaits('retry'));
  await assertWaits('progress', 1);
  await save('retry');
  await save('progress'); // delivered again
  await assertWaits('progress', 1);
  for (let count = 0; count < 2; count += 1) await store.remove(NAME);
  await assertNothingWaits();

  for (const to of /** @type {const} */ (['retry', 'review'])) await save(to);
  await assertNothingWaits();
  await save('progress'); // delivered again, while someone decides
  await save('retry');
  await assertNothingWaits();
  await store.remove(NAME);
  for (const to of /** @type {const} */ (['progress', 'review'])) await save(to);
  await assertNothingWaits();
}

test('a bucket is a store', async () => {
  /** @type {Map<string, { content: Uint8Array, at: Date }>} */
  const files = new Map();
  await tryStore(
    createBucketStore({
      put: async (path, content) =>
        files.set(path, { content: new Uint8Array(Buffer.from(content)), at: new Date() }),
      get: async (path) => files.get(path)?.content ?? null,
      list: async (prefix) =>
        [...files].flatMap(([path, { at }]) => (path.startsWith(prefix) ? [{ path, at }] : [])),
      delete: async (path) => files.delete(path),
    }),
  );
  const paths = ['json', 'txt'].map((ending) => `review/${NAME}.${ending}`);
  assert.deepEqual([...files.keys()].sort(), paths);
});

test('two deliveries, a round and a kill leave a body in a bucket, whatever comes first', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    let state = seed;
    /** Of a generator by Lehmer, so that a failure can be repeated. @param {number} count */
    const random = (count) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % count;
    };
    /** @type {Map<string, { content: Uint8Array, at: Date }>} */
    const files = new Map();
    /** Operations that a process waits for. @type {{ of: number, begin: () => void }[]} */
    const pending = [];
    /** @param {number} of @returns {Store} */
    const storeOf = (of) => {
      /** @type {<T>(operation: () => T) => Promise<T>} */
      const inTurn = (operation) =>
        new Promise((resolve) => pending.push({ of, begin: () => resolve(operation()) }));
      return createBucketStore({
        put: (path, content) =>
          inTurn(() => files.set(path, { content: Buffer.from(content), at: new Date() })),
        get: (path) => inTurn(() => files.get(path)?.content ?? null),
        list: (prefix) =>
          inTurn(() =>
            [...files].flatMap(([path, { at }]) => (path.startsWith(prefix) ? [{ path, at }] : [])),
          ),
        delete: (path) => inTurn(() => files.delete(path)),
      });
    };

    const [body, ends] = [new Uint8Array([7]), /** @type {const} */ (['retry', 'review'])];
    let isSaved = false;
    /** @param {Store} store @param {WaitingBody} [from] */
    async function settle(store, from) {
      await store.save({ to: 'progress', name: NAME, body, key: null, reason: '', from });
      isSaved = true;
      const to = ends[random(2)] ?? 'retry';
      await store.save({ to, name: NAME, body, key: null, reason: 'none' });
    }
    for (const of of [0, 1]) settle(storeOf(of));
    const round = storeOf(2);
    round.list().then(([from]) => from && settle(round, from));

    const [killed, at] = [random(3), random(30)];
    for (let step = 0; pending.length > 0; step += 1) {
      const [next] = pending.splice(random(pending.length), 1);
      if (next?.of !== killed || step < at) next?.begin();
      await new Promise(setImmediate);
      const isSomewhere = [...files.keys()].some((path) => path.endsWith('.json'));
      assert(isSomewhere || !isSaved, `nowhere at step ${step} of seed ${seed}`);
    }
  }
});

test('a folder is a store', async () => {
  const path = join(folder.path, 'own-folder');
  await tryStore(createStore(path));
  assert.deepEqual(fs.readdirSync(join(path, 'review')), [`${NAME}.json`, `${NAME}.txt`]);
});

test('a table is a store', { skip: whyNoPostgres() }, async () => {
  await postgres.query(copied('table-store.sql'));
  const { store } = await import('../start/table-store.mjs'); // reads STORE_URL
  await tryStore(store);
  const rows = await postgres.query('SELECT place, name, reason FROM webhook');
  assert.deepEqual(rows, [{ place: 'review', name: NAME, reason: 'for review' }]);
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
