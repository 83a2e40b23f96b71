// The merchant under load: every deposit once, whatever is killed, stopped or sent in between.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { createRandom } from '../../test/fuzz/random.js';
import { check } from '../merchant/ledger.js';
import { LIMIT } from './bodies.js';
import { copiesOf, nextDeposit, nextRefused, shuffle, unitsOf } from './deposits.js';
import { ENGINES, startMerchant, startMerchants, stop, untilDrained } from './engines.js';
import { deliverAll } from './load.js';
import { addFigures, writeFigures } from './results.js';

/** @import { Deposit } from './deposits.js' */
/** @import { Engine, Server, Storage } from './engines.js' */

const COPIES = 5;
const WITHDRAWALS = 300;

for (const { name, skip, open } of ENGINES) {
  describe(`a merchant on ${name}`, { skip }, () => {
    /** @type {Engine} */
    let engine;
    /** @type {Storage} */
    let storage;
    /** All that were delivered to it. @type {Deposit[]} */
    const deposits = [];
    /** @type {Buffer[]} */
    const hostile = [];
    let credited = '';
    before(async () => {
      engine = await open();
      storage = await engine.create('deposits');
      credited = `${engine.load.deposits} of ${engine.load.deposits} deposits credited once`;
    });
    after(() => engine.close());

    test(`credits each deposit once, delivered ${COPIES} times, and keeps hostile bodies between`, async () => {
      const random = createRandom(1);
      const copies = copiesOfNext(engine.load.deposits, deposits, random);
      hostile.push(...hostileBodies(engine, random));
      const merchants = await startMerchants(storage, engine.processes);
      const bad = hostile.map((body) => ({ body, status: 400 }));
      const bodies = shuffle([...copies, ...bad], random);
      const load = await deliverAll(bodies, merchants, random);
      assert(merchants.every((merchant) => merchant.isRunning()));
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert.equal(load.retries, 0);
      assert.equal(load.answers.get('200 settled'), deposits.length);
      assert.equal(load.answers.get('200 repeated'), deposits.length * (COPIES - 1));
      await assertCredited(storage, deposits, hostile);
      const run = engine.processes === 1 ? '1 process' : `${engine.processes} processes`;
      const survived = `${credited}; ${hostile.length} of ${hostile.length} hostile bodies kept`;
      addFigures(engine.name, run, deposits.length + hostile.length, load, survived);
    });

    test('loses and doubles nothing while processes are killed and the database stops', async () => {
      const random = createRandom(2);
      const merchants = await startMerchants(storage, engine.processes);
      const disturbances = Array.from(
        { length: engine.load.kills },
        (_, turn) => () => killAndCheck(merchants, turn % merchants.length, storage),
      );
      const { server } = engine;
      if (server) {
        for (const mode of /** @type {const} */ (['fast', 'immediate'])) {
          disturbances.splice(mode === 'fast' ? 3 : 8, 0, async () => {
            await server.stop(mode);
            await server.start();
          });
        }
      }
      const bodies = copiesOfNext(engine.load.deposits, deposits, random);
      const load = await deliverAll(bodies, merchants, random, disturbances);
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert(load.retries > 0, 'nothing was in the way of a kill');
      await assertCredited(storage, deposits, hostile);
      // Credited by a process that was killed before it could say so, or from the spool. Whoever
      // asks again hears "repeated", which is as good.
      const unheard = engine.load.deposits - (load.answers.get('200 settled') ?? 0);
      const run = `${engine.load.kills} kills${server ? ', 2 stops of the database' : ' with the database inside'}`;
      const survived = `${credited}; answered only later: ${unheard}`;
      addFigures(engine.name, run, engine.load.deposits, load, survived);
    });

    // PGlite stops only with the merchant.
    if (name === 'PostgreSQL') {
      test(`settles ${WITHDRAWALS} withdrawals that come once, while the database stops twice`, async () => {
        const { server } = engine;
        assert(server);
        const random = createRandom(4);
        const storage = await engine.create('once');
        const merchants = await startMerchants(storage, engine.processes);
        const bodies = Array.from({ length: WITHDRAWALS }, (_, index) => ({
          body: withdrawalBroadcastBody({ withdrawCurrency: 'XRP' }, { seed: index + 1 }),
          status: 200,
        }));
        const stops = /** @type {const} */ (['fast', 'immediate']).map((mode) => async () => {
          await server.stop(mode);
          await server.start();
        });
        const load = await deliverAll(bodies, merchants, random, stops, null);
        for (const merchant of merchants) await untilDrained(merchant);
        await stop(merchants);

        const settled = load.answers.get('200 settled') ?? 0;
        const spooled = load.answers.get('500 spooled') ?? 0;
        assert.equal(settled + spooled, WITHDRAWALS);
        assert(spooled > 0, 'nothing was in the way of a stop');
        await assertBalanced(storage);
        const database = storage.open();
        const [sum] = await database.query(
          `SELECT count(*)::int, sum(amount)::text FROM line WHERE account = 'service'`,
        );
        await database.close();
        const sent = unitsOf('480.73') * BigInt(WITHDRAWALS);
        assert.deepEqual(
          { ...sum, sum: unitsOf(`${sum?.sum}`) },
          { count: WITHDRAWALS, sum: sent },
        );
        const survived = `${WITHDRAWALS} of ${WITHDRAWALS} withdrawals debited once, ${spooled} of them by way of the spool`;
        addFigures(
          engine.name,
          'each body once, 2 stops of the database',
          WITHDRAWALS,
          load,
          survived,
        );
      });
    }
  });
}

after(writeFigures);

/**
 * Copies of new deposits, which are added to those before.
 *
 * @param {number} count
 * @param {Deposit[]} deposits
 * @param {ReturnType<typeof createRandom>} random
 */
function copiesOfNext(count, deposits, random) {
  const next = Array.from({ length: count }, (_, index) =>
    nextDeposit(deposits.length + index + 1, random),
  );
  deposits.push(...next);
  const bodies = next.flatMap((deposit) => copiesOf(deposit, COPIES, random));
  return shuffle(bodies, random).map((body) => ({ body, status: 200 }));
}

/** Texts and bytes that are refused. @param {Engine} engine @param {ReturnType<typeof createRandom>} random */
function hostileBodies({ load }, random) {
  /** @type {Buffer[]} */
  const bodies = [
    Buffer.alloc(0),
    Buffer.alloc(LIMIT, '['),
    Buffer.from(depositReceivedBody({ clientPaymentId: 'x\0'.repeat(2_000) })),
    Buffer.from("'; DROP TABLE balance; --"),
  ];
  while (bodies.length < load.hostile) bodies.push(nextRefused(random));
  return bodies;
}

/**
 * Kills a process with SIGKILL, looks at the books, and starts it again, as a supervisor would.
 *
 * @param {Server[]} merchants
 * @param {number} index
 * @param {Storage} storage
 */
async function killAndCheck(merchants, index, storage) {
  const merchant = merchants[index];
  assert(merchant);
  await merchant.kill();
  await assertBalanced(storage);
  merchants[index] = await startMerchant(storage, { index });
}

/** @param {Storage} storage */
async function assertBalanced({ open }) {
  const database = open();
  const books = await check(database.query);
  await database.close();
  assert(books.isBalanced, JSON.stringify(books));
}

/**
 * Every balance is the exact sum and each event is there once; each hostile body is kept to the byte, with
 * the number of its deliveries.
 *
 * @param {Storage} storage
 * @param {Deposit[]} deposits
 * @param {Buffer[]} hostile
 */
async function assertCredited({ open }, deposits, hostile) {
  const database = open();
  const books = await check(database.query);
  const balances = await database.query(
    'SELECT account, currency, sum(amount)::text AS amount FROM line GROUP BY account, currency',
  );
  const events = await database.query('SELECT key FROM event');
  const held = await database.query(`SELECT encode(body, 'hex') AS body, deliveries FROM held`);
  await database.close();
  assert(books.isBalanced, JSON.stringify(books));
  /** @type {Map<string, bigint>} */
  const sums = new Map();
  for (const { account, currency, units } of deposits) {
    for (const [name, change] of /** @type {const} */ ([
      [`customer:${account} ${currency}`, units],
      [`service ${currency}`, -units],
    ])) {
      sums.set(name, (sums.get(name) ?? 0n) + change);
    }
  }
  assert.deepEqual(
    new Map(balances.map((row) => [`${row.account} ${row.currency}`, unitsOf(`${row.amount}`)])),
    sums,
  );
  assert.deepEqual(events.map(({ key }) => key).sort(), deposits.map(({ key }) => key).sort());
  /** @type {Map<unknown, number>} */
  const counts = new Map();
  for (const body of hostile.map((bytes) => bytes.toString('hex')))
    counts.set(body, (counts.get(body) ?? 0) + 1);
  assert.deepEqual(new Map(held.map(({ body, deliveries }) => [body, deliveries])), counts);
}
