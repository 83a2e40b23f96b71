// The merchant under load: every deposit once, whatever is killed, stopped or sent in between.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { createRandom } from '../../test/fuzz/random.js';
import { LIMIT } from './bodies.js';
import { copiesOf, nextDeposit, nextRefused, shuffle, unitsOf } from './deposits.js';
import {
  ENGINES,
  settledIn,
  startMerchant,
  startMerchants,
  stop,
  untilDrained,
} from './engines.js';
import { deliverAll } from './load.js';
import { addFigures, writeFigures } from './results.js';

/** @import { Deposit } from './deposits.js' */
/** @import { Engine, Storage } from './engines.js' */

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
      const disturbances = Array.from({ length: engine.load.kills }, (_, turn) => async () => {
        const index = turn % merchants.length;
        await merchants[index]?.kill();
        await settledIn(storage);
        // As a supervisor would.
        merchants[index] = await startMerchant(storage, { index });
      });
      const stops = stopsOf(engine);
      for (const [index, stop] of stops.entries()) disturbances.splice(3 + 5 * index, 0, stop);
      const bodies = copiesOfNext(engine.load.deposits, deposits, random);
      const load = await deliverAll(bodies, merchants, random, disturbances);
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert(load.retries > 0, 'nothing was in the way of a kill');
      await assertCredited(storage, deposits, hostile);
      // Credited by a process that was killed before it could say so, or from the spool. Whoever
      // asks again hears "repeated", which is as good.
      const unheard = engine.load.deposits - (load.answers.get('200 settled') ?? 0);
      const run = `${engine.load.kills} kills${stops.length > 0 ? ', 2 stops of the database' : ' with the database inside'}`;
      const survived = `${credited}; answered only later: ${unheard}`;
      addFigures(engine.name, run, engine.load.deposits, load, survived);
    });

    // PGlite stops only with the merchant.
    if (name === 'PostgreSQL') {
      test(`settles ${WITHDRAWALS} withdrawals that come once, while the database stops twice`, async () => {
        const random = createRandom(4);
        const storage = await engine.create('once');
        const merchants = await startMerchants(storage, engine.processes);
        const bodies = Array.from({ length: WITHDRAWALS }, (_, index) => ({
          body: withdrawalBroadcastBody({ withdrawCurrency: 'XRP' }, { seed: index + 1 }),
          status: 200,
        }));
        const load = await deliverAll(bodies, merchants, random, stopsOf(engine), null);
        for (const merchant of merchants) await untilDrained(merchant);
        await stop(merchants);

        const settled = load.answers.get('200 settled') ?? 0;
        const spooled = load.answers.get('500 spooled') ?? 0;
        assert.equal(settled + spooled, WITHDRAWALS);
        assert(spooled > 0, 'nothing was in the way of a stop');
        assert.equal(await settledIn(storage), WITHDRAWALS);
        const survived = `${WITHDRAWALS} of ${WITHDRAWALS} withdrawals debited once, ${spooled} of them by way of the spool`;
        const run = 'each body once, 2 stops of the database';
        addFigures(engine.name, run, WITHDRAWALS, load, survived);
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

/** Breaks off what the database does, then crashes it; it is back at once. @param {Engine} engine */
function stopsOf({ server }) {
  const modes = server ? /** @type {const} */ (['fast', 'immediate']) : [];
  return modes.map((mode) => async () => {
    await server?.stop(mode);
    await server?.start();
  });
}

/**
 * Every balance is the exact sum and each event is there once; each hostile body is kept to the byte, with
 * the number of its deliveries.
 *
 * @param {Storage} storage
 * @param {Deposit[]} deposits
 * @param {Buffer[]} hostile
 */
async function assertCredited(storage, deposits, hostile) {
  await settledIn(storage);
  const database = storage.open();
  const balances = await database.query(
    'SELECT account, currency, sum(amount)::text AS amount FROM line GROUP BY account, currency',
  );
  const events = await database.query('SELECT key FROM event');
  const held = await database.query(`SELECT encode(body, 'hex') AS body, deliveries FROM held`);
  await database.close();
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
