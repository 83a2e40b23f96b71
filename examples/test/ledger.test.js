// What the ledger settles, and what it notices.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { check, createTables, settle } from '../merchant/ledger.js';
import { ENGINES } from './engines.js';

/** @import { Database } from '../merchant/database.js' */
/** @import { Engine } from './engines.js' */

for (const { name, skip, open } of ENGINES) {
  describe(`the ledger on ${name}`, { skip }, () => {
    /** @type {Engine} */
    let engine;
    /** @type {Database} */
    let database;
    before(async () => {
      engine = await open();
      database = (await engine.create('ledger')).open();
      await createTables(database);
    });
    after(async () => {
      assert((await check(database.query)).isBalanced);
      await database.close();
      await engine.close();
    });

    /** @param {string | Uint8Array} body */
    const outcomeOf = async (body) => (await settle(database.query, Buffer.from(body))).outcome;
    /** @param {string} account */
    const balanceOf = async (account) => {
      const rows = await database.query(
        'SELECT currency, sum(amount)::text AS amount FROM line WHERE account = $1 GROUP BY currency',
        [`customer:${account}`],
      );
      return Object.fromEntries(rows.map(({ currency, amount }) => [currency, amount]));
    };

    test('books an event once, whatever its encoding or the spelling of its currency', async () => {
      const deposit = depositReceivedBody(
        { clientPaymentId: 'once', actualDepositAmount: '1.000000000000000001' },
        { seed: 1 },
      );
      const withdrawal = withdrawalBroadcastBody(
        { clientWithdrawalId: 'once', withdrawCurrency: ' Btc ', actualWithdrawAmount: '0.25' },
        { seed: 1 },
      );
      for (const body of [deposit, withdrawal]) {
        assert.equal(await outcomeOf(body), 'settled');
        for (const { label, body: copy } of bodyVariants(body)) {
          assert.equal(await outcomeOf(copy), 'repeated', label);
        }
        assert.equal(await outcomeOf(body.replace(/btc/i, 'btc')), 'repeated');
      }
      assert.deepEqual(await balanceOf('once'), { BTC: '0.750000000000000001' });
    });

    const deposit = { clientPaymentId: 'shadowed', depositCurrency: 'BTC' };
    const withdrawal = { clientWithdrawalId: 'shadowed', actualWithdrawAmount: '2' };
    test('holds a copy that moves something else as a conflict, once', async () => {
      for (const [number, [fields, others]] of [
        [deposit, { actualDepositAmount: '0.00000001' }],
        [deposit, { clientPaymentId: 'someone else' }],
        [deposit, { depositCurrency: 'ETH' }],
        [deposit, { settlementAmount: '2' }],
        [withdrawal, { toTxAddress: 'theirs' }],
        [withdrawal, { actualWithdrawAmount: null }],
      ].entries()) {
        const create = fields === deposit ? depositReceivedBody : withdrawalBroadcastBody;
        const original = create(/** @type {object} */ (fields), { seed: 10 + number });
        const other = create({ ...fields, ...others }, { seed: 10 + number });
        assert.equal(await outcomeOf(original), 'settled');
        for (let delivery = 0; delivery < 3; delivery += 1) {
          assert.equal(await outcomeOf(other), 'conflict', JSON.stringify(others));
          assert.equal(await outcomeOf(original), 'repeated');
        }
        const [counts] = await database.query(
          `SELECT (SELECT count(*) FROM line JOIN event USING (key) WHERE event.body = $1)::int AS lines,
             (SELECT deliveries FROM held JOIN event USING (key) WHERE held.body = $2) AS deliveries`,
          [Buffer.from(original), Buffer.from(other)],
        );
        assert.deepEqual(counts, { lines: 2, deliveries: 3 });
      }
    });

    test('lets no identifier of a body name the account of the service', async () => {
      const body = depositReceivedBody({ clientPaymentId: 'service' }, { seed: 30 });
      assert.equal(await outcomeOf(body), 'settled');
      assert.deepEqual(await balanceOf('service'), { BTC: '0.01523' });
    });

    test('debits what was sent, and nothing that is not known to be', async () => {
      for (const [seed, overrides] of [
        { status: /** @type {const} */ ('FAILED') },
        { status: /** @type {const} */ ('BLOCKED') },
        { actualWithdrawAmount: null },
      ].entries()) {
        const body = withdrawalBroadcastBody(
          { clientWithdrawalId: `unsent ${seed}`, ...overrides },
          { seed: 40 + seed },
        );
        assert.equal(await outcomeOf(body), 'settled');
        const balance = await balanceOf(`unsent ${seed}`);
        assert.deepEqual(balance, 'status' in overrides ? { XRP: '0' } : {});
      }
    });

    test('commits nothing, and says so, if the work caught the error of a statement', async () => {
      const work = database.transaction((query) => query('SELECT 1/0').catch(() => 'done'));
      await assert.rejects(work, /rolled back/);
    });

    test('holds what the database says no to, so that it keeps nothing else waiting', async () => {
      const bodyOf = (/** @type {string} */ clientPaymentId) =>
        Buffer.from(depositReceivedBody({ clientPaymentId }, { seed: 80 }));
      const body = bodyOf('nobody');
      for (const code of ['P0001', '42501', 'KM001', '23514']) {
        await database.query(
          `CREATE FUNCTION forbid() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF NEW.account = 'customer:nobody' THEN RAISE 'who?' USING ERRCODE = '${code}'; END IF;
             RETURN NEW;
           END $$`,
        );
        await database.query(
          'CREATE TRIGGER forbid BEFORE INSERT ON line FOR EACH ROW EXECUTE FUNCTION forbid()',
        );
        const held = await settle(database.query, body);
        await database.query('DROP FUNCTION forbid CASCADE');
        assert.equal(held.outcome, 'refused', code);
        assert.deepEqual(held.faults, [{ code: 'not_storable', field: '' }]);
      }
      const unfit = await settle(database.query, bodyOf('a\0b')); // no column takes it
      assert.deepEqual(unfit.faults, [{ code: 'not_storable', field: '' }]);
      // What a replay does, once the customer is known.
      const again = await settle(database.query, body, 0);
      assert.equal(again.outcome, 'settled');
    });

    test('throws if the database fails, whatever body it is', async () => {
      const body = Buffer.from(depositReceivedBody({ clientPaymentId: 'nobody' }, { seed: 81 }));
      for (const [code, severity] of [['EPIPE'], ['57014', 'ERROR'], ['42P01', 'ERROR']]) {
        const error = Object.assign(new Error('down'), { code, ...(severity && { severity }) });
        await assert.rejects(
          settle(() => Promise.reject(error), body),
          error,
        );
      }
    });

    test('finds books that were tampered with', async () => {
      const body = depositReceivedBody({ clientPaymentId: 'books' }, { seed: 70 });
      await settle(database.query, Buffer.from(body));
      const key = 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-000000000046';
      const undo = new Error('undo');
      for (const [sql, unbalanced] of /** @type {const} */ ([
        [`UPDATE line SET amount = amount + 1 WHERE key = $1 AND account = 'service'`, 1],
        ['UPDATE line SET amount = amount * 2 WHERE key = $1', 0],
        ['UPDATE line SET amount = -amount WHERE key = $1', 0],
        [`UPDATE line SET currency = 'ETH' WHERE key = $1`, 0],
        ['DELETE FROM line WHERE key = $1', 0],
        [`UPDATE line SET account = 'customer:thief' WHERE key = $1 AND account <> 'service'`, 0],
      ])) {
        const tampering = database.transaction(async (query) => {
          await query(sql, [key]);
          const books = await check(query);
          assert.equal(books.isBalanced, false, sql);
          assert.deepEqual(books.faulty, [{ key }], sql);
          assert.equal(books.unbalanced.length, unbalanced, sql);
          throw undo;
        });
        await assert.rejects(tampering, undo);
      }
    });
  });
}
