// Two copies of server.mjs while one of them or the database is killed, stopped or frozen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Decimal } from 'payment-notifications';
import {
  bodyVariants,
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { openMerchant } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { LIMIT, statusOf, until } from './server.js';

/** How many disturbances there are, how many events between two of them, and how many senders. */
const [TURNS, EVENTS, SENDERS] = [process.env.FULL === 'true' ? 81 : 18, 12, 16];

test('two copies lose nothing and move nothing twice, whatever is killed, stopped or frozen', {
  skip: whyNoPostgres(),
}, async (t) => {
  const merchant = await openMerchant();
  t.after(merchant.close);
  const { postgres } = merchant;
  await postgres.query(`
    INSERT INTO orders SELECT 'deposit.received', 'order-' || n, 'customer-' || n % 3
      FROM generate_series(0, 8) AS n;
    INSERT INTO orders VALUES ('withdrawal.broadcast', 'payout-7731', 'customer-7')`);
  const copies = [await merchant.start(), await merchant.start()];

  let posted = 0;
  /** To one of the copies, as a load balancer does. @param {string | Uint8Array} body */
  async function post(body) {
    posted += 1;
    const running = copies.filter((copy) => copy.isRunning());
    const { url } = running[posted % running.length] ?? assert.fail('no copy runs');
    return statusOf(url, body).catch(() => null);
  }
  /** Posts it until this is the answer. @param {string | Uint8Array} body @param {number} status */
  async function deliver(body, status) {
    while ((await post(body)) !== status) await sleep(20);
  }

  /** What the balances must be, by account and currency. @type {Map<string, Decimal>} */
  const sums = new Map();
  /** @param {string} name @param {string} amount */
  const add = (name, amount) => sums.set(name, (sums.get(name) ?? new Decimal(0)).plus(amount));
  /** The answers to withdrawals, which are sent once. @type {Map<string, number | null>} */
  const withdrawals = new Map();
  /** @param {number} seed */
  async function sendWithdrawal(seed) {
    const actualWithdrawAmount = `0.${seed}000000000000001`;
    const fields = { clientWithdrawalId: 'payout-7731', actualWithdrawAmount };
    const body = withdrawalBroadcastBody(fields, { seed });
    const status = await post(body);
    assert(status === 200 || status === 500 || status === null);
    withdrawals.set(`withdrawal.broadcast:${JSON.parse(body).withdrawalId}:COMPLETED`, status);
  }
  /** Sends it three times, in different forms. @param {number} seed */
  async function sendDeposit(seed) {
    const depositCurrency = seed % 2 === 0 ? 'BTC' : 'ETH';
    const actualDepositAmount = `${seed}.123456789012345678`;
    const fields = { clientPaymentId: `order-${seed % 9}`, depositCurrency, actualDepositAmount };
    const body = depositReceivedBody(fields, { seed });
    const variants = bodyVariants(body).map((variant) => variant.body);
    add(`customer-${seed % 3} ${depositCurrency}`, actualDepositAmount);
    const forms = [0, 1].map((index) => variants[(seed + index) % variants.length] ?? body);
    await Promise.all([body, ...forms].map((one) => deliver(one, 200)));
  }

  /** Deposits of orders that nobody knows. @type {string[]} */
  const unknown = [];
  /** @param {number} seed */
  async function sendUnknown(seed) {
    const body = depositReceivedBody({ clientPaymentId: `unknown-${seed}` }, { seed });
    unknown.push(body);
    await deliver(body, 200);
  }

  /** Ends a copy, and starts it again. @param {'kill' | 'stop'} how */
  const restart = (how) => async (/** @type {number} */ turn) => {
    await copies[turn % 2]?.[how]();
    copies[turn % 2] = await merchant.start();
  };
  const [kill, stop] = [restart('kill'), restart('stop')];
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
  /** Their number is odd, so that each copy gets each of them. */
  const disturbances = [kill, kill, stop, kill, crash, kill, stop, kill, freeze];

  let [seed, isOver] = [0, false];
  async function send() {
    while (!isOver) {
      seed += 1;
      await [sendWithdrawal, sendDeposit, sendUnknown][seed % 3]?.(seed);
    }
  }
  const refused = faultyBodies()
    .map(({ body }) => Buffer.from(body))
    .filter((body) => body.length > 0 && body.length <= LIMIT);
  const sending = [
    ...Array.from({ length: SENDERS }, send),
    ...refused.map((body) => deliver(body, 400)),
  ];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const next = seed + EVENTS;
    await until(() => seed >= next);
    await disturbances[turn % disturbances.length]?.(turn);
  }
  isOver = true;
  await Promise.all(sending);
  await merchant.untilRetried();

  const events = await postgres.query('SELECT * FROM event');
  const keys = new Set(events.map(({ key }) => key));
  const lost = [...withdrawals].filter(([key]) => !keys.has(key));
  // One without an answer may have arrived or not.
  const answered = lost.filter(([, status]) => status !== null);
  assert.deepEqual(answered, []);
  for (const { key, account, currency, amount } of events)
    if (withdrawals.has(key)) add(`${account} ${currency}`, amount);
  assert.equal(events.length, seed - lost.length - unknown.length);
  assert.deepEqual(
    await merchant.balances(),
    Object.fromEntries([...sums].map(([name, sum]) => [name, `${sum}`]).sort()),
  );
  const reviewed = [...refused.map(String), ...unknown];
  assert.deepEqual(merchant.bodies('review').sort(), reviewed.sort());
  t.diagnostic(`${events.length} events, ${lost.length} withdrawals that did not arrive`);
});
