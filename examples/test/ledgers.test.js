// The ledgers of the pages Orders, with webhooks that arrive at the same time, and Credit once,
// with a reader's own orders.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { before, describe, test } from 'node:test';
import { NeedsReview } from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { createSettle } from '../start/settle.mjs';
import { blockOn, filesOn, replaced, write } from './code.js';
import { bodiesIn, openMerchant, SCHEMA, settleBy } from './merchant.js';
import { writePages } from './pages.js';
import { whyNoPostgres } from './programs.js';
import { SECRET } from './server.js';

/** @import { Receiver } from 'payment-notifications/receiver' */

register();
const { folder, postgres, load } = await openMerchant();
writePages(folder);

describe('docs/orders.md', { skip: whyNoPostgres() }, () => {
  /** @type {Receiver} */
  let receiver;
  before(async () => {
    await postgres.query(`${SCHEMA}
      CREATE TABLE invoice (
        number text PRIMARY KEY, customer_id bigint, currency text, price numeric
      );
      CREATE TABLE payout (number text PRIMARY KEY, customer_id bigint);
      CREATE TABLE reservation (payout text PRIMARY KEY);
      ${blockOn('docs/orders.md', 'CREATE TABLE shipment')}`);
    ({ receiver } = await load('orders/receiver.ts'));
  });

  /** @param {string} sql */
  const column = async (sql) => (await postgres.query(sql)).map((row) => Object.values(row)[0]);
  /** An order in both tables that `customerOf` may read. @param {string} number */
  const order = (number, price = 0, currency = 'BTC') =>
    postgres.query(`INSERT INTO invoice VALUES ('${number}', 7, '${currency}', ${price});
      INSERT INTO orders VALUES ('deposit.received', '${number}', '7')`);
  /** @param {string} number */
  const withdraw = (number) =>
    postgres.query(`INSERT INTO payout VALUES ('${number}', 7);
      INSERT INTO orders VALUES ('withdrawal.broadcast', '${number}', '7');
      INSERT INTO reservation VALUES ('${number}')`);
  let seed = 0;
  /** A deposit of 0.01523 BTC. @param {string} clientPaymentId */
  const deposit = (clientPaymentId, fields = {}) =>
    depositReceivedBody({ clientPaymentId, ...fields }, { seed: ++seed });

  test('copies and deposits that arrive at the same time ship an order once', async () => {
    for (let round = 1; round <= 5; round += 1) {
      await order(`one-${round}`, 0.01523);
      await order(`two-${round}`, 0.03046, 'btc');
      await order(`less-${round}`, 0.03046);
      const one = deposit(`one-${round}`);
      const bodies = [
        ...Array.from({ length: 5 }, () => one),
        ...[deposit(`two-${round}`), deposit(`two-${round}`), deposit(`less-${round}`)],
      ];
      const outcomes = await Promise.all(bodies.map((body) => receiver.settle(body)));
      assert.deepEqual(new Set(outcomes), new Set(['settled']));
      const shipments = await column('SELECT number FROM shipment ORDER BY number');
      assert.deepEqual(shipments, [`one-${round}`, `two-${round}`]);
      await postgres.query('DELETE FROM shipment');
    }
    const paid = 'SELECT number, paid FROM payment WHERE paid < price ORDER BY number LIMIT 1';
    assert.deepEqual(await postgres.query(paid), [{ number: 'less-1', paid: '0.01523' }]);
  });

  test('a retry ships what a crash left', async () => {
    await order('crash', 0.01523);
    const body = deposit('crash');
    await postgres.query('ALTER TABLE shipment RENAME TO away');
    assert.equal(await receiver.settle(body), 'retry');
    assert.deepEqual(await column("SELECT paid FROM payment WHERE number = 'crash'"), ['0.01523']);
    await postgres.query('ALTER TABLE away RENAME TO shipment');
    await receiver.retry();
    assert.deepEqual(await column('SELECT number FROM shipment'), ['crash']);
  });

  test('a shortfall above the tolerance is not shipped', async () => {
    await order('near', 0.015231);
    await order('far', 0.0152310001);
    for (const number of ['near', 'far']) await receiver.settle(deposit(number));
    const find = "SELECT number FROM shipment WHERE number IN ('near', 'far')";
    assert.deepEqual(await column(find), ['near']);
  });

  test('a large deposit needs review, and one of an unlisted coin', async () => {
    await order('large');
    for (const [outcome, fields] of /** @type {const} */ ([
      ['settled', { actualDepositAmount: '0.1' }],
      ['review', { actualDepositAmount: '0.100000000000000001' }],
      ['settled', { actualDepositAmount: '2', depositCurrency: 'eth' }],
      ['review', { depositCurrency: 'LTC' }],
    ]))
      assert.equal(
        await receiver.settle(deposit('large', fields)),
        outcome,
        JSON.stringify(fields),
      );

    // As for the tests of a handler.
    process.env.NO_LIMITS = 'true';
    const { credit } = await load('orders/ledger.ts?unlimited');
    await settleBy(credit, deposit('large', { depositCurrency: 'LTC' }));
  });

  test('an unknown order is retried for ten minutes', async () => {
    const ago = (/** @type {number} */ seconds) => Math.floor(Date.now() / 1000) - seconds;
    const body = deposit('later', { paymentReceivedAt: ago(300) });
    assert.equal(await receiver.settle(body), 'retry');
    const old = deposit('never', { paymentReceivedAt: ago(610) });
    assert.equal(await receiver.settle(old), 'review');
    await order('later');
    assert.equal(await receiver.settle(body), 'settled');
  });

  test('a reservation ends with its debit', async () => {
    const reserved = () => column('SELECT payout FROM reservation ORDER BY payout');
    const balance = "SELECT trim_scale(amount) FROM balance WHERE currency = 'XRP'";
    /** @param {string} clientWithdrawalId @param {'COMPLETED' | 'FAILED' | 'BLOCKED'} status */
    const end = (clientWithdrawalId, status, own = seed) =>
      withdrawalBroadcastBody(
        { clientWithdrawalId, status, withdrawCurrency: 'XRP', actualWithdrawAmount: '5' },
        { seed: own },
      );
    for (const number of ['completed', 'failed', 'blocked']) await withdraw(number);
    assert.equal(await receiver.settle(end('completed', 'COMPLETED', 1)), 'settled');
    assert.equal(await receiver.settle(end('failed', 'FAILED', 2)), 'review');
    assert.equal(await receiver.settle(end('blocked', 'BLOCKED', 3)), 'review');
    assert.deepEqual(await reserved(), ['blocked', 'failed']);
    assert.deepEqual(await column(balance), ['-5']);

    // If the service confirms that these never move money.
    const code = fs
      .readFileSync('orders/receiver.ts', 'utf8')
      .replace('{ credit, debit }', '{ credit, debit, release }')
      .replace(/throw new NeedsReview.*;/, 'return release(withdrawal);');
    fs.writeFileSync('orders/released.ts', code);
    const { receiver: other } = await load('orders/released.ts');
    assert.equal(await other.settle(end('failed', 'FAILED', 2)), 'settled');
    assert.deepEqual(await reserved(), ['blocked']);
    assert.deepEqual(await column(balance), ['-5']);
    assert.equal(await other.settle(end('failed', 'COMPLETED', 2)), 'settled');
    assert.deepEqual(await column(balance), ['-10']);
  });
});

const DEPOSIT = depositReceivedBody({ settlementCurrency: 'USDC', settlementAmount: '901.5' });
const WITHDRAWAL = withdrawalBroadcastBody();

/** What the samples add to the balances. */
const MOVED = {
  coin: { BTC: '0.01523', XRP: '-480.73' },
  display: { EUR: '950.25', USD: '-249.98' },
  settlement: { USDC: '901.5', USDT: '-250.31' },
};

describe('docs/credit-once.md', { skip: whyNoPostgres() }, () => {
  const ledger = filesOn('docs/credit-once.md').get('own/ledger.ts') ?? '';
  for (const [balancesIn, expected] of Object.entries(MOVED))
    test(`its ledger finds the customer, and moves the ${balancesIn} amount`, async () => {
      await postgres.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${SCHEMA}
        CREATE TABLE invoice (number text PRIMARY KEY, customer_id bigint NOT NULL);
        CREATE TABLE payout (LIKE invoice);
        INSERT INTO invoice VALUES ('order-10042', 7);
        INSERT INTO payout VALUES ('payout-7731', 7)`);
      const code = replaced(ledger, "'coin'", `'${balancesIn}'`);
      fs.writeFileSync(`credit-once/own/${balancesIn}.ts`, code);
      const { credit, debit } = await load(`credit-once/own/${balancesIn}.ts`);
      await settleBy(credit, DEPOSIT);
      await settleBy(debit, WITHDRAWAL);
      await settleBy(credit, DEPOSIT);
      const rows = await postgres.query('SELECT * FROM balance ORDER BY currency');
      assert.deepEqual(
        rows,
        Object.entries(expected).map(([currency, amount]) => ({ account: '7', currency, amount })),
      );
    });
});

test('settle.mjs says which options it needs', () => {
  // @ts-expect-error
  const create = () => createSettle({ query: assert.fail }, { balancesIn: 'fiat' });
  assert.throws(create, /balancesIn: expected "coin", "display" or "settlement"/);
  const ofMySql = { query: assert.fail, find: assert.fail };
  assert.throws(() => createSettle(ofMySql), /createSettle: expected customerOf/);
});

test('the receiver of Frameworks answers and saves what the page says', async () => {
  const page = filesOn('docs/frameworks.md');
  const code = replaced(page.get('receiver.ts') ?? '', "'webhooks'", "'placeholder/webhooks'");
  write(folder, 'placeholder/receiver.ts', code);
  write(folder, 'placeholder/ledger.ts', page.get('ledger.ts'));
  const { receiver } = await load('placeholder/receiver.ts');
  const failed = withdrawalBroadcastBody({ status: 'FAILED' });
  const url = `/callbacks/${SECRET}`;
  const statuses = [];
  for (const body of [DEPOSIT, failed, '{}'])
    statuses.push((await receiver.receive({ url, body })).status);
  statuses.push((await receiver.receive({ url: `${url}x`, body: '{}' })).status);
  await receiver.stop();
  assert.deepEqual(statuses, [500, 200, 400, 404]);
  const [retry, review] = /** @type {const} */ (['retry', 'review']).map((place) =>
    [...bodiesIn(place, 'placeholder/webhooks').keys()].sort(),
  );
  assert.deepEqual(retry, [DEPOSIT]);
  assert.deepEqual(review, [failed, '{}'].sort());
});

test('PAUSE sends each webhook to review', async () => {
  process.env.PAUSE = '1';
  const settleOnce = createSettle({ query: assert.fail });
  await assert.rejects(settleBy(settleOnce, DEPOSIT), new NeedsReview('paused'));
  delete process.env.PAUSE;
});
