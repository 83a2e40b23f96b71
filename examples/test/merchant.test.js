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
const WITHDRAWALS = 600;

for (const { name, skip, open } of ENGINES) {
  describe(`a merchant on ${name}`, { skip }, () => {
    /** @type {Engine} */
    let engine;
    let credited = '';
    before(async () => {
      engine = await open();
      credited = `${engine.load.deposits} of ${engine.load.deposits} deposits credited once`;
    });
    after(() => engine.close());

    test(`credits each deposit once, delivered ${COPIES} times`, async () => {
      const random = createRandom(1);
      const storage = await engine.create('plain');
      const deposits = depositsOf(engine, random);
      const merchants = await startMerchants(storage, engine.processes);
      const load = await deliverAll(copies(deposits, random), merchants, random);
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert.equal(load.retries, 0);
      assert.deepEqual(Object.fromEntries(load.answers), {
        '200 settled': engine.load.deposits,
        '200 repeated': engine.load.deposits * (COPIES - 1),
      });
      await assertCredited(storage, deposits);
      const run = engine.processes === 1 ? '1 process' : `${engine.processes} processes`;
      addFigures(engine.name, run, engine.load.deposits, load, credited);
    });

    test('loses and doubles nothing while processes are killed and the database stops', async () => {
      const random = createRandom(2);
      const storage = await engine.create('killed');
      const deposits = depositsOf(engine, random);
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
      const bodies = copies(deposits, random);
      const load = await deliverAll(bodies, merchants, random, disturbances);
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert(load.retries > 0, 'nothing was in the way of a kill');
      await assertCredited(storage, deposits);
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

    test('keeps hostile bodies between good ones, which they do not harm', async () => {
      const random = createRandom(3);
      const storage = await engine.create('hostile');
      const deposits = depositsOf(engine, random);
      const hostile = hostileBodies(engine, random);
      const good = deposits.map(({ body }) => ({ body, status: 200 }));
      const bad = hostile.map((body) => ({ body, status: 400 }));
      const merchants = await startMerchants(storage, engine.processes);
      const bodies = shuffle([...good, ...bad], random);
      const load = await deliverAll(bodies, merchants, random);
      assert(merchants.every((merchant) => merchant.isRunning()));
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert.equal(load.retries, 0);
      assert.equal(load.answers.get('200 settled'), engine.load.deposits);
      await assertCredited(storage, deposits);
      await assertKept(storage, hostile);
      const survived = `${credited}; ${engine.load.hostile} of ${engine.load.hostile} hostile bodies kept`;
      addFigures(
        engine.name,
        'hostile bodies between',
        engine.load.deposits + engine.load.hostile,
        load,
        survived,
      );
    });
  });
}

after(writeFigures);

/** @param {Engine} engine @param {ReturnType<typeof createRandom>} random */
function depositsOf({ load }, random) {
  return Array.from({ length: load.deposits }, (_, index) => nextDeposit(index + 1, random));
}

/** @param {Deposit[]} deposits @param {ReturnType<typeof createRandom>} random */
function copies(deposits, random) {
  const bodies = deposits.flatMap((deposit) => copiesOf(deposit, COPIES, random));
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
  const { isBalanced, unbalanced, faulty } = await check(database.query);
  await database.close();
  assert(isBalanced, JSON.stringify({ unbalanced, faulty }));
}

/** Every balance is the exact sum, each event is there once. @param {Storage} storage @param {Deposit[]} deposits */
async function assertCredited(storage, deposits) {
  await assertBalanced(storage);
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
  const database = storage.open();
  const balances = await database.query(
    'SELECT account, currency, sum(amount)::text AS amount FROM line GROUP BY account, currency',
  );
  const events = await database.query('SELECT key FROM event');
  await database.close();
  assert.deepEqual(
    new Map(balances.map((row) => [`${row.account} ${row.currency}`, unitsOf(`${row.amount}`)])),
    sums,
  );
  assert.deepEqual(events.map(({ key }) => key).sort(), deposits.map(({ key }) => key).sort());
}

/** Each body is there to the byte, with the number of its deliveries. @param {Storage} storage @param {Buffer[]} hostile */
async function assertKept({ open }, hostile) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const body of hostile) {
    const bytes = body.toString('base64');
    counts.set(bytes, (counts.get(bytes) ?? 0) + 1);
  }
  const database = open();
  const rows = await database.query('SELECT body, deliveries FROM held');
  await database.close();
  const kept = rows.map(({ body, deliveries }) => [
    Buffer.from(/** @type {Uint8Array} */ (body)).toString('base64'),
    deliveries,
  ]);
  assert.deepEqual(new Map(/** @type {[string, number][]} */ (kept)), counts);
}
