// The tests of a handler, for the tables of schema.sql. For your own, change these functions:
// balance, kept, prepare and breakDatabase.
import { readdirSync } from 'node:fs';
import { handlerTests } from 'payment-notifications/testing';
import pg from 'pg';
import { test } from 'vitest';

const database = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const folder = '/var/lib/webhooks'; // of your receiver
const sum = 'SELECT sum(amount)::text AS sum FROM balance WHERE currency = $1';
const insert = "INSERT INTO orders (type, id, customer) VALUES ($1, $2, 'test')";
const tests = handlerTests({
  url: process.env.CALLBACK_URL,
  balance: async (currency) => (await database.query(sum, [currency])).rows[0].sum,
  kept: async () => readdirSync(`${folder}/review`).filter((name) => /json$/.test(name)).length,
  async prepare(notifications) {
    for (const one of notifications) {
      const id = 'clientPaymentId' in one ? one.clientPaymentId : one.clientWithdrawalId;
      await database.query(insert, [one.type, id]);
    }
  },
  async breakDatabase(part) {
    const table = part === 'keys' ? 'event' : 'balance';
    await database.query(`
      CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'broken by a test'; END $$;
      CREATE OR REPLACE TRIGGER broken BEFORE INSERT OR UPDATE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION fail()`);
    return () => database.query(`DROP TRIGGER broken ON ${table}`);
  },
});
for (const { name, run } of tests) test(name, run, 60_000);
