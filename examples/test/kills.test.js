// server.mjs while something is killed, stopped or frozen all the time.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Decimal } from 'payment-notifications';
import {
  bodyVariants,
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { openMerchant, refusedNameOf, replaced } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { LIMIT, statusOf, until } from './server.js';

/** @import { Merchant } from './merchant.js' */
/** @import { Server } from './server.js' */

const IS_FULL = process.env.FULL === 'true';
/** Of the servers, of the database, and of a server with `saveFirst`. */
const [KILLS, STOPS, KILLS_OF_ONE] = IS_FULL ? [50, 10, 10] : [10, 2, 3];
/** How many events are sent between two disturbances, and how many senders there are. */
const [EVENTS, AT_ONCE] = [12, 16];
/** How many bodies for review are sent, and how many between two kills. */
const [REVIEWS, REVIEWS_A_KILL] = IS_FULL ? [20_000, 400] : [600, 100];

/** The same choices in each run. */
const numbers = fc.sample(fc.nat(), { seed: 1, numRuns: 10_000, unbiased: true });
let used = 0;
const below = (/** @type {number} */ limit) => Number(numbers[used++ % numbers.length]) % limit;
/** One of the items. @type {<T>(items: readonly T[]) => T} */
const pick = (items) => /** @type {any} */ (items[below(items.length)]);

describe('two copies', { skip: whyNoPostgres() }, () => {
  /** @type {Merchant} */
  let merchant;
  /** @type {Server[]} */
  let copies;
  before(async () => {
    merchant = await openMerchant();
    copies = [await merchant.start(), await merchant.start()];
    await merchant.postgres.query(`
      INSERT INTO orders SELECT 'deposit.received', 'order-' || n, 'customer-' || n % 3
        FROM generate_series(0, 8) AS n;
      INSERT INTO orders VALUES ('withdrawal.broadcast', 'payout-7731', 'customer-7')`);
  });
  after(() => merchant.close());
  const untilRetried = () => until(() => merchant.waiting('retry').length === 0);

  /** @param {'kill' | 'stop'} how */
  async function restart(how) {
    const index = below(2);
    await copies[index]?.[how]();
    copies[index] = await merchant.start();
  }
  /** To one of the copies, as a load balancer does. @param {string | Uint8Array} body */
  const post = (body) =>
    statusOf(pick(copies.filter((copy) => copy.isRunning())).url, body).catch(() => null);
  /**
   * Sends a body until it is answered so.
   *
   * @param {string | Uint8Array} body
   * @param {number} status
   */
  async function deliver(body, status) {
    while ((await post(body)) !== status) await sleep(20);
  }

  test('lose nothing and move nothing twice, whatever is killed, stopped or frozen', async (t) => {
    const { postgres } = merchant;
    /** Until a delivery has failed because of it. */
    const untilSaved = () => until(() => merchant.waiting('retry').length > 0);
    async function crash() {
      await postgres.crash();
      await untilSaved();
      await postgres.start();
    }
    async function freeze() {
      postgres.freeze();
      await untilSaved();
      postgres.thaw();
    }
    const kills = Array.from(
      { length: KILLS },
      (_, index) => () => restart(index % 3 === 2 ? 'stop' : 'kill'),
    );
    const stops = Array.from({ length: STOPS }, (_, index) => (index % 2 ? freeze : crash));
    const disturbances = [...kills, ...stops]
      .map((run) => ({ run, at: below(2 ** 31) }))
      .sort((one, other) => one.at - other.at);

    /** What the balances must be, by account and currency. @type {Map<string, Decimal>} */
    const sums = new Map();
    /** @param {string} name @param {string} amount */
    const add = (name, amount) => sums.set(name, (sums.get(name) ?? new Decimal(0)).plus(amount));
    let [seed, isOver] = [0, false];
    /** The answers to withdrawals, which are sent once. @type {Map<string, number | null>} */
    const withdrawals = new Map();
    async function sendWithdrawal() {
      const amount = `0.${seed}000000000000001`;
      const body = withdrawalBroadcastBody(
        { clientWithdrawalId: 'payout-7731', actualWithdrawAmount: amount },
        { seed },
      );
      const status = await post(body);
      assert(status === 200 || status === 500 || status === null);
      withdrawals.set(`withdrawal.broadcast:${JSON.parse(body).withdrawalId}:COMPLETED`, status);
    }
    async function sendDeposit() {
      const [order, depositCurrency] = [below(9), pick(['BTC', 'ETH'])];
      const actualDepositAmount = `${1 + below(1000)}.${1e9 + below(1e9)}00000001`; // 18 decimals
      const body = depositReceivedBody(
        { clientPaymentId: `order-${order}`, depositCurrency, actualDepositAmount },
        { seed },
      );
      const variants = bodyVariants(body).map((variant) => variant.body);
      add(`customer-${order % 3} ${depositCurrency}`, actualDepositAmount);
      const bodies = [body, pick(variants), pick(variants)];
      await Promise.all(bodies.map((one) => deliver(one, 200)));
    }
    async function send() {
      while (!isOver) {
        seed += 1;
        await (seed % 3 === 0 ? sendWithdrawal() : sendDeposit());
      }
    }
    const refused = faultyBodies()
      .map(({ body }) => body)
      .filter((body) => body.length > 0 && body.length <= LIMIT);
    const sending = [
      ...Array.from({ length: AT_ONCE }, send),
      ...refused.map((body) => deliver(body, 400)),
    ];
    for (const { run } of disturbances) {
      const next = seed + EVENTS;
      await until(() => seed >= next);
      await run();
    }
    isOver = true;
    await Promise.all(sending);
    await untilRetried();

    const events = await postgres.query('SELECT * FROM event');
    const keys = new Set(events.map(({ key }) => key));
    const lost = [...withdrawals].filter(([key]) => !keys.has(key));
    // One without an answer may have arrived or not.
    assert.deepEqual(
      lost.filter(([, status]) => status !== null),
      [],
    );
    for (const { key, account, currency, amount } of events)
      if (withdrawals.has(key)) add(`${account} ${currency}`, amount);
    assert.equal(events.length, seed - lost.length);
    assert.deepEqual(
      await merchant.balances(),
      Object.fromEntries([...sums].map(([name, sum]) => [name, `${sum}`]).sort()),
    );
    assert.deepEqual(merchant.waiting('review').sort(), refused.map(refusedNameOf).sort());
    t.diagnostic(`${events.length} events, ${lost.length} withdrawals that did not arrive`);
  });

  test('lose no body for review, whatever is killed', async () => {
    const before = merchant.waiting('review').length;
    let [sent, answered] = [0, 0];
    async function send() {
      while (sent < REVIEWS) {
        sent += 1;
        await deliver(depositReceivedBody({ clientPaymentId: 'unknown' }, { seed: sent }), 200);
        answered += 1;
      }
    }
    const senders = Promise.all(Array.from({ length: AT_ONCE }, send));
    for (let next = REVIEWS_A_KILL; next < REVIEWS; next += REVIEWS_A_KILL) {
      await until(() => answered >= next);
      await restart('kill');
    }
    await senders;
    await untilRetried();
    // The name of a body is made from its bytes.
    assert.equal(merchant.waiting('review').length, before + REVIEWS);
  });

  test('with `saveFirst`, a server that is killed loses no withdrawal that comes once', async () => {
    await merchant.reset();
    await merchant.order(withdrawalBroadcastBody());
    const program = join(merchant.folder.path, 'server.mjs');
    const code = fs.readFileSync(program, 'utf8');
    const settings = '  timeoutMs: 15_000,';
    fs.writeFileSync(program, replaced(code, settings, `  saveFirst: true,\n${settings}`));
    for (const copy of copies) await copy.kill();
    for (let seed = 1; seed <= KILLS_OF_ONE; seed += 1) {
      const server = await merchant.start();
      await untilRetried(); // the one before
      const body = withdrawalBroadcastBody({ clientWithdrawalId: 'payout-7731' }, { seed });
      // Before the database has seen the event.
      const lock = await merchant.hold('LOCK TABLE orders');
      const answer = statusOf(server.url, body).catch(() => null);
      await until(merchant.blocked);
      await server.kill();
      assert.equal(await answer, null);
      await lock.end();
    }
    await merchant.start();
    await untilRetried();
    const debited = new Decimal('-480.73').times(KILLS_OF_ONE);
    assert.deepEqual(await merchant.balances(), { 'customer-7 XRP': `${debited}` });
  });
});
