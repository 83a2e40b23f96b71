// The ledgers of the page Databases, and each place of webhooks, by the tests of a handler. Those
// of the page Testing test server.mjs.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import mysql from 'mysql2/promise';
import { Decimal } from 'payment-notifications';
import { deliver, depositReceivedBody, handlerTests } from 'payment-notifications/testing';
import pg from 'pg';
import { copied, filesOn } from './code.js';
import { openFolder, replaced, SCHEMA } from './merchant.js';
import { startPostgres } from './postgres.js';
import { findPostgres, MARIADBD, whyNoMariaDb, whyNoPostgres, whyNoSqlite } from './programs.js';
import { atExit, startServer, until } from './server.js';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { Server } from './server.js' */

const FRAMEWORKS = filesOn('docs/frameworks.md');
const RECEIVER = FRAMEWORKS.get('receiver.ts') ?? '';
const PAGE = filesOn('docs/databases.md');

/**
 * @typedef {object} Tables A merchant's database, in the hands of a test.
 * @property {(sql: string) => Promise<Record<string, any>[]>} query
 * @property {(currency: string) => string} balances Selects each `amount`.
 * @property {(one: PaymentNotification) => string[]} order Makes an order known, and gives its
 *   customer enough for a debit.
 * @property {(part: 'keys' | 'balances') => [fail: string[], mend: string[]]} broken
 * @property {(sql: string) => Promise<unknown>} byHand Runs statements as a shell does.
 */

const folder = openFolder();
after(folder.remove);

/** A merchant's orders. A text of MySQL needs a length to be a key. */
const ORDERS = `
  CREATE TABLE invoice (number varchar(200) PRIMARY KEY, customer_id bigint NOT NULL);
  CREATE TABLE payout (number varchar(200) PRIMARY KEY, customer_id bigint NOT NULL);`;

/** Every order is of customer 7. @param {PaymentNotification} one */
const insertOrder = (one) =>
  one.type === 'deposit.received'
    ? `INSERT INTO invoice VALUES ('${one.clientPaymentId}', 7)`
    : `INSERT INTO payout VALUES ('${one.clientWithdrawalId}', 7)`;

/** The receiver of the pages, with a store of another module. @param {string} module */
function receiverWith(module) {
  const own = replaced(RECEIVER, "createStore('webhooks')", 'store');
  return replaced(
    own,
    "createStore } from 'payment-notifications/store'",
    `store } from '${module}'`,
  );
}

/** The files of a merchant with MySQL or SQLite. @param {'mysql' | 'sqlite'} name */
const filesFor = (name) => ({
  'ledger.ts': PAGE.get('ledger.ts') ?? '',
  'settle.mjs': copied('settle.mjs'),
  'database.mjs': copied(`${name}.mjs`),
});

/** The tables of mysql.sql and sqlite.sql, which a trigger breaks. @param {string} failure */
const ownTables = (failure) => ({
  /** @param {string} currency */
  balances: (currency) => `SELECT amount FROM balance WHERE currency = '${currency}'`,
  /** @param {PaymentNotification} one */
  order: (one) => [insertOrder(one)],
  /** @type {Tables['broken']} */
  broken(part) {
    const table = part === 'keys' ? 'event' : 'balance';
    const events = ['INSERT', 'UPDATE'];
    return [
      events.map(
        (event) =>
          `CREATE TRIGGER broken_${event} BEFORE ${event} ON ${table} FOR EACH ROW ${failure}`,
      ),
      events.map((event) => `DROP TRIGGER broken_${event}`),
    ];
  },
});

/**
 * Files of a merchant, by all tests of a handler.
 *
 * @param {'postgres' | 'mysql' | 'sqlite'} database
 * @param {() => Record<string, string>} files
 * @param {Tables} tables
 * @param {(cwd: string) => number | Promise<number>} kept How many webhooks are for review.
 * @param {() => Record<string, string>} env
 */
function testFiles(database, files, tables, kept, env) {
  const { query, balances, order, broken, byHand } = tables;
  const cwd = new URL(`with-${database}/`, folder.url);
  /** @type {Server} */
  let server;
  before(async () => {
    fs.mkdirSync(new URL('bucket', cwd), { recursive: true });
    const express = replaced(FRAMEWORKS.get('express.ts') ?? '', '3000', '0');
    const stop = copied('stop.mjs');
    const own = { 'receiver.ts': RECEIVER, 'server.ts': express, 'stop.mjs': stop, ...files() };
    for (const [name, text] of Object.entries(own)) fs.writeFileSync(new URL(name, cwd), text);
    server = await startServer(['node', '--import', 'tsx', 'server.ts'], { cwd, env: env() });
  });
  after(async () => assert.equal(await server.stop(), 0));
  /** @param {string[]} statements */
  async function run(statements) {
    for (const sql of statements) await query(sql);
  }
  /** @param {string} currency */
  async function balance(currency) {
    const rows = await query(balances(currency));
    return Decimal.sum(0, ...rows.map(({ amount }) => amount));
  }
  const countKept = async () => kept(fileURLToPath(cwd));
  const tests = handlerTests({
    url: () => server.url,
    balance,
    kept: countKept,
    prepare: (notifications) => run(notifications.flatMap(order)),
    async breakDatabase(part) {
      const [fail, mend] = broken(part);
      await run(fail);
      return () => run(mend);
    },
  });
  for (const one of tests) test(one.name, one.run);

  /**
   * @param {string} clientPaymentId
   * @param {number} seed
   * @param {{ depositId?: string }} [fields]
   */
  async function deposit(clientPaymentId, seed, fields) {
    const own = { ...fields, clientPaymentId, actualDepositAmount: '0.01523' };
    const body = depositReceivedBody(own, { seed });
    const { delivered, attempts } = await deliver(body, { url: server.url });
    assert(delivered, `${JSON.stringify(attempts)} ${server.printed.slice(-3)}`);
  }
  test('an identifier is compared exactly', async () => {
    await query("INSERT INTO invoice VALUES ('exact-a', 9007199254740993)"); // no exact double
    const before = await countKept();
    for (const [seed, id] of ['EXACT-A', 'exact-a ', 'exact-á'].entries()) await deposit(id, seed);
    assert.equal(await countKept(), before + 3);
    await deposit('exact-a', 3);
    assert.equal(await countKept(), before + 3);
    const accounts = (await query('SELECT account FROM event')).map(({ account }) => account);
    assert(accounts.map(String).includes('9007199254740993'));
  });

  test('settling by hand counts once, and its webhook is a repeat', {
    skip: database === 'sqlite' && whyNoSqlite(),
  }, async () => {
    const statements =
      PAGE.get(`${database}/wallet-by-hand.sql`) ?? copied(`${database}-by-hand.sql`);
    await query("INSERT INTO invoice VALUES ('order-10042', 7)");
    const before = await countKept();
    const after = (await balance('BTC')).plus('0.01523').toString();
    await byHand(statements);
    assert.equal((await balance('BTC')).toString(), after);
    await byHand(statements);
    const depositId = '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
    await deposit('order-10042', 0, { depositId });
    assert.equal((await balance('BTC')).toString(), after);
    assert.equal(await countKept(), before);
    await byHand(statements.replaceAll('0.01523', '0.02'));
    assert.equal((await balance('BTC')).minus(after).toString(), '0.00477');
    await assert.rejects(byHand(statements.replaceAll('0.01523', '0,5')));
    assert.equal((await balance('BTC')).minus(after).toString(), '0.00477');
  });
}

/**
 * Runs statements in a database's shell.
 *
 * @param {string} shell @param {string} at @param {string} sql
 */
async function runShell(shell, at, sql) {
  const run = promisify(execFile)(shell, [at]);
  run.child.stdin?.end(sql);
  await run;
}

const REVIEWED = "SELECT count(*) FROM webhook WHERE place = 'review'";

describe('a database', { concurrency: true }, () => {
  describe('your own tables, and a table of webhooks', {
    skip: whyNoPostgres(),
    concurrency: 1,
  }, () => {
    /** @type {Awaited<ReturnType<typeof startPostgres>>} */
    let postgres;
    /** @type {pg.Pool} */
    let pool;
    before(async () => {
      postgres = await startPostgres();
      pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
      await postgres.query(SCHEMA.replace(/^CREATE TABLE balance .*?;$/ms, ''));
      await postgres.query(`${ORDERS} ${copied('table-store.sql')}
        CREATE TABLE wallet (
          customer_id bigint, coin text, total numeric NOT NULL CHECK (total >= 0),
          PRIMARY KEY (customer_id, coin)
        )`);
    });
    after(async () => {
      await pool?.end();
      await postgres?.remove();
    });
    testFiles(
      'postgres',
      () => ({
        'ledger.ts': PAGE.get('postgres/ledger.ts') ?? '',
        'settle.mjs': copied('settle.mjs'),
        'postgres.mjs': copied('postgres.mjs'),
        'table-store.mjs': copied('table-store.mjs'),
        'receiver.ts': receiverWith('./table-store.mjs'),
      }),
      {
        query: async (sql) => (await pool.query(sql)).rows,
        byHand: (sql) => runShell(join(findPostgres() ?? '', 'psql'), postgres.url, sql),
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
      },
      async () => Number((await pool.query(REVIEWED)).rows[0].count),
      () => ({ DATABASE_URL: postgres.url, STORE_URL: postgres.url }),
    );
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
      await connection.query('CREATE DATABASE merchant CHARACTER SET utf8mb4; USE merchant');
      await connection.query(ORDERS + copied('mysql.sql'));
    });
    after(async () => {
      await connection?.end();
      server.kill();
      await once(server, 'exit');
      fs.rmSync(data, { recursive: true });
    });
    testFiles(
      'mysql',
      () => filesFor('mysql'),
      {
        ...ownTables("SIGNAL SQLSTATE '45000'"),
        async byHand(sql) {
          for (const one of sql.split(/(?<=;\n)/))
            await connection.query(one).catch(async (error) => {
              await connection.query('ROLLBACK'); // as where the shell ends
              throw error;
            });
        },
        query: async (sql) => /** @type {any[]} */ ((await connection.query(sql))[0]),
      },
      (cwd) =>
        fs.readdirSync(join(cwd, 'webhooks/review')).filter((name) => name.endsWith('.json'))
          .length,
      () => {
        const path = encodeURIComponent(socketPath);
        return { DATABASE_URL: `mysql://root@localhost/merchant?socketPath=${path}` };
      },
    );
  });

  // By libsql, which has SQLite and the interface of better-sqlite3, but needs no compiler.
  describe('SQLite, and a bucket of webhooks', { concurrency: 1 }, () => {
    const file = join(folder.path, 'test.db');
    /** @type {Database.Database} */
    let database;
    before(() => {
      database = new Database(file);
      database.exec(ORDERS + copied('sqlite.sql'));
    });
    after(() => database.close());
    testFiles(
      'sqlite',
      () => ({
        ...filesFor('sqlite'),
        'bucket-store.mjs': copied('bucket-store.mjs'),
        'bucket.mjs': BUCKET,
        'receiver.ts': receiverWith('./bucket.mjs'),
      }),
      {
        ...ownTables("BEGIN SELECT RAISE(ABORT, 'broken by a test'); END"),
        byHand: (sql) => runShell('sqlite3', file, sql),
        async query(sql) {
          const statement = database.prepare(sql);
          if (statement.reader) return /** @type {any[]} */ (statement.all());
          statement.run();
          return [];
        },
      },
      (cwd) =>
        fs.readdirSync(join(cwd, 'bucket')).filter((name) => /^review%2F.*\.json$/.test(name))
          .length,
      () => ({ DATABASE_FILE: file }),
    );
  });
});

/** A bucket in a folder, which has one file for each path. No claim runs out here. */
const BUCKET = `import fs from 'node:fs/promises';
import { createBucketStore } from './bucket-store.mjs';

const fileOf = (path) => 'bucket/' + encodeURIComponent(path);

export const store = createBucketStore({
  put: (path, content) => fs.writeFile(fileOf(path), content),
  get: (path) => fs.readFile(fileOf(path)).catch(() => null),
  async list(prefix) {
    const paths = (await fs.readdir('bucket')).map(decodeURIComponent);
    return paths.filter((path) => path.startsWith(prefix)).map((path) => ({ path, at: new Date() }));
  },
  delete: (path) => fs.rm(fileOf(path), { force: true }),
});
`;
