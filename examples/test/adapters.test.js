// The adapters of the page Databases, on a PostgreSQL server, by some tests of a handler: with
// `.ci/run --full`, by all, and those of Drizzle, Prisma and TypeORM too.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pRetry from 'p-retry';
import { createReceiver, NeedsReview } from 'payment-notifications/receiver';
import { handlerTests } from 'payment-notifications/testing';
import pg from 'pg';
import { register } from 'tsx/esm/api';
import { createBucketStore } from '../start/bucket-store.mjs';
import { DRIVERS, fileOf, PAGE, writeAdapters } from './adapters.js';
import { openFolder, SCHEMA } from './merchant.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { SECRET } from './server.js';

/** @import { Receiver } from 'payment-notifications/receiver' */

register();
console.log = () => {}; // settle.mjs prints each event
const folder = openFolder();
after(folder.remove);

describe('an adapter', { skip: whyNoPostgres(), concurrency: 2 }, () => {
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  /** @type {Map<string, { pool: pg.Pool, settleOnce: any, end: () => Promise<void> }>} */
  const merchants = new Map();
  before(async () => {
    writeAdapters(folder.url);
    postgres = await startPostgres();
    // One after the other, because each client reads the variable when its file is imported.
    for (const [index, driver] of DRIVERS.entries()) {
      await postgres.query(`CREATE DATABASE merchant_${index}`);
      const url = postgres.url.replace('/postgres?', `/merchant_${index}?`);
      const pool = new pg.Pool({ connectionString: url, max: 1 });
      await pool.query(SCHEMA);
      process.env.DATABASE_URL = url;
      const adapter = await import(new URL(fileOf(driver), folder.url).href);
      merchants.set(driver, { pool, ...adapter });
    }
  });
  after(async () => {
    for (const { pool, end } of merchants.values()) {
      await end();
      await pool.end();
    }
    await postgres.remove();
  });

  for (const driver of DRIVERS)
    describe(driver, { concurrency: 1 }, () => {
      /** @type {pg.Pool} */
      let pool;
      /** @type {Receiver} */
      let receiver;
      /** @type {Map<string, Uint8Array>} A bucket in memory, because a disk is slow. */
      const files = new Map();
      before(() => {
        const merchant = merchants.get(driver);
        if (!merchant) throw new Error('it did not start');
        pool = merchant.pool;
        receiver = createReceiver({
          secret: SECRET,
          store: createBucketStore({
            put: async (path, content) => void files.set(path, Buffer.from(content)),
            get: async (path) => files.get(path) ?? null,
            list: async () => [],
            delete: async (path) => files.delete(path),
          }),
          onDepositReceived: merchant.settleOnce,
          onWithdrawalBroadcast: merchant.settleOnce,
          log: () => {},
        });
      });
      after(() => receiver?.stop());
      const tests = handlerTests({
        url: `http://localhost/callbacks/${SECRET}`,
        fetch: (url, request) => receiver.fetch(new Request(url, request)),
        async balance(currency) {
          const sum = 'SELECT sum(amount)::text AS sum FROM balance WHERE currency = $1';
          return (await pool.query(sum, [currency])).rows[0].sum;
        },
        kept: async () =>
          [...files.keys()].filter((path) => /^review\/.*\.json$/.test(path)).length,
        async prepare(notifications) {
          for (const one of notifications) {
            const id = 'clientPaymentId' in one ? one.clientPaymentId : one.clientWithdrawalId;
            await pool.query("INSERT INTO orders VALUES ($1, $2, 'customer-7')", [one.type, id]);
          }
        },
        async breakDatabase(part) {
          const table = part === 'keys' ? 'event' : 'balance';
          await pool.query(`ALTER TABLE ${table} RENAME TO away`);
          return () => pool.query(`ALTER TABLE away RENAME TO ${table}`);
        },
      });
      // By default, those that an adapter can spoil: by values, conflicts and failed transactions.
      const wanted = /18 decimals|deposit: (a known key|a webhook .* after)/;
      const some = tests.filter(({ name }) => wanted.test(name));
      assert.equal(some.length, 6);
      for (const one of process.env.FULL === 'true' ? tests : some) test(one.name, one.run);
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
