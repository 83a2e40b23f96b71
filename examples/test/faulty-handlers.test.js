// What merchants write on PostgreSQL, with customers, orders and wallets: right handlers pass the
// tests that the package has for every handler, and faults of a database are found and named.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReceiver } from 'payment-notifications/receiver';
import { handlerTests } from 'payment-notifications/testing';
import pg from 'pg';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { Receiver } from 'payment-notifications/receiver' */
/** @import { HandlerTest, HandlerTestsOptions } from 'payment-notifications/testing' */
/** @typedef {Pick<pg.Pool, 'query'>} Database */
/**
 * @typedef {object} Event
 * @property {string} key
 * @property {string} id Of its order.
 * @property {string | null} hash
 * @property {string} currency
 * @property {string} amount
 * @property {Uint8Array} body
 */
/**
 * The parts of a handler, each of which a fault replaces.
 *
 * @typedef {object} Parts
 * @property {string} tables
 * @property {(database: Database, event: Event) => Promise<string | undefined>} customerOf
 * @property {(database: Database, event: Event, customer: string) => Promise<boolean>} insertKey
 *   Whether the key is new.
 * @property {(database: Database, event: Event) => Promise<string>} compare
 * @property {(database: Database, event: Event, customer: string) => Promise<unknown>} credit
 * @property {(database: Database, event: Event, parts: Parts) => Promise<string>} book
 * @property {(pool: pg.Pool, work: (database: Database) => Promise<string>) => Promise<string>}
 *   transact
 * @property {(pool: pg.Pool, event: Event, parts: Parts) => Promise<string>} settle
 * @property {(pool: pg.Pool, body: Uint8Array) => Promise<unknown>} review
 * @property {(pool: pg.Pool, receiver: Receiver) => Partial<HandlerTestsOptions>} options
 */

const TABLES = `
  CREATE TABLE orders (id text PRIMARY KEY, customer text NOT NULL);
  CREATE TABLE event (
    key text PRIMARY KEY, hash text, customer text NOT NULL, currency text NOT NULL,
    amount numeric NOT NULL, body bytea NOT NULL
  );
  CREATE TABLE wallet (
    customer text, currency text, amount numeric NOT NULL, PRIMARY KEY (customer, currency)
  );
  CREATE TABLE inbox (id serial PRIMARY KEY, body bytea NOT NULL);
  CREATE TABLE review (digest bytea PRIMARY KEY, body bytea NOT NULL)`;
const INSERT = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5, $6)';
const INSERT_ONCE = `${INSERT} ON CONFLICT (key) DO NOTHING`;
const ADD = `INSERT INTO wallet VALUES ($1, $2, $3)
  ON CONFLICT (customer, currency) DO UPDATE SET amount = wallet.amount + excluded.amount`;

/** Inserts by this statement. @param {string} sql @returns {Parts['insertKey']} */
const insertBy =
  (sql) =>
  async (database, { key, hash, currency, amount, body }, customer) =>
    (await database.query(sql, [key, hash, customer, currency, amount, body])).rowCount === 1;

/** Credits by this statement. @param {string} sql @returns {Parts['credit']} */
const creditBy =
  (sql) =>
  (database, { currency, amount }, customer) =>
    database.query(sql, [customer, currency, amount]);

/** @type {Parts} */
const RIGHT = {
  tables: TABLES,
  async customerOf(database, { id }) {
    const find = 'SELECT customer FROM orders WHERE id = $1';
    return (await database.query(find, [id])).rows[0]?.customer;
  },
  insertKey: insertBy(INSERT_ONCE),
  async compare(database, { key, currency, amount }) {
    const known = 'SELECT (currency, amount) = ($2, $3) AS same FROM event WHERE key = $1';
    const { rows } = await database.query(known, [key, currency, amount]);
    return rows[0].same ? 'repeated' : 'conflict';
  },
  credit: creditBy(ADD),
  async book(database, event, { customerOf, insertKey, compare, credit }) {
    const customer = await customerOf(database, event);
    if (customer === undefined) return 'unknown';
    if (!(await insertKey(database, event, customer))) return compare(database, event);
    await credit(database, event, customer);
    return 'settled';
  },
  async transact(pool, work) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const outcome = await work(client);
      await client.query('COMMIT');
      return outcome;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  },
  settle: (pool, event, parts) =>
    parts.transact(pool, (database) => parts.book(database, event, parts)),
  review: (pool, body) =>
    pool.query('INSERT INTO review VALUES (sha256($1), $1) ON CONFLICT DO NOTHING', [body]),
  options: () => ({}),
};

/** @param {PaymentNotification} one @param {string} key @param {Uint8Array} body */
function eventOf(one, key, body) {
  const { transactionId: hash } = one;
  if (one.type === 'deposit.received') {
    const { clientPaymentId: id, depositCurrency: currency, actualDepositAmount } = one;
    return { key, id, hash, currency, amount: actualDepositAmount.toString(), body };
  }
  const { clientWithdrawalId: id, withdrawCurrency: currency, actualWithdrawAmount } = one;
  const amount = actualWithdrawAmount?.negated().toString() ?? null;
  return one.status === 'COMPLETED' ? { key, id, hash, currency, amount, body } : null;
}

/** @param {pg.Pool} pool @param {Parts} parts */
function receiverOf(pool, parts) {
  /**
   * @param {PaymentNotification} one
   * @param {{ key: string, body: Uint8Array }} context
   */
  async function settle(one, { key, body }) {
    const event = eventOf(one, key, body);
    if (event === null) return;
    const { amount } = event;
    const outcome = amount === null ? null : await parts.settle(pool, { ...event, amount }, parts);
    if (outcome === null || outcome === 'unknown' || outcome === 'conflict') {
      await parts.review(pool, body);
    }
  }
  return createReceiver({
    secret: null,
    // One handler waits forever for a connection, and this process for its end.
    timeoutMs: 10_000,
    onDepositReceived: settle,
    onWithdrawalBroadcast: settle,
    store: {
      async save({ to, body }) {
        if (to === 'review') await parts.review(pool, body);
      },
      list: async () => [],
      read: async () => null,
      remove: async () => {},
    },
    log() {},
  });
}

/** Lets each change of a table fail, as a full disk does. @param {string} table */
const failAt = (table) => `
  CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END $$;
  CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION fail()`;

/** @type {Parts['credit']} */
async function readThenWrite(database, { currency, amount }, customer) {
  const find = 'SELECT amount::text FROM wallet WHERE (customer, currency) = ($1, $2)';
  const { rows } = await database.query(find, [customer, currency]);
  const write = `INSERT INTO wallet VALUES ($1, $2, $3::numeric + $4)
    ON CONFLICT (customer, currency) DO UPDATE SET amount = excluded.amount`;
  return database.query(write, [customer, currency, rows[0]?.amount ?? 0, amount]);
}

/** @type {Parts['transact']} */
const isolated = (pool, work) =>
  RIGHT.transact(pool, async (database) => {
    await database.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
    return work(database);
  });

/** @type {Parts['transact']} */
async function isolatedAgain(pool, work) {
  try {
    return await isolated(pool, work);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '40001') throw error;
    await sleep(Math.random() * 20);
    return isolatedAgain(pool, work);
  }
}

/** @type {Parts['options']} */
function queueFirst(pool, receiver) {
  const work = async () => {
    while (!pool.ending) {
      const next = 'SELECT id, body FROM inbox ORDER BY id LIMIT 20';
      const { rows } = await pool.query(next);
      for (const { id, body } of rows) {
        const outcome = await receiver.settle(body);
        // The store of these handlers saves nothing to try again: that stays in this queue.
        if (outcome === 'retry' || outcome === 'failed') continue;
        await pool.query('DELETE FROM inbox WHERE id = $1', [id]);
      }
      await sleep(5);
    }
  };
  work().catch(() => {});
  return {
    async fetch(_url, { body }) {
      await pool.query('INSERT INTO inbox (body) VALUES ($1)', [
        Buffer.from(new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body)),
      ]);
      return new Response(null, { status: 202 });
    },
    async balance(currency) {
      while ((await pool.query('SELECT FROM inbox LIMIT 1')).rowCount) await sleep(5);
      const sum = 'SELECT sum(amount)::text FROM wallet WHERE currency = $1';
      return (await pool.query(sum, [currency])).rows[0].sum;
    },
  };
}

/** @type {Record<string, Partial<Parts>>} */
const RIGHT_ONES = {
  'one transaction': {},
  'rows, and the balances as a view': {
    tables: `${TABLES}; DROP TABLE wallet;
      CREATE VIEW wallet AS SELECT customer, currency, sum(amount) AS amount FROM event GROUP BY 1, 2`,
    credit: async () => {},
    // Both parts are one table.
    options: (pool) => ({
      async breakDatabase() {
        await pool.query(failAt('event'));
        return () => pool.query('DROP FUNCTION fail CASCADE');
      },
    }),
  },
  'serializable, with a retry': { credit: readThenWrite, transact: isolatedAgain },
  'queue first': { options: queueFirst },
};

// ---- Faults ----

/** @param {string} column @param {string} type */
const column = (column, type) => ({
  tables: `${TABLES}; ALTER TABLE ${column.replace('.', ' ALTER ')} TYPE ${type}`,
});
/** @param {string} change */
const event = (change) => ({ tables: `${TABLES}; ALTER TABLE event ${change}` });

const repeated = async () => 'repeated';

const NARROW = /A column or a check may be too narrow/;
const TRANSACTION = /The key is the transactionId/;
const DROPPED = /one is dropped while another is in progress/;
const FAILING = /Transactions at the same time fail/;
const LATE_KEY = /The key was committed, or is remembered/;
const CAUGHT = /Either an error was caught/;

/**
 * By the test that finds them: what is wrong, what replaces a part, and the cause that is named.
 *
 * @type {Record<string, [fault: string, parts: Partial<Parts>, cause: RegExp][]>}
 */
const FAULTS = {
  'deposit: 18 decimals are credited exactly': [
    [
      'balances as numeric(20,8)',
      column('wallet.amount', 'numeric(20,8)'),
      /rounded to 8 decimals/,
    ],
    ['balances as double precision', column('wallet.amount', 'float8'), /The amount was a double/],
    ['balances as real', column('wallet.amount', 'real'), /a number of 32 bits/],
    ['balances as integers', column('wallet.amount', 'bigint'), NARROW],
  ],
  'deposit: cents, halves and thirds are credited exactly': [
    [
      'balances as numeric(20,2)',
      column('wallet.amount', 'numeric(20,2)'),
      /rounded to 2 decimals/,
    ],
  ],
  'deposit: 12 digits before the point are credited exactly': [
    ['balances as numeric(20,18)', column('wallet.amount', 'numeric(20,18)'), NARROW],
    ['amounts as numeric(18,8)', column('event.amount', 'numeric(18,8)'), NARROW],
  ],
  'deposit: a currency of three, four or five letters is credited, or held': [
    ['a currency of four letters', column('wallet.currency', 'varchar(4)'), NARROW],
    [
      'a currency cut to four letters',
      { credit: creditBy(ADD.replace('$2', '$2::varchar(4)')) },
      /moved as \+0\.75 MATI/,
    ],
  ],
  'deposit: two events of one transactionId are credited, and two without one': [
    ['a hash of 64 characters', column('event.hash', 'varchar(64)'), NARROW],
    ['a required hash', event('ALTER hash SET NOT NULL'), /The handler depends on this field/],
    ['a unique hash', event('ADD UNIQUE (hash)'), TRANSACTION],
    [
      'a unique hash, in silence',
      {
        ...event('ADD UNIQUE (hash)'),
        insertKey: insertBy(`${INSERT} ON CONFLICT DO NOTHING`),
        compare: repeated,
      },
      TRANSACTION,
    ],
  ],
  'deposit: an unknown field changes nothing': [
    [
      'bodies as jsonb',
      {
        insertKey: insertBy(
          INSERT_ONCE.replace('$6', "convert_to(convert_from($6, 'utf8')::jsonb::text, 'utf8')"),
        ),
      },
      /refuse \\u0000/,
    ],
  ],
  'deposit: faulty bodies are refused and move nothing': [
    [
      'bodies for review as text',
      {
        review: (pool, body) =>
          pool.query(
            `INSERT INTO review VALUES (sha256($1), convert_to(convert_from($1, 'utf8'), 'utf8'))
              ON CONFLICT DO NOTHING`,
            [body],
          ),
      },
      /fails at a faulty body/,
    ],
  ],
  'deposit: every encoding is credited exactly': [
    [
      'a wallet that has to exist',
      {
        credit: creditBy(
          'UPDATE wallet SET amount = amount + $3 WHERE (customer, currency) = ($1, $2)',
        ),
      },
      /Nothing moved/,
    ],
  ],
  'deposit: deposits that pay an order in parts add up': [
    [
      'a wallet that is overwritten',
      { credit: creditBy(ADD.replace('wallet.amount + excluded', 'excluded')) },
      /The balance was overwritten/,
    ],
    [
      'only the first credit of a wallet',
      { credit: creditBy('INSERT INTO wallet VALUES ($1, $2, $3) ON CONFLICT DO NOTHING') },
      /Or the first deposit closes its order/,
    ],
  ],
  'deposit: five copies at the same time are credited once': [
    ['a plain insert of the key', { insertKey: insertBy(INSERT) }, /A copy failed instead of/],
    [
      'check, then insert',
      {
        tables: TABLES.replace('key text PRIMARY KEY', 'key text'),
        async insertKey(database, event, customer) {
          const known = await database.query('SELECT FROM event WHERE key = $1', [event.key]);
          return known.rowCount === 0 && insertBy(INSERT)(database, event, customer);
        },
      },
      /Several copies passed the check of the key/,
    ],
  ],
  'deposit: five orders of one customer at the same time add up': [
    [
      'a balance that is read, and then written',
      { credit: readThenWrite },
      /read and then written/,
    ],
    ['serializable, without a retry', { credit: readThenWrite, transact: isolated }, FAILING],
    [
      'a deadlock',
      {
        async credit(database, event, customer) {
          const names = [customer, 'all'].sort(() => Math.random() - 0.5);
          for (const name of names) {
            const amount = name === 'all' ? '0' : event.amount;
            await RIGHT.credit(database, { ...event, amount }, name);
          }
        },
      },
      FAILING,
    ],
    [
      'a lock that is not awaited',
      {
        async insertKey(database, event, customer) {
          const lock = 'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free';
          const { rows } = await database.query(lock, [customer]);
          return rows[0].free && RIGHT.insertKey(database, event, customer);
        },
        compare: repeated,
      },
      DROPPED,
    ],
  ],
  'deposit: five deposits of one order at the same time add up': [
    [
      'SKIP LOCKED',
      {
        async customerOf(database, { id }) {
          const find = 'SELECT customer FROM orders WHERE id = $1 FOR UPDATE SKIP LOCKED';
          return (await database.query(find, [id])).rows[0]?.customer;
        },
      },
      DROPPED,
    ],
  ],
  'deposit: is credited once if the balances failed': [
    [
      'no transaction, the key first',
      { settle: (pool, event, parts) => parts.book(pool, event, parts) },
      LATE_KEY,
    ],
    [
      'a transaction of another connection',
      { transact: (pool, work) => RIGHT.transact(pool, () => work(pool)) },
      LATE_KEY,
    ],
    [
      'an error that is caught',
      { settle: (...given) => RIGHT.settle(...given).catch(() => 'failed') },
      CAUGHT,
    ],
    [
      'an error that is kept for review',
      { settle: (...given) => RIGHT.settle(...given).catch(() => 'conflict') },
      CAUGHT,
    ],
    [
      'a savepoint',
      {
        async credit(database, event, customer) {
          await database.query('SAVEPOINT credit');
          await RIGHT.credit(database, event, customer).catch(() =>
            database.query('ROLLBACK TO credit'),
          );
        },
      },
      CAUGHT,
    ],
    [
      'a connection without a rollback',
      {
        async transact(pool, work) {
          const client = await pool.connect();
          try {
            await client.query('BEGIN');
            const outcome = await work(client);
            await client.query('COMMIT');
            return outcome;
          } finally {
            client.release();
          }
        },
      },
      /not rolled back/,
    ],
  ],
  'deposit: is credited once if the keys failed': [
    [
      'no transaction, the credit first',
      {
        async settle(pool, event, { customerOf, insertKey, compare, credit }) {
          const customer = await customerOf(pool, event);
          if (customer === undefined) return 'unknown';
          const known = await pool.query('SELECT FROM event WHERE key = $1', [event.key]);
          if (known.rowCount) return compare(pool, event);
          await credit(pool, event, customer);
          await insertKey(pool, event, customer);
          return 'settled';
        },
      },
      /The change of the balance was committed without the key/,
    ],
    [
      'each error of the key is a repeat',
      {
        insertKey: (...given) => RIGHT.insertKey(...given).catch(() => false),
        compare: repeated,
      },
      CAUGHT,
    ],
  ],
  'deposit: copies are credited once if the balances failed': [
    [
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
        options: () => ({ timeoutMs: 500 }),
      },
      /release it after an error/,
    ],
  ],
};

describe('handlers on PostgreSQL', { skip: whyNoPostgres() }, () => {
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.remove());
  let schemas = 0;

  /**
   * Runs a handler on tables of its own, and tests it.
   *
   * @param {Partial<Parts>} fault
   * @param {(tests: HandlerTest[]) => Promise<void>} use
   * @param {(isRead: boolean) => void} [watch] Called at each reading of a balance, and each body.
   */
  async function run(fault, use, watch = () => {}) {
    const parts = { ...RIGHT, ...fault };
    schemas += 1;
    const schema = `handler_${schemas}`;
    const connection = { connectionString: postgres.url, options: `-c search_path=${schema}` };
    const admin = new pg.Pool(connection);
    await admin.query(`CREATE SCHEMA ${schema}; ${parts.tables}`);
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
      async balance(currency) {
        watch(true);
        const sum = 'SELECT sum(amount)::text FROM wallet WHERE currency = $1';
        return (await admin.query(sum, [currency])).rows[0].sum;
      },
      kept: async () => (await admin.query('SELECT count(*) FROM review')).rows[0].count,
      async prepare(notifications) {
        const customer = randomUUID();
        const ids = notifications.map((one) =>
          one.type === 'deposit.received' ? one.clientPaymentId : one.clientWithdrawalId,
        );
        await admin.query('INSERT INTO orders SELECT unnest($1::text[]), $2', [ids, customer]);
      },
      async breakDatabase(part) {
        await admin.query(failAt(part === 'balances' ? 'wallet' : 'event'));
        return () => admin.query('DROP FUNCTION fail CASCADE');
      },
      ...parts.options(pool, receiver),
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

  // They mostly wait for the disk.
  describe('a right one passes', { concurrency: true }, () => {
    for (const [name, parts] of Object.entries(RIGHT_ONES))
      test(name, () =>
        run(parts, async (tests) => {
          for (const { run } of tests) await run();
        }),
      );
  });

  for (const [name, faults] of Object.entries(FAULTS))
    for (const [fault, parts, cause] of faults)
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
            if (reads > 12) skippedMs += 10_000;
          },
        );
      });
});
