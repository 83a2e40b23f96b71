// What the recipes of docs/recipes.md need beside a database: the two stores, a retry helper, and a
// queue. databases.test.js has the databases.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { createBucketStore } from '../start/bucket-store.mjs';
import { copied } from './code.js';
import { openFolder, SCHEMA } from './merchant.js';
import { writeRecipes } from './pages.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { SECRET } from './server.js';

/** @import { SavedBody, Store, WaitingBody } from 'payment-notifications/receiver' */

register();
const folder = openFolder();
after(folder.remove);
/** @type {Awaited<ReturnType<typeof startPostgres>>} */
let postgres;
before(async () => {
  writeRecipes(folder.url);
  if (whyNoPostgres()) return;
  postgres = await startPostgres();
  process.env.DATABASE_URL = postgres.url;
  process.env.STORE_URL = postgres.url;
});
after(() => postgres?.remove());

/** A module of a recipe. @param {string} name @returns {Promise<any>} */
const load = (name) => import(new URL(name, folder.url).href);

const NAME = 'deposit.received.7.ea5dbf9596d187e9';
const BODY = new Uint8Array([0xff, 0]); // no text

/** @param {Store} store @param {SavedBody['to']} to @param {WaitingBody} [from] */
const save = (store, to, from) =>
  store.save({ to, name: NAME, body: BODY, key: null, reason: `for ${to}`, from });

/**
 * What a receiver needs of a store. Leaves only what is for review.
 *
 * @param {Store} store
 * @param {() => unknown} age Makes everything in it an hour older.
 */
async function tryStore(store, age) {
  let last = new Date(0);
  /** Returns what waits: its claim, if it has one. @param {WaitingBody['place']} place */
  async function waiting(place, tries = 0) {
    const find = async () => {
      const listed = await store.list();
      assert.deepEqual(new Set(listed.map((one) => one.name)), new Set([NAME]));
      const claim = listed.find((one) => one.place === 'progress');
      return claim ?? listed[0] ?? assert.fail('nothing waits');
    };
    const found = await find();
    assert.deepEqual({ place: found.place, tries: found.tries }, { place, tries });
    assert(found.since > last, 'its time is not that of the last save');
    assert.deepEqual(new Uint8Array((await store.read(NAME)) ?? []), BODY);
    await age();
    const older = await find();
    last = new Date(older.since);
    return older;
  }
  async function assertNothingWaits() {
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.read(NAME), null);
  }

  await assertNothingWaits();
  await save(store, 'progress');
  for (const tries of [1, 2]) await save(store, 'progress', await waiting('progress', tries));
  await waiting('progress', 3);
  await save(store, 'progress'); // delivered again
  await waiting('progress', 3);
  await save(store, 'retry');
  await save(store, 'progress', await waiting('retry'));
  await waiting('progress', 1);
  await save(store, 'retry');
  await save(store, 'progress'); // delivered again
  await waiting('progress', 1);
  for (let count = 0; count < 2; count += 1) await store.remove(NAME);
  await assertNothingWaits();

  for (const to of /** @type {const} */ (['retry', 'review'])) await save(store, to);
  await assertNothingWaits();
  await save(store, 'progress'); // delivered again, while someone decides
  await save(store, 'retry');
  await assertNothingWaits();
  await store.remove(NAME);
  for (const to of /** @type {const} */ (['progress', 'review'])) await save(store, to);
  await assertNothingWaits();
}

/** @typedef {Map<string, { content: Uint8Array, at: Date }>} Files By path. */

/** @param {Files} files @param {<T>(operation: () => T) => Promise<T>} run */
function bucketOf(files, run = async (operation) => operation()) {
  return createBucketStore({
    put: (path, content) =>
      run(() => files.set(path, { content: Buffer.from(content), at: new Date() })),
    get: (path) => run(() => files.get(path)?.content ?? null),
    list: (prefix) =>
      run(() =>
        [...files].flatMap(([path, { at }]) => (path.startsWith(prefix) ? [{ path, at }] : [])),
      ),
    delete: (path) => run(() => files.delete(path)),
  });
}

test('a bucket is a store', async () => {
  /** @type {Files} */
  const files = new Map();
  await tryStore(bucketOf(files), () => {
    for (const file of files.values()) file.at = new Date(file.at.getTime() - 3_600_000);
  });
  const paths = ['json', 'txt'].map((ending) => `review/${NAME}.${ending}`);
  assert.deepEqual([...files.keys()].sort(), paths);
});

test('two deliveries, a round and a kill leave a body in a bucket, whatever comes first', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    let state = seed;
    /** Of a generator by Lehmer, so that a failure can be repeated. @param {number} count */
    const random = (count) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % count;
    };
    /** @type {Files} */
    const files = new Map();
    /** Operations that a process waits for. @type {{ of: number, begin: () => void }[]} */
    const pending = [];
    /** @param {number} of */
    const storeOf = (of) =>
      bucketOf(
        files,
        (operation) =>
          new Promise((resolve) => pending.push({ of, begin: () => resolve(operation()) })),
      );

    let isSaved = false;
    /** @param {Store} store @param {WaitingBody} [from] */
    async function settle(store, from) {
      await save(store, 'progress', from);
      isSaved = true;
      await save(store, random(2) === 0 ? 'retry' : 'review');
    }
    for (const of of [0, 1]) settle(storeOf(of));
    const round = storeOf(2);
    round.list().then(([from]) => from && settle(round, from));

    const [killed, at] = [random(3), random(30)];
    for (let step = 0; pending.length > 0; step += 1) {
      const [next] = pending.splice(random(pending.length), 1);
      if (next?.of !== killed || step < at) next?.begin();
      await new Promise(setImmediate);
      const isSomewhere = [...files.keys()].some((path) => path.endsWith('.json'));
      assert(isSomewhere || !isSaved, `nowhere at step ${step} of seed ${seed}`);
    }
  }
});

test('a table is a store, from which one process takes a body', {
  skip: whyNoPostgres(),
}, async () => {
  await postgres.query(copied('table-store.sql'));
  const { store } = await import('../start/table-store.mjs'); // reads STORE_URL
  await tryStore(store, () =>
    postgres.query("UPDATE webhook SET since = since - interval '1 hour'"),
  );
  const rows = await postgres.query('SELECT place, name, reason FROM webhook');
  assert.deepEqual(rows, [{ place: 'review', name: NAME, reason: 'for review' }]);
  await store.remove(NAME);
  await save(store, 'retry');
  const [found] = await store.list();
  const taken = await Promise.all([1, 2].map(() => save(store, 'progress', found)));
  assert.deepEqual(taken.sort(), [false, true]);
});

test('a retry helper lets NeedsReview through', async () => {
  const { credit } = await load('retry/ledger.ts');
  const { calls } = await load('retry/own-ledger.ts');
  const deposit = parseDepositReceived(depositReceivedBody());
  await assert.rejects(credit(deposit, { key: 'key', body: new Uint8Array() }), {
    name: 'NeedsReview',
  });
  assert.deepEqual(calls, ['key']);
});

test('a queue, and the state of an order', { skip: whyNoPostgres() }, async () => {
  await postgres.query(SCHEMA);
  await postgres.query(
    "INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7')",
  );
  process.env.CALLBACK_SECRET = SECRET;
  process.chdir(folder.path);
  const { receiver } = await load('queue/receiver.ts');
  const { stateOf } = await load('paid/paid.ts');
  const due = { currency: 'BTC', amount: '0.03' };
  for (const seed of [0, 1, 1]) {
    const body = depositReceivedBody({ clientPaymentId: 'order-10042' }, { seed });
    assert.equal(await receiver.settle(body), 'settled');
  }
  assert.equal(await stateOf('order-10042', due), 'underpaid by 0.03');
  await load('queue/worker.ts'); // settles what is on the queue
  assert.equal(await stateOf('order-10042', due), 'overpaid by 0.00046');
  assert.equal(await stateOf('order-10042', { ...due, amount: '0.03046' }), 'paid');
});
