// What the ledger settles, and what it notices.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseNotification } from 'payment-notifications';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { nextBody } from '../../test/fuzz/bodies.js';
import { createRandom } from '../../test/fuzz/random.js';
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

    test('books an event once, whatever its encoding', async () => {
      const deposit = depositReceivedBody(
        { clientPaymentId: 'once', actualDepositAmount: '1.000000000000000001' },
        { seed: 1 },
      );
      const withdrawal = withdrawalBroadcastBody(
        { clientWithdrawalId: 'once', withdrawCurrency: 'BTC', actualWithdrawAmount: '0.25' },
        { seed: 1 },
      );
      for (const body of [deposit, withdrawal]) {
        assert.equal(await outcomeOf(body), 'settled');
        for (const { label, body: copy } of bodyVariants(body)) {
          assert.equal(await outcomeOf(copy), 'repeated', label);
        }
      }
      assert.deepEqual(await balanceOf('once'), { BTC: '0.750000000000000001' });
    });

    const deposit = { clientPaymentId: 'shadowed', depositCurrency: 'BTC' };
    const withdrawal = { clientWithdrawalId: 'shadowed', actualWithdrawAmount: '2' };
    for (const [number, [what, fields, others]] of [
      ['another amount', deposit, { actualDepositAmount: '0.00000001' }],
      ['another account', deposit, { clientPaymentId: 'someone else' }],
      ['another currency', deposit, { depositCurrency: 'ETH' }],
      ['another settlement amount', deposit, { settlementAmount: '2' }],
      ['another address', withdrawal, { toTxAddress: 'theirs' }],
      ['no amount', withdrawal, { actualWithdrawAmount: null }],
    ].entries()) {
      test(`holds a copy with ${what} as a conflict, once`, async () => {
        const create = fields === deposit ? depositReceivedBody : withdrawalBroadcastBody;
        const original = create(/** @type {object} */ (fields), { seed: 10 + number });
        const all = { .../** @type {object} */ (fields), .../** @type {object} */ (others) };
        const other = create(all, { seed: 10 + number });
        assert.equal(await outcomeOf(original), 'settled');
        const [before] = await database.query('SELECT count(*)::int AS lines FROM line');
        for (let delivery = 0; delivery < 3; delivery += 1) {
          assert.equal(await outcomeOf(other), 'conflict');
          assert.equal(await outcomeOf(original), 'repeated');
        }
        const [after] = await database.query('SELECT count(*)::int AS lines FROM line');
        assert.deepEqual(after, before);
        const held = await database.query('SELECT key, deliveries FROM held WHERE body = $1', [
          Buffer.from(other),
        ]);
        assert.equal(held.length, 1);
        assert.equal(held[0]?.deliveries, 3);
        assert(held[0]?.key);
      });
    }

    test('spells a currency one way', async () => {
      const spellings = ['BTC', 'btc', ' Btc '];
      for (const [index, depositCurrency] of spellings.entries()) {
        const body = depositReceivedBody(
          { clientPaymentId: 'spelling', depositCurrency, actualDepositAmount: '1' },
          { seed: 20 + index },
        );
        assert.equal(await outcomeOf(body), 'settled');
      }
      assert.deepEqual(await balanceOf('spelling'), { BTC: '3' });
      const again = depositReceivedBody(
        { clientPaymentId: 'spelling', depositCurrency: 'btc', actualDepositAmount: '1' },
        { seed: 20 },
      );
      assert.equal(await outcomeOf(again), 'repeated');
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

    test('holds what no column can store as refused', async () => {
      const long = Array.from({ length: 20_000 }, (_, index) => (index * 7919).toString(36)).join(
        '',
      );
      for (const [seed, clientPaymentId] of ['a\0b', long].entries()) {
        const body = depositReceivedBody({ clientPaymentId }, { seed: 50 + seed });
        const { outcome, faults } = await settle(database.query, Buffer.from(body).subarray(0));
        assert.equal(outcome, 'refused');
        const code = clientPaymentId === long ? 'body_too_large' : 'not_storable';
        assert.deepEqual(
          faults.map((fault) => fault.code),
          [code],
        );
      }
    });

    test('commits nothing, and says so, if the work caught the error of a statement', async () => {
      const work = database.transaction((query) => query('SELECT 1/0').catch(() => 'done'));
      await assert.rejects(work, /rolled back/);
    });

    test('holds what the database says no to, so that it keeps nothing else waiting', async () => {
      const body = Buffer.from(depositReceivedBody({ clientPaymentId: 'nobody' }, { seed: 80 }));
      const forbidden = (/** @type {string} */ raise) =>
        `CREATE FUNCTION forbid() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF NEW.account = 'customer:nobody' THEN ${raise}; END IF; RETURN NEW;
         END $$`;
      const trigger =
        'CREATE TRIGGER forbid BEFORE INSERT ON line FOR EACH ROW EXECUTE FUNCTION forbid()';
      for (const raise of [
        "RAISE EXCEPTION 'who is that?'",
        "RAISE EXCEPTION 'who is that?' USING ERRCODE = '42501'", // a row-level policy, too
        "RAISE EXCEPTION 'who is that?' USING ERRCODE = 'KM001'", // one of your own
        "RAISE EXCEPTION 'who is that?' USING ERRCODE = '23514'", // a constraint, too
      ]) {
        await database.query(forbidden(raise));
        await database.query(trigger);
        const held = await settle(database.query, body);
        await database.query('DROP FUNCTION forbid CASCADE');
        assert.equal(held.outcome, 'refused', raise);
        assert.deepEqual(held.faults, [{ code: 'not_storable', field: '' }]);
      }
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

    test('counts faults and warnings by documented fields alone', async () => {
      const documented = new Set(['', 'deducedSettlementAmount', 'txAddressOwner']);
      for (const body of [depositReceivedBody(), withdrawalBroadcastBody()]) {
        for (const field of Object.keys(parseNotification(body))) documented.add(field);
      }
      for (const name of ['name', 'category']) documented.add(`txAddressOwner.${name}`);
      const random = createRandom(7);
      const seen = new Set();
      for (let count = 0; count < 2_000; count += 1) {
        const body = nextBody(random);
        if (typeof body !== 'string') continue;
        const { faults, warnings } = await settle(database.query, Buffer.from(body));
        for (const { code, field } of [...faults, ...warnings]) {
          seen.add(code);
          assert(documented.has(field), `${field} is no documented field`);
          assert.match(code, /^[a-z_]+$/);
        }
      }
      assert(seen.has('missing_field') && seen.has('additional_fields'), [...seen].join());
    });

    test('settles several bodies in a transaction, all of them or none', async () => {
      const bodies = [60, 61].map((seed) =>
        Buffer.from(depositReceivedBody({ clientPaymentId: 'batch' }, { seed })),
      );
      const batch = (/** @type {boolean} */ fails) =>
        database.transaction(async (query) => {
          for (const body of bodies) await settle(query, body);
          if (fails) throw new Error('on purpose');
        });
      await assert.rejects(batch(true), /on purpose/);
      assert.deepEqual(await balanceOf('batch'), {});
      await batch(false);
      await batch(false);
      assert.deepEqual(await balanceOf('batch'), { BTC: '0.03046' });
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
