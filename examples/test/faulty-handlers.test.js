// What only a database shows of a handler: right ones pass the tests that the package has for
// every handler, and faults are found and named. What memory shows is in test/testing.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { createReceiver } from 'payment-notifications/receiver';
import { handlerTests } from 'payment-notifications/testing';
import pg from 'pg';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';

/** @import { HandlerTest } from 'payment-notifications/testing' */
/** @typedef {Pick<pg.Pool, 'query'>} Database */
/**
 * The parts of a handler, each of which a fault replaces.
 *
 * @typedef {object} Parts
 * @property {string} tables
 * @property {string} find The customer of an order.
 * @property {string} insert A key.
 * @property {string} add An amount to a wallet.
 * @property {string} keep A body for review.
 * @property {(pool: pg.Pool, work: (database: Database) => Promise<string>) => Promise<string>}
 *   transact
 */

const TABLES = `
  CREATE TABLE orders (id text PRIMARY KEY, customer text NOT NULL);
  CREATE TABLE event (key text PRIMARY KEY, hash text, currency text, amount numeric, body bytea);
  CREATE TABLE wallet (
    customer text, currency text, amount numeric NOT NULL, PRIMARY KEY (customer, currency)
  );
  CREATE TABLE review (digest bytea PRIMARY KEY, body bytea NOT NULL)`;
const INSERT = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5)';
const ADD = `INSERT INTO wallet VALUES ($1, $2, $3)
  ON CONFLICT (customer, currency) DO UPDATE SET amount = wallet.amount + excluded.amount`;
/** @type {Parts} */
const RIGHT = {
  tables: TABLES,
  find: 'SELECT customer FROM orders WHERE id = $1',
  insert: `${INSERT} ON CONFLICT (key) DO NOTHING`,
  add: ADD,
  keep: 'INSERT INTO review VALUES (sha256($1), $1) ON CONFLICT DO NOTHING',
  transact: (pool, work) => transact(pool, 'ROLLBACK', work),
};

/**
 * @param {pg.Pool} pool
 * @param {string} atError
 * @param {(database: Database) => Promise<string>} work
 */
async function transact(pool, atError, work, begin = 'BEGIN') {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const outcome = await work(client);
    await client.query('COMMIT');
    return outcome;
  } catch (error) {
    await client.query(atError);
    throw error;
  } finally {
    client.release();
  }
}

/** @param {pg.Pool} pool @param {Parts} parts */
function receiverOf(pool, parts) {
  /**
   * @param {import('payment-notifications').PaymentNotification} one
   * @param {{ key: string, body: Uint8Array }} context
   */
  async function settle(one, { key, body }) {
    const isDeposit = one.type === 'deposit.received';
    if (!isDeposit && one.status !== 'COMPLETED') return;
    const id = isDeposit ? one.clientPaymentId : one.clientWithdrawalId;
    const currency = isDeposit ? one.depositCurrency : one.withdrawCurrency;
    const amount = isDeposit ? one.actualDepositAmount : one.actualWithdrawAmount?.negated();
    const outcome = !amount
      ? 'review'
      : await parts.transact(pool, async (database) => {
          const { rows } = await database.query(parts.find, [id]);
          if (!rows[0]) return 'review';
          const values = [key, one.transactionId, currency, `${amount}`, body];
          if ((await database.query(parts.insert, values)).rowCount === 0) {
            const known = 'SELECT (currency, amount) = ($2, $3) AS same FROM event WHERE key = $1';
            const found = await database.query(known, [key, currency, `${amount}`]);
            return found.rows[0]?.same === false ? 'review' : 'repeated';
          }
          await database.query(parts.add, [rows[0].customer, currency, `${amount}`]);
          return 'settled';
        });
    if (outcome === 'review') await pool.query(parts.keep, [body]);
  }
  return createReceiver({
    secret: null,
    // One handler waits forever for a connection, and this process for its end.
    timeoutMs: 10_000,
    onDepositReceived: settle,
    onWithdrawalBroadcast: settle,
    store: {
      async save({ to, body }) {
        if (to === 'review') await pool.query(parts.keep, [body]);
      },
      list: async () => [],
      read: async () => null,
      remove: async () => {},
    },
    log() {},
  });
}

/** @param {string} change */
const altered = (change) => ({ tables: `${TABLES}; ALTER TABLE ${change}` });
const SERIALIZABLE = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
const TOGETHER = 'deposit: five orders of one customer at the same time add up';
const MENDED = 'deposit: is credited once if the balances failed';
const NARROW = /A column or a check may be too narrow/;
const FAILING = /Transactions at the same time fail/;
const CAUGHT = /Either an error was caught/;

/** @type {[test: string, fault: string, parts: Partial<Parts>, cause: RegExp][]} */
const FAULTS = [
  [
    'deposit: 12 digits before the point are credited exactly',
    'amounts as numeric(18,8)',
    altered('event ALTER amount TYPE numeric(18,8)'),
    NARROW,
  ],
  [
    'deposit: two events of one transactionId are credited, and two without one',
    'a hash of 64 characters',
    altered('event ALTER hash TYPE varchar(64)'),
    NARROW,
  ],
  [
    'deposit: two events of one transactionId are credited, and two without one',
    'a unique hash',
    altered('event ADD UNIQUE (hash)'),
    /fields that other events share/,
  ],
  [
    'deposit: an unknown field changes nothing',
    'bodies as jsonb',
    {
      insert: RIGHT.insert.replace(
        '$5',
        "convert_to(convert_from($5, 'utf8')::jsonb::text, 'utf8')",
      ),
    },
    /refuse \\u0000/,
  ],
  [
    'deposit: faulty bodies move nothing, and are kept',
    'bodies for review as text',
    { keep: RIGHT.keep.replace(', $1', ", convert_to(convert_from($1, 'utf8'), 'utf8')") },
    /Store a faulty body/,
  ],
  [
    'deposit: the plainest one is credited',
    'a wallet that has to exist',
    { add: 'UPDATE wallet SET amount = amount + $3 WHERE (customer, currency) = ($1, $2)' },
    /prepare inserts what it updates/,
  ],
  [
    TOGETHER,
    'serializable, without a retry',
    { transact: (pool, work) => transact(pool, 'ROLLBACK', work, SERIALIZABLE) },
    FAILING,
  ],
  [
    'deposit: five deposits of one order at the same time add up',
    'SKIP LOCKED',
    { find: `${RIGHT.find} FOR UPDATE SKIP LOCKED` },
    /one is dropped while another is in progress/,
  ],
  [
    MENDED,
    'a transaction of another connection',
    { transact: (pool, work) => transact(pool, 'ROLLBACK', () => work(pool)) },
    /The key was committed, or is remembered/,
  ],
  [
    MENDED,
    'an error that is caught',
    { transact: (pool, work) => RIGHT.transact(pool, work).catch(() => 'failed') },
    CAUGHT,
  ],
  [
    MENDED,
    'a connection without a rollback',
    { transact: (pool, work) => transact(pool, 'SELECT 1', work) },
    /not rolled back/,
  ],
  [
    'deposit: copies are credited once if the balances failed',
    'a connection that is not released',
    {
      async transact(pool, work) {
        const client = await pool.connect();
        await client.query('BEGIN');
        const outcome = await work(client);
        await client.query('COMMIT');
        client.release();
        return outcome;
      },
    },
    /release it even after an error/,
  ],
];

describe('handlers on PostgreSQL', { skip: whyNoPostgres() }, () => {
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.remove());
  let schemas = 0;

  /**
   * Tests a handler on tables of its own.
   *
   * @param {Partial<Parts>} fault @param {(tests: HandlerTest[]) => Promise<void>} use
   * @param {(isRead: boolean) => void} [watch] Called at each reading of a balance, and each body.
   */
  async function run(fault, use, watch = () => {}) {
    const parts = { ...RIGHT, ...fault };
    schemas += 1;
    const connection = {
      connectionString: postgres.url,
      options: `-c search_path=handler_${schemas}`,
    };
    const admin = new pg.Pool(connection);
    await admin.query(`CREATE SCHEMA handler_${schemas}; ${parts.tables}`);
    const pool = new pg.Pool(connection);
    // Of a connection that is not released, when the database stops.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    const receiver = receiverOf(pool, parts);
    const server = createServer((request, response) => {
      watch(false);
      receiver.node(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const tests = handlerTests({
      url: `http://127.0.0.1:${port}/callbacks`,
      timeoutMs: 5_000,
      async balance(currency) {
        watch(true);
        const sum = 'SELECT sum(amount)::text FROM wallet WHERE currency = $1';
        return (await admin.query(sum, [currency])).rows[0].sum;
      },
      kept: async () => (await admin.query('SELECT count(*) FROM review')).rows[0].count,
      async prepare(notifications) {
        const ids = notifications.map((one) =>
          one.type === 'deposit.received' ? one.clientPaymentId : one.clientWithdrawalId,
        );
        const insert = 'INSERT INTO orders SELECT unnest($1::text[]), $2';
        await admin.query(insert, [ids, randomUUID()]);
      },
      // As a full disk does.
      async breakDatabase(part) {
        await admin.query(`
          CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END $$;
          CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON ${part === 'keys' ? 'event' : 'wallet'}
            EXECUTE FUNCTION fail()`);
        return () => admin.query('DROP FUNCTION fail CASCADE');
      },
    });
    try {
      await use(tests);
    } finally {
      server.close();
      server.closeAllConnections();
      await admin.end();
      // Not awaited, because a connection may not be released.
      pool.end().catch(() => {});
    }
  }

  test('a right one passes', () =>
    run({}, async (tests) => {
      for (const { run } of tests) await run();
    }));

  for (const [name, fault, parts, cause] of FAULTS)
    test(`a fault is found: ${fault}`, async (context) => {
      // What never moves is waited for by reading a balance again and again.
      let [reads, skippedMs] = [0, 0];
      const { now } = Date;
      context.mock.method(Date, 'now', () => now() + skippedMs);
      await run(
        parts,
        async (tests) => {
          const finder = tests.find((one) => one.name === name);
          assert(finder, name);
          await assert.rejects(finder.run(), cause);
        },
        (isRead) => {
          reads = isRead ? reads + 1 : 0;
          if (reads > 40) skippedMs += 10_000;
        },
      );
    });
});
