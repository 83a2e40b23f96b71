import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { safeParseNotification } from 'payment-notifications';
import {
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { nextBody } from '../../test/fuzz/mutate.js';
import { createRandom } from '../../test/fuzz/random.js';
import { openEmbedded, openServer } from '../merchant/database.js';
import { copiesOf, nextDeposit, shuffle, unitsOf } from './deposits.js';
import { deliverAll } from './load.js';
import { findPostgres, startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { addFigures, writeFigures } from './results.js';
import { atExit, startServer } from './server.js';

/** @import { Database } from '../merchant/database.js' */
/** @import { Deposit } from './deposits.js' */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

const DEPOSITS = 2_000;
const COPIES = 5;
const HOSTILE = 10_000;
const CREDITED = `${DEPOSITS} of ${DEPOSITS} deposits credited once`;
/** Then the rest is delivered in peace: on PGlite, each kill costs a start of the database. */
const MAX_KILLS = 10;
const MERCHANT = new URL('../merchant/', import.meta.url);

/**
 * @typedef {object} Storage A database that is empty at first, and how a merchant reaches it.
 * @property {Record<string, string>} env
 * @property {() => Database} open
 */

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {number} processes How many merchants share one database.
 * @property {(name: string) => Promise<Storage>} create
 * @property {((mode: 'fast' | 'immediate') => Promise<void>) | null} bounce Stops the database and
 * starts it; null where it is a part of the merchant's process.
 * @property {() => Promise<void>} close
 */

async function openPGlite() {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-pglite-'));
  const remove = () => rmSync(folder, { recursive: true });
  const forget = atExit(remove);
  /** @type {Engine} */
  const engine = {
    name: 'PGlite',
    processes: 1,
    async create(name) {
      const data = join(folder, name);
      return { env: { DATA_FOLDER: data, DATABASE_URL: '' }, open: () => openEmbedded(data) };
    },
    bounce: null,
    async close() {
      forget();
      remove();
    },
  };
  return engine;
}

/** @param {{ bin: string, version: string }} found */
async function openPostgres(found) {
  const postgres = await startPostgres(found);
  /** @type {Engine} */
  const engine = {
    name: `PostgreSQL ${found.version}`,
    processes: 2,
    async create(name) {
      const admin = openServer(postgres.url('postgres'));
      await admin.query(`CREATE DATABASE ${name}`);
      await admin.close();
      const url = postgres.url(name);
      return { env: { DATABASE_URL: url }, open: () => openServer(url) };
    },
    async bounce(mode) {
      await postgres.stop(mode);
      await sleep(500);
      await postgres.start();
    },
    close: postgres.remove,
  };
  return engine;
}

const found = findPostgres();
/** @type {{ name: string, skip: string | false, open: () => Promise<Engine> }[]} */
const ENGINES = [
  { name: 'PGlite', skip: false, open: openPGlite },
  {
    name: 'PostgreSQL',
    skip: whyNoPostgres(),
    open: () => openPostgres(found ?? { bin: '', version: '' }),
  },
];

for (const { name, skip, open } of ENGINES) {
  describe(`a merchant on ${name}`, { skip }, () => {
    /** @type {Engine} */
    let engine;
    before(async () => {
      engine = await open();
    });
    after(() => engine.close());

    test(`credits each of ${DEPOSITS} deposits once, delivered ${COPIES} times`, async () => {
      const random = createRandom(1);
      const storage = await engine.create('plain');
      const deposits = depositsOf(random);
      const merchants = await startMerchants(storage, engine.processes);
      const load = await deliverAll(copies(deposits, random), urlsOf(merchants), random);
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert.equal(load.retries, 0);
      assert.deepEqual(Object.fromEntries(load.answers), {
        '200 settled': DEPOSITS,
        '200 repeated': DEPOSITS * (COPIES - 1),
      });
      await assertCredited(storage, deposits);
      const run = engine.processes === 1 ? '1 process' : `${engine.processes} processes`;
      addFigures(engine.name, run, DEPOSITS, load, CREDITED);
    });

    test('loses and doubles nothing while processes are killed and the database stops', async () => {
      const random = createRandom(2);
      const storage = await engine.create('killed');
      const deposits = depositsOf(random);
      const merchants = await startMerchants(storage, engine.processes);
      const end = new AbortController();
      const killing = killEverySecond(merchants, storage, end.signal);
      const bouncing = bounceDatabase(engine, end.signal);
      const load = await deliverAll(copies(deposits, random), urlsOf(merchants), random);
      end.abort();
      const kills = await killing;
      const bounces = await bouncing;
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert(kills >= 3, `only ${kills} kills`);
      assert(load.retries > 0, 'nothing was in the way of a kill');
      if (engine.bounce) assert.equal(bounces, 2);
      await assertCredited(storage, deposits);
      // Credited by a process that was killed before it could say so: whoever asks again hears
      // "repeated", which is as good.
      const unheard = DEPOSITS - (load.answers.get('200 settled') ?? 0);
      const run = `${kills} kills${engine.bounce ? `, ${bounces} stops of the database` : ' with the database inside'}`;
      const survived = `${CREDITED}; the answer to ${unheard} credits was lost`;
      addFigures(engine.name, run, DEPOSITS, load, survived);
    });

    test(`keeps ${HOSTILE} hostile bodies between good ones, which they don't harm`, async () => {
      const random = createRandom(3);
      const storage = await engine.create('hostile');
      const deposits = depositsOf(random);
      const hostile = hostileBodies(random);
      const good = deposits.map(({ body }) => ({ body, status: 200 }));
      const bad = hostile.map((body) => ({ body, status: 400 }));
      const merchants = await startMerchants(storage, engine.processes);
      const bodies = shuffle([...good, ...bad], random);
      const load = await deliverAll(bodies, urlsOf(merchants), random);
      assert(merchants.every((merchant) => merchant.isRunning()));
      await stop(merchants);

      assert.equal(load.undelivered, 0);
      assert.equal(load.retries, 0);
      assert.equal(load.answers.get('200 settled'), DEPOSITS);
      await assertCredited(storage, deposits);
      await assertKept(storage, hostile);
      const survived = `${CREDITED}; ${HOSTILE} of ${HOSTILE} hostile bodies kept`;
      addFigures(engine.name, 'hostile bodies between', DEPOSITS + HOSTILE, load, survived);
    });

    test('takes withdrawals, and shows balances, open questions and refused bodies', async () => {
      const storage = await engine.create('shown');
      const merchants = await startMerchants(storage, 1);
      const [merchant] = merchants;
      assert(merchant);
      /** @param {string} body @param {string} [path] */
      const answer = async (body, path = '') => {
        const { attempts } = await deliver(body, { url: merchant.url + path, retry: null });
        return attempts[0]?.answer;
      };
      const withdrawal = { clientWithdrawalId: 'customer-1', withdrawCurrency: 'ETH' };
      const bodies = [
        depositReceivedBody({
          clientPaymentId: 'customer-1',
          depositCurrency: 'ETH',
          actualDepositAmount: '1.000000000000000001',
        }),
        withdrawalBroadcastBody({ ...withdrawal, actualWithdrawAmount: '0.25' }, { seed: 1 }),
        withdrawalBroadcastBody({ ...withdrawal, status: 'FAILED' }, { seed: 2 }),
        withdrawalBroadcastBody({ ...withdrawal, status: 'BLOCKED' }, { seed: 3 }),
        withdrawalBroadcastBody({ ...withdrawal, actualWithdrawAmount: null }, { seed: 4 }),
      ];
      for (const body of bodies) {
        assert.deepEqual(await answer(body), { status: 200, body: 'settled' });
        // By the other route it is the same event on the same ledger.
        assert.deepEqual(await answer(body, '/standard'), { status: 200, body: 'repeated' });
      }
      const late = depositReceivedBody({ clientPaymentId: 'customer-2' }, { seed: 5 });
      assert.deepEqual(await answer(late, '/standard'), { status: 200, body: 'settled' });

      const faulty = depositReceivedBody({ actualDepositAmount: undefined });
      assert.deepEqual(await answer(faulty), { status: 400, body: '["missing_field"]' });
      const message = 'actualDepositAmount: expected a decimal number, received nothing';
      assert.deepEqual(await answer(faulty, '/standard'), {
        status: 400,
        body: JSON.stringify([message]),
      });
      const nul = depositReceivedBody({ clientPaymentId: 'customer-\0' }, { seed: 6 });
      assert.deepEqual(await answer(nul), { status: 400, body: '["not_storable"]' });

      const shown = /** @type {any} */ (await (await fetch(new URL('/', merchant.url))).json());
      assert.deepEqual(shown.balances, [
        { account: 'customer-1', currency: 'ETH', amount: '0.750000000000000001' },
        { account: 'customer-2', currency: 'BTC', amount: '0.01523' },
      ]);
      const key = 'withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-000000000004:COMPLETED';
      assert.deepEqual(shown.completedWithoutAmount, [{ key, account: 'customer-1' }]);
      assert.equal(shown.refused.length, 2);
      const kept = shown.refused.find((/** @type {any} */ { body }) => body === faulty);
      assert.equal(kept.deliveries, 2);
      assert.match(
        kept.reason,
        /^deposit\.received refused: actualDepositAmount: .* \[depositId "/,
      );
      await stop(merchants);
    });
  });
}

after(writeFigures);

/** @param {ReturnType<typeof createRandom>} random */
function depositsOf(random) {
  return Array.from({ length: DEPOSITS }, (_, index) => nextDeposit(index + 1, random));
}

/** @param {Deposit[]} deposits @param {ReturnType<typeof createRandom>} random */
function copies(deposits, random) {
  const bodies = deposits.flatMap((deposit) => copiesOf(deposit, COPIES, random));
  return shuffle(bodies, random).map((body) => ({ body, status: 200 }));
}

/** Texts and bytes that are refused. @param {ReturnType<typeof createRandom>} random */
function hostileBodies(random) {
  /** @type {Buffer[]} */
  const bodies = [
    Buffer.alloc(0),
    Buffer.alloc(1_000_000, '['),
    Buffer.from(depositReceivedBody({ clientPaymentId: 'x'.repeat(70_000) })),
    Buffer.from("'; DROP TABLE balance; --"),
  ];
  while (bodies.length < HOSTILE) {
    const body = nextBody(random);
    if (typeof body !== 'string' && !ArrayBuffer.isView(body)) continue; // objects come by no wire
    const bytes = Buffer.from(/** @type {string | Buffer} */ (body));
    if (!safeParseNotification(bytes).success) bodies.push(bytes);
  }
  return bodies;
}

/** @param {Storage} storage @param {number} [port] */
function startMerchant({ env }, port) {
  return startServer([process.execPath, 'server.js'], {
    cwd: MERCHANT,
    env,
    ...(port !== undefined && { port }),
  });
}

/** @param {Storage} storage @param {number} count */
async function startMerchants(storage, count) {
  return Promise.all(Array.from({ length: count }, () => startMerchant(storage)));
}

/** @param {Server[]} merchants */
function urlsOf(merchants) {
  return merchants.map(({ url }) => url);
}

/** @param {Server[]} merchants */
async function stop(merchants) {
  await Promise.all(merchants.map((merchant) => merchant.stop()));
}

/**
 * Kills one process after the other with SIGKILL, one a second, and starts it again, as a supervisor
 * would; the number of kills.
 *
 * @param {Server[]} merchants
 * @param {Storage} storage
 * @param {AbortSignal} signal
 */
async function killEverySecond(merchants, storage, signal) {
  const restarts = merchants.map(() => Promise.resolve());
  let kills = 0;
  for (let turn = 0; ; turn += 1) {
    await sleep(1000);
    if (signal.aborted || kills === MAX_KILLS) break;
    const index = turn % merchants.length;
    await restarts[index];
    const merchant = merchants[index];
    if (!merchant) break;
    await merchant.kill();
    kills += 1;
    restarts[index] = restart(index, merchant.port);
    // Of a single one, the next second begins when it is back.
    if (merchants.length === 1) await restarts[index];
  }
  await Promise.all(restarts);
  return kills;

  /** @param {number} index @param {number} port */
  async function restart(index, port) {
    for (;;) {
      try {
        merchants[index] = await startMerchant(storage, port);
        return;
      } catch {
        await sleep(100); // while the database is down, a merchant does not start
      }
    }
  }
}

/** Stops the database and starts it, then crashes it and starts it; how often. @param {Engine} engine @param {AbortSignal} signal */
async function bounceDatabase({ bounce }, signal) {
  let count = 0;
  for (const mode of /** @type {const} */ (['fast', 'immediate'])) {
    await sleep(2500);
    if (bounce === null || signal.aborted) break;
    await bounce(mode);
    count += 1;
  }
  return count;
}

/** Every balance is the exact sum, each event is there once. @param {Storage} storage @param {Deposit[]} deposits */
async function assertCredited({ open }, deposits) {
  /** @type {Map<string, bigint>} */
  const sums = new Map();
  for (const { account, currency, units } of deposits) {
    const name = `${account} ${currency}`;
    sums.set(name, (sums.get(name) ?? 0n) + units);
  }
  const database = open();
  const balances = await database.query('SELECT account, currency, amount::text FROM balance');
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
  const rows = await database.query('SELECT body, deliveries FROM refused');
  await database.close();
  const kept = rows.map(({ body, deliveries }) => [
    Buffer.from(/** @type {Uint8Array} */ (body)).toString('base64'),
    deliveries,
  ]);
  assert.deepEqual(new Map(/** @type {[string, number][]} */ (kept)), counts);
}
