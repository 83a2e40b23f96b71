// The ledgers and the adapters of the page Databases, and each place of webhooks, by the tests of a
// handler. Those of the page Testing test server.mjs.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import mysql from 'mysql2/promise';
import pRetry from 'p-retry';
import { Decimal } from 'payment-notifications';
import { createReceiver, NeedsReview } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import {
  depositReceivedBody,
  handlerTests,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { createBucketStore } from '../start/bucket-store.mjs';
import { DRIVERS, fileOf, PAGE, writeAdapters } from './adapters.js';
import { bucketOf } from './bucket.js';
import { copied, filesOn } from './code.js';
import { filesIn, openMerchant, SCHEMA, settleBy } from './merchant.js';
import { writePages } from './pages.js';
import { MARIADBD, postgresBin, whyNoPostgres, whyNot } from './programs.js';
import { atExit, SECRET, until } from './server.js';

/** @import { Receiver, Store } from 'payment-notifications/receiver' */
/** @import { Files } from './bucket.js' */

const DATABASES = filesOn('docs/databases.md');

register();
console.log = () => {}; // settle.mjs prints each event
const { folder, postgres, load } = await openMerchant();
writePages(folder);

/** A merchant's orders. A text of MySQL needs a length to be a key. */
const ORDERS = `
  CREATE TABLE invoice (number varchar(200) PRIMARY KEY, customer_id bigint NOT NULL);
  CREATE TABLE payout (number varchar(200) PRIMARY KEY, customer_id bigint NOT NULL);`;

/**
 * @typedef {object} Merchant A database and a place of webhooks, in the hands of a test.
 * @property {(sql: string) => Promise<Record<string, any>[]>} query
 * @property {[table: string, currency: string, amount: string]} balances
 * @property {string} failure What a trigger runs.
 * @property {() => Promise<Store>} store
 * @property {() => Promise<number>} kept How many webhooks are for review.
 * @property {[program: string, ...args: string[]]} shell
 */

/**
 * Tests a ledger of the page, with a store.
 *
 * @param {'postgres' | 'mysql' | 'sqlite'} database
 * @param {Merchant} merchant
 */
function testLedger(database, { query, balances, failure, store, kept, shell }) {
  /** @type {Receiver} */
  let receiver;
  before(async () => {
    const { credit, debit } = await load(`databases/${database}/ledger.ts`);
    const own = { secret: SECRET, store: await store(), log: () => {} };
    receiver = createReceiver({ ...own, onDepositReceived: credit, onWithdrawalBroadcast: debit });
  });
  const [table, code, total] = balances;
  /** @param {string} currency */
  async function balance(currency) {
    const rows = await query(
      `SELECT ${total} AS amount FROM ${table} WHERE ${code} = '${currency}'`,
    );
    return Decimal.sum(0, ...rows.map(({ amount }) => amount));
  }
  const tests = handlerTests({
    url: `http://localhost/callbacks/${SECRET}`,
    fetch: (url, request) => receiver.fetch(new Request(url, request)),
    balance,
    kept,
    async prepare(notifications) {
      for (const one of notifications) {
        const [orders, id] =
          one.type === 'deposit.received'
            ? ['invoice', one.clientPaymentId]
            : ['payout', one.clientWithdrawalId];
        await query(`INSERT INTO ${orders} VALUES ('${id}', 7)`);
        if (table !== 'wallet' || one.type === 'deposit.received') continue;
        const fund = `INSERT INTO wallet VALUES (7, upper('${one.withdrawCurrency}'), 1e18)`;
        await query(`${fund} ON CONFLICT DO NOTHING`); // enough for a debit
      }
    },
    async breakDatabase(part) {
      const broken = part === 'keys' ? 'event' : table;
      const where = database === 'postgres' ? `ON ${broken}` : '';
      const events = ['INSERT', 'UPDATE'];
      for (const event of events)
        await query(`CREATE TRIGGER broken_${event} BEFORE ${event} ON ${broken}
          FOR EACH ROW ${failure}`);
      return async () => {
        for (const event of events) await query(`DROP TRIGGER broken_${event} ${where}`);
      };
    },
  });
  for (const one of tests) test(one.name, one.run);

  test('an identifier is compared exactly', async () => {
    await query("INSERT INTO invoice VALUES ('exact-a', 9007199254740993)"); // no exact double
    for (const [seed, clientPaymentId] of ['EXACT-A', 'exact-a ', 'exact-á', 'exact-a'].entries()) {
      const body = depositReceivedBody({ clientPaymentId }, { seed });
      const outcome = clientPaymentId === 'exact-a' ? 'settled' : 'review';
      assert.equal(await receiver.settle(body), outcome, clientPaymentId);
    }
    const accounts = (await query('SELECT account FROM event')).map(({ account }) => account);
    assert(accounts.map(String).includes('9007199254740993'));
  });

  const byHand =
    DATABASES.get(`${database}/wallet-by-hand.sql`) ?? copied(`${database}-by-hand.sql`);
  testByHand(
    byHand,
    shell,
    () => balance('BTC'),
    async (body) => {
      await query("INSERT INTO invoice VALUES ('order-10042', 7)");
      assert.equal(await receiver.settle(body), 'settled');
    },
  );
}

/**
 * @param {string} statements
 * @param {Merchant['shell']} shell
 * @param {() => Promise<Decimal>} balance
 * @param {(body: string) => Promise<void>} settle
 */
function testByHand(statements, [program, ...args], balance, settle) {
  test('settling by hand counts once, may correct an amount, and its webhook is a repeat', {
    skip: whyNot(program),
  }, async () => {
    const before = await balance();
    const added = async () => (await balance()).minus(before).toString();
    const byHand = (/** @type {string} */ amount) => {
      const input = statements.replaceAll('0.01523', amount);
      execFileSync(program, args, { input, stdio: ['pipe', 'ignore', 'pipe'] });
    };
    for (const amount of ['0.01523', '0.01523', '0.02', '0.01523']) {
      byHand(amount);
      assert.equal(await added(), amount);
    }
    assert.throws(() => byHand('0,5'), /Command failed/); // after the old amount was subtracted
    assert.equal(await added(), '0.01523');
    await settle(depositReceivedBody());
    assert.equal(await added(), '0.01523');
  });
}

/** @type {Merchant['shell']} */
const psql = [postgresBin('psql'), postgres?.url];

describe('PostgreSQL', { skip: whyNoPostgres() }, () => {
  before(async () => {
    writeAdapters(new URL('databases/adapters/', folder));
    await postgres.query(`${SCHEMA} ${ORDERS} ${copied('table-store.sql')}
      CREATE TABLE wallet (
        customer_id bigint, coin text, total numeric NOT NULL CHECK (total >= 0),
        PRIMARY KEY (customer_id, coin)
      );
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`);
    process.env.STORE_URL = postgres.url;
  });

  describe('your own tables, and a table of webhooks', () =>
    testLedger('postgres', {
      query: (sql) => postgres.query(sql),
      balances: ['wallet', 'coin', 'total'],
      failure: 'EXECUTE FUNCTION fail()',
      store: async () => (await load('serverless/table-store.mjs')).store,
      async kept() {
        return (await postgres.query("SELECT FROM webhook WHERE place = 'review'")).length;
      },
      shell: psql,
    }));

  describe('the tables of schema.sql', () => {
    before(() =>
      postgres.query(`INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7'),
        ('withdrawal.broadcast', 'payout-7731', 'customer-7')`),
    );
    beforeEach(() => postgres.query('TRUNCATE event, balance'));
    async function balance() {
      const rows = await postgres.query("SELECT amount FROM balance WHERE currency = 'BTC'");
      return Decimal.sum(0, ...rows.map(({ amount }) => amount));
    }
    testByHand(copied('by-hand.sql'), psql, balance, async (body) => {
      const { credit } = await load('credit-once/ledger.ts');
      await settleBy(credit, body);
      const events = await postgres.query('SELECT order_id, deliveries FROM event');
      assert.deepEqual(events, [{ order_id: 'order-10042', deliveries: '2' }]);
    });

    for (const driver of DRIVERS)
      test(`an adapter for ${driver}`, async () => {
        const { settleOnce, end } = await load(`databases/adapters/${fileOf(driver)}`);
        const exact = depositReceivedBody({ actualDepositAmount: '1234567.000000000000000001' });
        const withdrawal = withdrawalBroadcastBody({
          ...{ withdrawCurrency: 'BTC', actualWithdrawAmount: '0.1' },
        });
        await Promise.all([1, 2, 3].map(() => settleBy(settleOnce, exact)));
        await assert.rejects(settleBy(settleOnce, depositReceivedBody()), { name: 'NeedsReview' });
        const unknown = depositReceivedBody({ clientPaymentId: 'unknown' });
        await assert.rejects(settleBy(settleOnce, unknown), /the order is unknown/);
        for (const table of ['event', 'balance']) {
          await postgres.query(`ALTER TABLE ${table} RENAME TO away`);
          await assert.rejects(settleBy(settleOnce, withdrawal), /does not exist/);
          await postgres.query(`ALTER TABLE away RENAME TO ${table}`);
        }
        await settleBy(settleOnce, withdrawal);
        await end();
        assert.equal(`${await balance()}`, '1234566.900000000000000001');
        const events = await postgres.query('SELECT body, deliveries FROM event ORDER BY key');
        assert.deepEqual(events, [
          { body: Buffer.from(exact), deliveries: '4' },
          { body: Buffer.from(withdrawal), deliveries: '1' },
        ]);
      });
  });
});

describe('MySQL and MariaDB', { skip: whyNot(MARIADBD) }, () => {
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
    await until(async () => {
      connection = await mysql.createConnection(user).catch(() => connection);
      return connection;
    });
    await connection.query('CREATE DATABASE merchant CHARACTER SET utf8mb4; USE merchant');
    await connection.query(ORDERS + copied('mysql.sql'));
    const path = encodeURIComponent(socketPath);
    process.env.DATABASE_URL = `mysql://root@localhost/merchant?socketPath=${path}`;
  });
  after(async () => {
    await connection?.end();
    server.kill();
    await once(server, 'exit');
    fs.rmSync(data, { recursive: true });
  });
  testLedger('mysql', {
    query: async (sql) => /** @type {any[]} */ ((await connection.query(sql))[0]),
    balances: ['balance', 'currency', 'amount'],
    failure: "SIGNAL SQLSTATE '45000'",
    store: async () => createStore('webhooks'),
    kept: async () => filesIn('review').length,
    shell: ['mariadb', `--socket=${socketPath}`, '--user=root', 'merchant'],
  });
});

// By libsql, which has SQLite and the interface of better-sqlite3, but needs no compiler.
describe('SQLite, and a bucket of webhooks', () => {
  const database = new Database('merchant.db');
  before(() => database.exec(ORDERS + copied('sqlite.sql')));
  after(() => database.close());
  /** @type {Files} */
  const files = new Map();
  testLedger('sqlite', {
    async query(sql) {
      const statement = database.prepare(sql);
      if (statement.reader) return /** @type {any[]} */ (statement.all());
      statement.run();
      return [];
    },
    balances: ['balance', 'currency', 'amount'],
    failure: "BEGIN SELECT RAISE(ABORT, 'broken'); END",
    store: async () => createBucketStore(bucketOf(files)),
    kept: async () => [...files.keys()].filter((path) => /^review\/.*\.json$/.test(path)).length,
    shell: ['sqlite3', 'merchant.db'],
  });
});

test('a retry helper lets NeedsReview through', async () => {
  const [, code = ''] = /`shouldRetry: (.+?)`/.exec(PAGE) ?? [];
  const shouldRetry = new Function('NeedsReview', `return ${code}`)(NeedsReview);
  let calls = 0;
  const settle = async () => {
    calls += 1;
    throw new NeedsReview('the order is unknown');
  };
  const options = { retries: 1, minTimeout: 1, shouldRetry };
  await assert.rejects(pRetry(settle, options), { name: 'NeedsReview' });
  assert.equal(calls, 1);
});
