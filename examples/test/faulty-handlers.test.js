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
/** @import { HandlerTest, HandlerTestsOptions } from 'payment-notifications/testing' */
/** @typedef {Pick<pg.Pool, 'query'>} Database */
/**
 * @typedef {{ key: string, id: string, hash: string | null, currency: string, amount: string,
 *   body: Uint8Array }} Event
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

const KNOWN = 'SELECT (currency, amount) = ($2, $3) AS same FROM event WHERE key = $1';
const INSERT = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5, $6)';
const INSERT_ONCE = `${INSERT} ON CONFLICT (key) DO NOTHING`;
const ADD = `INSERT INTO wallet VALUES ($1, $2, $3)
  ON CONFLICT (customer, currency) DO UPDATE SET amount = wallet.amount + excluded.amount`;

/** Lets each change of a table fail, as a full disk does. @param {string} table */
const failAt = (table) => `
  CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END $$;
  CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION fail()`;

/** A right handler, of whose parts a fault replaces one. */
class Handler {
  tables = TABLES;
  insert = INSERT_ONCE;
  add = ADD;
  /** @type {Partial<HandlerTestsOptions>} */
  options = {};
  pool = new pg.Pool({ connectionString: '' });

  /** One transaction. @param {(database: Database) => Promise<string>} work */
  async transact(work) {
    const client = await this.pool.connect();
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
  }

  /** @param {Event} event */
  settle(event) {
    return this.transact((database) => this.settleIn(database, event));
  }

  /** @param {Database} database @param {Event} event */
  async settleIn(database, event) {
    const customer = await this.customerOf(database, event);
    if (customer === undefined) return 'unknown';
    if (!(await this.insertKey(database, event, customer))) return this.compare(database, event);
    await this.credit(database, event, customer);
    return 'settled';
  }

  /** @param {Database} database @param {Event} event @returns {Promise<string | undefined>} */
  async customerOf(database, { id }) {
    const find = 'SELECT customer FROM orders WHERE id = $1';
    return (await database.query(find, [id])).rows[0]?.customer;
  }

  /** @param {Database} database @param {Event} event @param {string} customer */
  async insertKey(database, { key, hash, currency, amount, body }, customer) {
    const values = [key, hash, customer, currency, amount, body];
    return (await database.query(this.insert, values)).rowCount === 1;
  }

  /** @param {Database} database @param {Event} event */
  async compare(database, { key, currency, amount }) {
    const { rows } = await database.query(KNOWN, [key, currency, amount]);
    return rows[0].same ? 'repeated' : 'conflict';
  }

  /** @param {Database} database @param {Event} event @param {string} customer */
  async credit(database, { currency, amount }, customer) {
    await database.query(this.add, [customer, currency, amount]);
  }

  /** @param {Uint8Array} body */
  async review(body) {
    const insert = 'INSERT INTO review VALUES (sha256($1), $1) ON CONFLICT DO NOTHING';
    await this.pool.query(insert, [body]);
  }

  /** @param {PaymentNotification} one @param {{ key: string, body: Uint8Array }} context */
  async handle(one, { key, body }) {
    const event = eventOf(one, key, body);
    if (event === null) return;
    if (event.amount === null) return this.review(body);
    const outcome = await this.settle({ ...event, amount: event.amount });
    if (outcome === 'unknown' || outcome === 'conflict') await this.review(body);
  }

  receiver = createReceiver({
    secret: null,
    onDepositReceived: (one, context) => this.handle(one, context),
    onWithdrawalBroadcast: (one, context) => this.handle(one, context),
    onRefused: (_, { body }) => this.review(body),
    onError: async () => {},
    onWarning: () => {},
  });
}

/** @param {PaymentNotification} one @param {string} key @param {Uint8Array} body */
function eventOf(one, key, body) {
  const { transactionId: hash } = one;
  if (one.type === 'deposit.received') {
    const { clientPaymentId: id, depositCurrency: currency, actualDepositAmount } = one;
    return { key, id, hash, currency, amount: actualDepositAmount.toString(), body };
  }
  if (one.status !== 'COMPLETED') return null;
  const { clientWithdrawalId: id, withdrawCurrency: currency, actualWithdrawAmount } = one;
  return {
    key,
    id,
    hash,
    currency,
    amount: actualWithdrawAmount?.negated().toString() ?? null,
    body,
  };
}

/** @param {string} column @param {string} type */
const withColumn = (column, type) =>
  class extends Handler {
    tables = `${TABLES}; ALTER TABLE ${column.replace('.', ' ALTER ')} TYPE ${type}`;
  };
/** @param {string} add */
const withAdd = (add) =>
  class extends Handler {
    add = add;
  };

// ---- Right handlers ----

/** Each movement is a row, and the balances are a view. */
class Rows extends Handler {
  tables = `${TABLES}; DROP TABLE wallet;
    CREATE VIEW wallet AS SELECT customer, currency, sum(amount) AS amount FROM event GROUP BY 1, 2`;
  /** @override */
  async credit() {}
  options = {
    breakDatabase: async () => {
      await this.pool.query(failAt('event'));
      return () => this.pool.query('DROP FUNCTION fail CASCADE');
    },
  };
}

/** Repeats a transaction that another one disturbed. */
class Serializable extends Handler {
  add = ADD.replace('wallet.amount + excluded.amount', 'excluded.amount');
  /** @override @param {Database} database @param {Event} event @param {string} customer */
  async credit(database, { currency, amount }, customer) {
    await readThenWrite(database, currency, amount, customer);
  }
  /** @override @param {(database: Database) => Promise<string>} work @returns {Promise<string>} */
  async transact(work) {
    try {
      return await super.transact(async (database) => {
        await database.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
        return work(database);
      });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '40001') throw error;
      await sleep(Math.random() * 20);
      return this.transact(work);
    }
  }
}

/** Stores each body, and settles it afterwards. */
class QueueFirst extends Handler {
  stopped = false;
  async work() {
    while (!this.stopped) {
      const next = 'SELECT id, body FROM inbox ORDER BY id LIMIT 20';
      const { rows } = await this.pool.query(next);
      const done = await Promise.all(
        rows.map(async ({ id, body }) => {
          const { status } = await this.receiver.receive(body, 'http://localhost/');
          return status < 500 ? [id] : [];
        }),
      );
      await this.pool.query('DELETE FROM inbox WHERE id = ANY($1)', [done.flat()]);
      await sleep(rows.length === 0 ? 5 : 0);
    }
  }
  /** @param {Request} request */
  async fetch(request) {
    const body = Buffer.from(await request.arrayBuffer());
    await this.pool.query('INSERT INTO inbox (body) VALUES ($1)', [body]);
    return new Response(null, { status: 202 });
  }
  options = {
    /** @param {string} currency */
    balance: async (currency) => {
      while ((await this.pool.query('SELECT FROM inbox LIMIT 1')).rowCount) await sleep(5);
      const sum = 'SELECT sum(amount)::text FROM wallet WHERE currency = $1';
      return (await this.pool.query(sum, [currency])).rows[0].sum;
    },
  };
}

/** @param {Database} database @param {string} currency @param {string} amount @param {string} customer */
async function readThenWrite(database, currency, amount, customer) {
  const find = 'SELECT amount::text FROM wallet WHERE (customer, currency) = ($1, $2)';
  const { rows } = await database.query(find, [customer, currency]);
  const write = `INSERT INTO wallet VALUES ($1, $2, $3::numeric + $4)
    ON CONFLICT (customer, currency) DO UPDATE SET amount = excluded.amount`;
  await database.query(write, [customer, currency, rows[0]?.amount ?? 0, amount]);
}

const RIGHT = { Handler, Rows, Serializable, QueueFirst };

// ---- Faults ----

const DEPOSIT_RACE = 'deposit: five orders of one customer at the same time add up';
const BALANCES = 'deposit: is credited once if the balances failed';
const KEYS = 'deposit: is credited once if the keys failed';
const COPIES = 'deposit: five copies at the same time are credited once';
const HASHES = 'deposit: two events of one transactionId are credited, and two without one';

/**
 * What is wrong, the test that finds it, and the cause that its failure names.
 *
 * @type {[fault: string, handler: typeof Handler, test: string, cause: RegExp][]}
 */
const FAULTS = [
  [
    'balances as numeric(20,8)',
    withColumn('wallet.amount', 'numeric(20,8)'),
    'deposit: 18 decimals are credited exactly',
    /rounded to 8 decimals/,
  ],
  [
    'balances as numeric(20,2)',
    withColumn('wallet.amount', 'numeric(20,2)'),
    'deposit: cents, halves and thirds are credited exactly',
    /rounded to 2 decimals/,
  ],
  [
    'balances as double precision',
    withColumn('wallet.amount', 'double precision'),
    'deposit: 18 decimals are credited exactly',
    /The amount was a double/,
  ],
  [
    'balances as real',
    withColumn('wallet.amount', 'real'),
    'deposit: 18 decimals are credited exactly',
    /a number of 32 bits/,
  ],
  [
    'balances as integers',
    withColumn('wallet.amount', 'bigint'),
    'deposit: 18 decimals are credited exactly',
    /A column or a check may be too narrow/,
  ],
  [
    'balances as numeric(20,18)',
    withColumn('wallet.amount', 'numeric(20,18)'),
    'deposit: 12 digits before the point are credited exactly',
    /A column or a check may be too narrow/,
  ],
  [
    'amounts as numeric(18,8)',
    withColumn('event.amount', 'numeric(18,8)'),
    'deposit: 12 digits before the point are credited exactly',
    /A column or a check may be too narrow/,
  ],
  [
    'a currency of four letters',
    withColumn('wallet.currency', 'varchar(4)'),
    'deposit: a currency of three, four or five letters is credited, or held',
    /A column or a check may be too narrow/,
  ],
  [
    'a currency cut to four letters',
    withAdd(ADD.replace('$2', '$2::varchar(4)')),
    'deposit: a currency of three, four or five letters is credited, or held',
    /moved as \+0\.75 MATI/,
  ],
  [
    'a hash of 64 characters',
    withColumn('event.hash', 'varchar(64)'),
    HASHES,
    /A column or a check may be too narrow/,
  ],
  [
    'a unique hash',
    class extends Handler {
      tables = `${TABLES}; ALTER TABLE event ADD UNIQUE (hash)`;
    },
    HASHES,
    /The key is the transactionId/,
  ],
  [
    'a unique hash, in silence',
    class extends Handler {
      tables = `${TABLES}; ALTER TABLE event ADD UNIQUE (hash)`;
      insert = `${INSERT} ON CONFLICT DO NOTHING`;
      async compare() {
        return 'repeated';
      }
    },
    HASHES,
    /The key is the transactionId/,
  ],
  [
    'a required hash',
    class extends Handler {
      tables = `${TABLES}; ALTER TABLE event ALTER hash SET NOT NULL`;
    },
    HASHES,
    /The handler depends on this field/,
  ],
  [
    'bodies as jsonb',
    class extends Handler {
      insert = INSERT_ONCE.replace(
        '$6',
        "convert_to(convert_from($6, 'utf8')::jsonb::text, 'utf8')",
      );
    },
    'deposit: an unknown field changes nothing',
    /refuse \\u0000/,
  ],
  [
    'bodies for review as text',
    class extends Handler {
      async review(/** @type {Uint8Array} */ body) {
        await super.review(
          Buffer.from(
            (await this.pool.query("SELECT convert_from($1, 'utf8') AS text", [body])).rows[0].text,
          ),
        );
      }
    },
    'deposit: faulty bodies are refused and move nothing',
    /fails at a faulty body/,
  ],

  [
    'a plain insert of the key',
    class extends Handler {
      insert = INSERT;
    },
    COPIES,
    /A copy failed instead of being a repeat/,
  ],
  [
    'check, then insert',
    class extends Handler {
      tables = TABLES.replace('key text PRIMARY KEY', 'key text');
      insert = INSERT;
      async insertKey(
        /** @type {Database} */ database,
        /** @type {Event} */ event,
        /** @type {string} */ customer,
      ) {
        const known = await database.query('SELECT FROM event WHERE key = $1', [event.key]);
        return known.rowCount === 0 && super.insertKey(database, event, customer);
      }
    },
    COPIES,
    /Several copies passed the check of the key/,
  ],
  [
    'a lock that is not awaited',
    class extends Handler {
      async insertKey(
        /** @type {Database} */ database,
        /** @type {Event} */ event,
        /** @type {string} */ customer,
      ) {
        const { rows } = await database.query(
          'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS free',
          [customer],
        );
        return rows[0].free && super.insertKey(database, event, customer);
      }
      async compare() {
        return 'repeated';
      }
    },
    DEPOSIT_RACE,
    /one is dropped while another is in progress/,
  ],
  [
    'SKIP LOCKED',
    class extends Handler {
      async customerOf(/** @type {Database} */ database, /** @type {Event} */ { id }) {
        const find = 'SELECT customer FROM orders WHERE id = $1 FOR UPDATE SKIP LOCKED';
        return (await database.query(find, [id])).rows[0]?.customer;
      }
    },
    'deposit: five deposits of one order at the same time add up',
    /one is dropped while another is in progress/,
  ],
  [
    'a balance that is read, and then written',
    class extends Handler {
      async credit(
        /** @type {Database} */ database,
        /** @type {Event} */ { currency, amount },
        /** @type {string} */ customer,
      ) {
        await readThenWrite(database, currency, amount, customer);
      }
    },
    DEPOSIT_RACE,
    /the balance is read and then written/,
  ],
  [
    'serializable, without a retry',
    class extends Serializable {
      async transact(/** @type {(database: Database) => Promise<string>} */ work) {
        const isolated = async (/** @type {Database} */ database) => {
          await database.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
          return work(database);
        };
        return Handler.prototype.transact.call(this, isolated);
      }
    },
    DEPOSIT_RACE,
    /Transactions at the same time fail/,
  ],
  [
    'a deadlock',
    class extends Handler {
      async credit(
        /** @type {Database} */ database,
        /** @type {Event} */ event,
        /** @type {string} */ customer,
      ) {
        const names = [customer, 'all'].sort(() => Math.random() - 0.5);
        for (const name of names)
          await super.credit(
            database,
            { ...event, amount: name === 'all' ? '0' : event.amount },
            name,
          );
      }
    },
    DEPOSIT_RACE,
    /Transactions at the same time fail/,
  ],
  [
    'a wallet that is overwritten',
    withAdd(ADD.replace('wallet.amount + excluded', 'excluded')),
    'deposit: deposits that pay an order in parts add up',
    /The balance was overwritten/,
  ],
  [
    'only the first credit of a wallet',
    withAdd('INSERT INTO wallet VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'),
    'deposit: deposits that differ only in depositId are credited',
    /Or the balance is overwritten/,
  ],
  [
    'a wallet that has to exist',
    withAdd('UPDATE wallet SET amount = amount + $3 WHERE (customer, currency) = ($1, $2)'),
    'deposit: every encoding is credited exactly',
    /Nothing moved/,
  ],

  [
    'no transaction, the key first',
    class extends Handler {
      settle(/** @type {Event} */ event) {
        return this.settleIn(this.pool, event);
      }
    },
    BALANCES,
    /The key was committed, or is remembered/,
  ],
  [
    'a transaction of another connection',
    class extends Handler {
      async transact(/** @type {(database: Database) => Promise<string>} */ work) {
        const client = await this.pool.connect();
        try {
          await client.query('BEGIN');
          const outcome = await work(this.pool);
          await client.query('COMMIT');
          return outcome;
        } finally {
          client.release();
        }
      }
    },
    BALANCES,
    /The key was committed, or is remembered/,
  ],
  [
    'no transaction, the credit first',
    class extends Handler {
      async settleIn(/** @type {Database} */ _, /** @type {Event} */ event) {
        const { pool } = this;
        const customer = await this.customerOf(pool, event);
        if (customer === undefined) return 'unknown';
        const known = await pool.query('SELECT FROM event WHERE key = $1', [event.key]);
        if (known.rowCount) return this.compare(pool, event);
        await this.credit(pool, event, customer);
        await this.insertKey(pool, event, customer);
        return 'settled';
      }
    },
    KEYS,
    /The change of the balance was committed without the key/,
  ],
  [
    'an error that is caught',
    class extends Handler {
      async settle(/** @type {Event} */ event) {
        try {
          return await super.settle(event);
        } catch {
          return 'failed';
        }
      }
    },
    BALANCES,
    /Either an error was caught/,
  ],
  [
    'an error that is kept for review',
    class extends Handler {
      async settle(/** @type {Event} */ event) {
        try {
          return await super.settle(event);
        } catch {
          return 'conflict';
        }
      }
    },
    BALANCES,
    /Either an error was caught/,
  ],
  [
    'a savepoint',
    class extends Handler {
      async credit(
        /** @type {Database} */ database,
        /** @type {Event} */ event,
        /** @type {string} */ customer,
      ) {
        await database.query('SAVEPOINT credit');
        try {
          await super.credit(database, event, customer);
        } catch {
          await database.query('ROLLBACK TO credit');
        }
      }
    },
    BALANCES,
    /Either an error was caught/,
  ],
  [
    'each error is a repeat',
    class extends Handler {
      async insertKey(
        /** @type {Database} */ database,
        /** @type {Event} */ event,
        /** @type {string} */ customer,
      ) {
        return super.insertKey(database, event, customer).catch(() => false);
      }
      async compare() {
        return 'repeated';
      }
    },
    KEYS,
    /Either an error was caught/,
  ],
  [
    'a connection without a rollback',
    class extends Handler {
      async transact(/** @type {(database: Database) => Promise<string>} */ work) {
        const client = await this.pool.connect();
        try {
          await client.query('BEGIN');
          const outcome = await work(client);
          await client.query('COMMIT');
          return outcome;
        } finally {
          client.release();
        }
      }
    },
    BALANCES,
    /not rolled back/,
  ],
  [
    'a connection that is not released',
    class extends Handler {
      async transact(/** @type {(database: Database) => Promise<string>} */ work) {
        const client = await this.pool.connect();
        await client.query('BEGIN');
        const outcome = await work(client);
        await client.query('COMMIT');
        client.release();
        return outcome;
      }
      options = { timeoutMs: 500 };
    },
    'deposit: copies are credited once if the balances failed',
    /release it after an error/,
  ],
];

describe('handlers on PostgreSQL', { skip: whyNoPostgres() }, () => {
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  /** @type {pg.Pool} */
  let admin;
  before(async () => {
    postgres = await startPostgres();
    admin = new pg.Pool({ connectionString: postgres.url });
  });
  after(async () => {
    await admin.end();
    await postgres.remove();
  });

  /**
   * @param {typeof Handler} type
   * @param {(tests: HandlerTest[]) => Promise<void>} use
   * @param {(isRead: boolean) => void} [watch] Called at each reading of a balance, and each body.
   */
  async function run(type, use, watch = () => {}) {
    const handler = new type();
    const { pool } = handler;
    pool.options.connectionString = postgres.url;
    // Of a connection that is not released, when the database stops.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    await pool.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${handler.tables}`);
    const server = createServer((request, response) => {
      watch(false);
      handler.receiver.node(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const queue = handler instanceof QueueFirst ? handler : null;
    const working = queue?.work();
    const tests = handlerTests({
      url: `http://127.0.0.1:${port}/callbacks`,
      ...(queue && { fetch: (url, request) => queue.fetch(new Request(url, request)) }),
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
      ...handler.options,
    });
    try {
      await use(tests);
    } finally {
      if (queue) queue.stopped = true;
      await working;
      server.close();
      server.closeAllConnections();
      pool.end().catch(() => {});
    }
  }

  for (const [name, type] of Object.entries(RIGHT))
    test(`a right handler passes: ${name}`, () =>
      run(type, async (tests) => {
        for (const { run } of tests) await run();
      }));

  for (const [fault, type, name, cause] of FAULTS)
    test(`a fault is found: ${fault}`, async (context) => {
      // What never moves is waited for by reading a balance again and again.
      let [reads, skippedMs] = [0, 0];
      const { now } = Date;
      context.mock.method(Date, 'now', () => now() + skippedMs);
      await run(
        type,
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
