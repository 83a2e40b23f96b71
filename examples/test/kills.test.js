// Two copies of server.mjs on one store, while one of them or the database is killed, stopped or
// frozen.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Decimal,
  idempotencyKey,
  parseNotification,
  safeParseNotification,
} from 'payment-notifications';
import {
  bodyVariants,
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { copied } from './code.js';
import { openMerchant, replaced, SETTLE } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { LIMIT, statusOf, until } from './server.js';
import { openBucket, openFolderStore, openTable } from './stores.js';

/** @import { Merchant } from './merchant.js' */
/** @import { OpenStore } from './stores.js' */

/** How many senders there are, and how many times as many disturbances as usual. */
const [SENDERS, TIMES] = [16, process.env.FULL === 'true' ? 4 : 1];

/** Writes down each call first, and takes a while, so that a kill finds several. May fail then. */
const RECORDING = `import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSettle as create } from './own-settle.mjs';
export function createSettle(database) {
  const settleOnce = create(database);
  return async (notification, context) => {
    appendFileSync('called', context.key + '\\n');
    await sleep(60 * Math.random());
    if (Math.random() < Number(process.env.FAILING)) throw new Error('this try fails');
    await settleOnce(notification, context);
  };
}
`;

/** Why a body is in `review` that three kills have found in progress. */
const THREE_KILLS = 'its function ended the process three times';

/** Lets server.mjs write down each call. @param {Merchant} merchant */
function record({ folder }) {
  fs.writeFileSync(join(folder.path, 'own-settle.mjs'), SETTLE);
  fs.writeFileSync(join(folder.path, 'settle.mjs'), RECORDING);
}

/** The key of each call. @param {Merchant} merchant */
const callsOf = ({ folder }) =>
  fs.readFileSync(join(folder.path, 'called'), 'utf8').trim().split('\n');

/**
 * Lets server.mjs use a store.
 *
 * @param {Merchant} merchant
 * @param {OpenStore} store
 * @param {(code: string) => string} change
 */
function useStore({ folder }, { code }, change) {
  const server = change(copied('server.mjs'));
  const own = code === '' ? server : replaced(server, 'store: createStore(folder),', 'store,');
  fs.writeFileSync(join(folder.path, 'server.mjs'), `${code}\n${own}`);
}

/**
 * Sends events to two copies while they are disturbed. Checks that each is settled once.
 *
 * @param {Merchant} merchant
 * @param {OpenStore} store
 * @param {Disturbance[]} disturbances
 * @param {number} between How many events there are between two disturbances.
 * @returns {Promise<string>} What happened.
 *
 * @typedef {'kill' | 'stop' | 'crash' | 'freeze'} Disturbance
 */
async function disturb(merchant, store, disturbances, between) {
  const { postgres } = merchant;
  await postgres.query(`
    INSERT INTO orders SELECT 'deposit.received', 'order-' || n, 'customer-' || n % 3
      FROM generate_series(0, 8) AS n;
    INSERT INTO orders VALUES ('withdrawal.broadcast', 'payout-7731', 'customer-7')`);
  record(merchant);
  const started = [await merchant.start(store.env), await merchant.start(store.env)];
  const copies = [...started];

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
  /** The answers to withdrawals, of which no copy is sent again. @type {Map<string, unknown[]>} */
  const withdrawals = new Map();
  /** Sends it once, or two copies at the same time. @param {string} body @param {number} seed */
  async function sendOnce(body, seed) {
    const statuses = await Promise.all((seed % 12 < 6 ? [body] : [body, body]).map(post));
    assert(statuses.every((status) => status === 200 || status === 500 || status === null));
    withdrawals.set(keyOf(body), statuses);
  }
  /** @param {number} seed */
  async function sendWithdrawal(seed) {
    const actualWithdrawAmount = `0.${seed}000000000000001`;
    const fields = { clientWithdrawalId: 'payout-7731', actualWithdrawAmount };
    await sendOnce(withdrawalBroadcastBody(fields, { seed }), seed);
  }
  /** @type {string[]} */
  const deposits = [];
  /** Sends two copies and another form of it, at the same time. @param {number} seed */
  async function sendDeposit(seed) {
    const depositCurrency = seed % 2 === 0 ? 'BTC' : 'ETH';
    const actualDepositAmount = `${seed}.123456789012345678`;
    const fields = { clientPaymentId: `order-${seed % 9}`, depositCurrency, actualDepositAmount };
    const body = depositReceivedBody(fields, { seed });
    const forms = bodyVariants(body);
    const form = forms[seed % forms.length]?.body ?? body;
    add(`customer-${seed % 3} ${depositCurrency}`, actualDepositAmount);
    deposits.push(keyOf(body));
    await Promise.all([body, body, form].map((one) => deliver(one, 200)));
  }
  /** Deposits of orders that nobody knows. @type {string[]} */
  const unknown = [];
  /** @param {number} seed */
  async function sendUnknown(seed) {
    const body = depositReceivedBody({ clientPaymentId: `unknown-${seed}` }, { seed });
    unknown.push(body);
    await Promise.all([body, body].map((one) => deliver(one, 200)));
  }
  /** Withdrawals that need review. @type {string[]} */
  const failed = [];
  /** @param {number} seed */
  async function sendFailed(seed) {
    const body = withdrawalBroadcastBody({ status: 'FAILED' }, { seed });
    failed.push(body);
    await sendOnce(body, seed);
  }

  /** Until a delivery has failed because of it. */
  const untilSaved = () => until(() => merchant.waiting('retry').length > 0);
  let restarts = 0;
  /** @param {Disturbance} how */
  async function disturbBy(how) {
    if (how === 'crash') {
      await postgres.crash();
      await untilSaved();
      await postgres.start();
    } else if (how === 'freeze') {
      postgres.freeze();
      await untilSaved();
      postgres.thaw();
    } else {
      const index = restarts % 2;
      restarts += 1;
      await copies[index]?.[how]();
      const next = await merchant.start(store.env);
      copies[index] = next;
      started.push(next);
    }
  }

  // A deposit is sent again before its claim runs out, so most are withdrawals.
  const once = [sendWithdrawal, sendFailed];
  const kinds = [...once, sendDeposit, ...once, sendUnknown];
  let [seed, isOver] = [0, false];
  async function send() {
    while (!isOver) {
      seed += 1;
      await kinds[seed % kinds.length]?.(seed);
    }
  }
  const refused = faultyBodies()
    .map(({ body }) => Buffer.from(body))
    .filter((body) => body.length > 0 && body.length <= LIMIT);
  const sending = [
    ...Array.from({ length: SENDERS }, send),
    ...refused.map((body) => deliver(body, 400)),
  ];
  for (const disturbance of disturbances) {
    const next = seed + between;
    await until(() => seed >= next);
    await disturbBy(disturbance);
  }
  isOver = true;
  await Promise.all(sending);
  let killed = 0;
  async function untilSettled() {
    await until(async () => (await store.unsettled()) === 0); // until the last claim has run out
    for (const { body, reason } of await store.reviewed()) {
      if (reason !== THREE_KILLS) continue;
      killed += 1;
      await store.retry(body);
    }
  }
  await untilSettled();
  // What is saved later than a store's time may come after its event was settled: a repeat.
  await sleep(6_000);
  await untilSettled();
  assert(killed <= 2 * TIMES, `${killed} bodies were killed three times`); // each is rare
  for (const copy of copies) assert.equal(await copy.stop(), 0);
  assert.equal(await store.unsettled(), 0);

  // A kill while a body is written may leave a part of it. Its sender had no answer.
  const whole = (await store.reviewed()).filter(
    ({ reason }) => !reason?.startsWith('half written'),
  );
  const reviewed = whole.map(({ body }) => body);
  const events = await postgres.query('SELECT * FROM event');
  const settled = events.map(({ key }) => key);
  const lost = without([...withdrawals.keys()], [...settled, ...reviewed.flatMap(keysOf)]);
  // What is nowhere had no answer, and its function was not called.
  const called = callsOf(merchant);
  // On a slow machine, a store may take longer than its time. Then the log says so.
  const said = started.flatMap(({ printed }) => printed.filter((line) => /^failed: /.test(line)));
  const isSaid = (/** @type {string} */ key) => said.some((line) => line.includes(`${key}: `));
  const isKnown = (/** @type {string} */ key) =>
    (called.includes(key) || withdrawals.get(key)?.some((status) => status !== null)) &&
    !isSaid(key);
  assert.deepEqual(lost.filter(isKnown), []);
  // Nothing else is missing, and nothing is anywhere twice.
  const isHere = (/** @type {string} */ body) => !lost.includes(keyOf(body));
  const toReview = [...refused.map(String), ...unknown, ...failed.filter(isHere)];
  assert.deepEqual(without(reviewed, toReview), []);
  assert.deepEqual(without(toReview, reviewed), []);
  const toSettle = without([...deposits, ...withdrawals.keys()], [...lost, ...failed.map(keyOf)]);
  assert.deepEqual(settled.sort(), toSettle.sort());
  for (const { key, account, currency, amount } of events)
    if (withdrawals.has(key)) add(`${account} ${currency}`, amount);
  assert.deepEqual(
    await merchant.balances(),
    Object.fromEntries([...sums].map(([name, sum]) => [name, `${sum}`]).sort()),
  );

  const takenOver = started
    .flatMap(({ printed }) => printed)
    .filter((line) =>
      line.endsWith('was left in progress, because its process ended or the store failed'),
    );
  const kills = disturbances.filter((one) => one === 'kill');
  return `${seed} events, ${kills.length} kills: ${takenOver.length} bodies were taken over, ${lost.length} withdrawals were not saved before a kill, ${killed} bodies were killed three times`;
}

/** @param {string} body */
const keyOf = (body) => idempotencyKey(parseNotification(body));
/** None, if it is faulty. @param {string} body */
const keysOf = (body) => (safeParseNotification(body).success ? [keyOf(body)] : []);

/** Those of a list that another one hasn't. @param {string[]} list @param {string[]} other */
function without(list, other) {
  const left = [...list];
  for (const one of other) {
    const index = left.indexOf(one);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}

describe('two copies lose nothing and move nothing twice', {
  concurrency: true,
  skip: whyNoPostgres(),
}, () => {
  test('whatever is killed, stopped or frozen', async (t) => {
    const merchant = await openMerchant();
    t.after(merchant.close);
    // The restarts are odd, so that each copy gets each of them.
    const all = 'kill kill stop kill crash kill stop kill freeze '.repeat(2 * TIMES).trim();
    const disturbances = /** @type {Disturbance[]} */ (all.split(' '));
    t.diagnostic(await disturb(merchant, openFolderStore(merchant), disturbances, 12));
  });

  for (const [what, open] of /** @type {const} */ ([
    ['a folder', openFolderStore],
    ['a bucket', openBucket],
    ['a table', openTable],
  ]))
    test(`on ${what}, while they are killed`, async (t) => {
      const merchant = await openMerchant();
      t.after(merchant.close);
      const store = await open(merchant);
      t.after(store.close);
      // Claims run out while there are more kills.
      useStore(merchant, store, (code) => replaced(code, 'timeoutMs: 15_000', 'timeoutMs: 1_000'));
      const kills = /** @type {Disturbance[]} */ (Array(20 * TIMES).fill('kill'));
      const env = { ...store.env, FAILING: '0.2' };
      t.diagnostic(await disturb(merchant, { ...store, env }, kills, 20));
    });

  /** Deposits of one order. @param {number} count */
  const deposits = (count) =>
    Array.from({ length: count }, (_, index) =>
      depositReceivedBody({ clientPaymentId: 'order-10042' }, { seed: index + 1 }),
    );

  test('a body that ends each process is reviewed after three, and the others are settled', async (t) => {
    const merchant = await openMerchant();
    t.after(merchant.close);
    const [bad = '', ...good] = deposits(11);
    await merchant.order(bad);
    const ending = replaced(
      SETTLE,
      'settleOnce(notification, { key, body }) {\n',
      `settleOnce(notification, { key, body }) {\nif (key === '${keyOf(bad)}') process.exit(1);\n`,
    );
    fs.writeFileSync(join(merchant.folder.path, 'settle.mjs'), ending);
    merchant.wait(bad, ...good);
    for (let ends = 1; ends <= 3; ends += 1) {
      if (ends > 1) merchant.endClaims();
      const ended = await merchant.start().catch(() => null); // it may end before it listens
      await until(() => !ended?.isRunning());
      // Restarted at once, it leaves the body alone that has ended it.
      const next = await merchant.start();
      await until(() => merchant.waiting('retry').length === 0);
      assert.equal(await next.stop(), 0);
      assert.deepEqual(merchant.bodies('progress'), [bad]);
      assert.deepEqual(await merchant.balances(), { 'customer-7 BTC': '0.1523' });
    }
    merchant.endClaims();
    const last = await merchant.start();
    await merchant.untilSettled();
    assert.equal(await last.stop(), 0);
    assert.equal(merchant.reason('review', bad), `${THREE_KILLS}\n`);
  });

  for (const [what, open] of /** @type {const} */ ([
    ['a folder', openFolderStore],
    ['a table', openTable],
  ]))
    test(`rounds of two copies on ${what} call each function once`, async (t) => {
      const merchant = await openMerchant();
      t.after(merchant.close);
      const bodies = deposits(200);
      await merchant.order(...bodies.slice(0, 1));
      const store = await open(merchant);
      useStore(merchant, store, (code) => code);
      record(merchant);
      const rows = bodies.map((body, index) => `('${index}', 'retry', '${body}'::text::bytea, '')`);
      const insert = `INSERT INTO webhook (name, place, body, reason) VALUES ${rows}`;
      await (store.code === '' ? merchant.wait(...bodies) : merchant.postgres.query(insert));
      const copies = await Promise.all([merchant.start(store.env), merchant.start(store.env)]);
      await until(async () => (await store.unsettled()) === 0);
      for (const copy of copies) assert.equal(await copy.stop(), 0);
      assert.deepEqual(callsOf(merchant).sort(), bodies.map(keyOf).sort());
    });
});
