// The page Serverless: its stores, by what a receiver needs of one, and its queue.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { S3 } from '@aws-sdk/client-s3';
import { depositReceivedBody } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { createBucketStore } from '../start/bucket-store.mjs';
import { bucketOf } from './bucket.js';
import { blockOn, copied, write } from './code.js';
import { openMerchant, SCHEMA } from './merchant.js';
import { writePages } from './pages.js';
import { bin, whyNoPostgres } from './programs.js';
import { SECRET, startServer } from './server.js';

/** @import { SavedBody, Store, WaitingBody } from 'payment-notifications/receiver' */
/** @import { Files } from './bucket.js' */
/** @import { Server } from './server.js' */

register();
const { folder, postgres, load } = await openMerchant();
writePages(folder);
before(async () => {
  if (whyNoPostgres()) return;
  await postgres.query(SCHEMA);
  process.env.STORE_URL = postgres.url;
});

/** A server with the API of S3, and its files. */
const S3_FILES = 's3';
const Bucket = 'my-webhooks';
/** @type {Server} */
let s3Server;
/** @type {S3} */
let s3;
before(async () => {
  fs.mkdirSync(S3_FILES);
  // Its list of more than 1,000 files needs a cipher that Node.js has no longer.
  const command = ['node', '--openssl-legacy-provider', bin('s3rver'), '--silent'];
  const options = ['--port', '0', '--directory', S3_FILES, '--configure-bucket', Bucket];
  s3Server = await startServer([...command, '--address', '127.0.0.1', ...options], {
    cwd: folder,
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${s3Server.port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  });
  const loading = load('serverless/s3-store.mjs?unset');
  await assert.rejects(loading, /WEBHOOK_BUCKET: expected the name of a bucket/);
  process.env.WEBHOOK_BUCKET = Bucket;
  s3 = new S3();
});
after(() => s3Server?.kill());

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
  await assertNothingWaits();
  await save(store, 'retry');
  await assertNothingWaits();
  await store.remove(NAME);
  for (const to of /** @type {const} */ (['progress', 'review'])) await save(store, to);
  await assertNothingWaits();
}

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
      createBucketStore(
        new Proxy(bucketOf(files), {
          get:
            (bucket, name) =>
            (/** @type {any[]} */ ...args) =>
              new Promise((resolve) => {
                const begin = () => resolve(Reflect.get(bucket, name)(...args));
                pending.push({ of, begin });
              }),
        }),
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

test('S3 is a bucket', async () => {
  const { store } = await load('serverless/s3-store.mjs');
  const anHourAgo = Date.now() / 1000 - 3600;
  await tryStore(store, () => {
    for (const file of fs.readdirSync(S3_FILES, { recursive: true, encoding: 'utf8' }))
      fs.utimesSync(join(S3_FILES, file), anHourAgo, anHourAgo);
  });
  await store.remove(NAME);
});

test('AWS Lambda saves a webhook in S3, which is retried from review', {
  skip: whyNoPostgres(),
}, async () => {
  const { handler } = await load('serverless/lambda.ts');
  const { retry } = await load('serverless/receiver.ts');
  /** @param {{ rawPath?: string, body?: string, isBase64Encoded?: boolean }} event */
  const call = (event, method = 'POST') => {
    const own = { headers: {}, isBase64Encoded: false, requestContext: { http: { method } } };
    return handler({ rawPath: `/callbacks/${SECRET}`, ...own, ...event });
  };
  const keys = async () =>
    ((await s3.listObjectsV2({ Bucket })).Contents ?? []).map(({ Key = '' }) => Key);
  const visit = await call({}, 'GET');
  assert.deepEqual([visit.statusCode, /webhook/.test(visit.body)], [200, true]);
  assert.equal((await call({ rawPath: '/callbacks/', body: 'x' })).statusCode, 404);
  assert.deepEqual(await keys(), []);
  const body = depositReceivedBody({ clientPaymentId: 'ü-in-s3' }, { seed: 1 });
  const base64 = Buffer.from(body).toString('base64');
  assert.deepEqual(await call({ body }), { statusCode: 200, body: 'ok' });
  const inReview = await keys();
  const [json = ''] = inReview;
  assert.match(`${inReview}`, /^review\/(deposit\.received\.[-.\w]+)\.json,review\/\1\.txt$/);
  // Its name is of the key and the bytes, so they are the same.
  assert.equal((await call({ body: base64, isBase64Encoded: true })).statusCode, 200);
  assert.deepEqual(await keys(), inReview);

  const retryByHand = async () => {
    const Key = json.replace('review', 'retry');
    await s3.copyObject({ Bucket, CopySource: `${Bucket}/${json}`, Key });
    await retry();
  };
  await retryByHand();
  assert.deepEqual(await keys(), inReview, 'it fails again');
  await postgres.query("INSERT INTO orders VALUES ('deposit.received', 'ü-in-s3', 'customer-7')");
  await retryByHand();
  assert.deepEqual(await keys(), []);
  const events = await postgres.query("SELECT deliveries FROM event WHERE order_id = 'ü-in-s3'");
  assert.deepEqual(events, [{ deliveries: '1' }]);
});

test('all files of S3 are listed', async () => {
  const { store } = await load('serverless/s3-store.mjs');
  await s3.putObject({ Bucket, Key: 'retry/0.json', Body: BODY });
  const names = Array.from({ length: 1_001 }, (_, n) => `${n}`); // S3 lists 1,000 at a time
  const bucket = join(S3_FILES, Bucket, 'retry');
  for (const file of fs.readdirSync(bucket))
    for (const name of names.slice(1))
      fs.copyFileSync(join(bucket, file), join(bucket, file.replace('0', name)));
  /** @type {WaitingBody[]} */
  const listed = await store.list();
  assert.deepEqual(listed.map(({ name }) => name).sort(), names.sort());
});

test('a table is a store, from which one process takes a body', {
  skip: whyNoPostgres(),
}, async () => {
  await postgres.query(copied('table-store.sql'));
  const { store } = await load('serverless/table-store.mjs'); // reads STORE_URL
  await tryStore(store, () =>
    postgres.query("UPDATE webhook SET since = since - interval '1 hour'"),
  );
  const [list = '', retry = '', close = '', alert = ''] = blockOn('docs/serverless.md', 'SELECT')
    .replaceAll('NAME', NAME)
    .split('\n');
  const [{ arrived, ...row }, ...more] = await postgres.query(list);
  assert.deepEqual([row, more], [{ place: 'review', name: NAME, reason: 'for review' }, []]);
  await postgres.query("UPDATE webhook SET arrived = arrived - interval '11 minutes'");
  assert.deepEqual(await postgres.query(alert), []);
  await postgres.query(retry);
  assert.deepEqual(await postgres.query(alert), [{ name: NAME }]);
  const [found] = await store.list();
  const taken = await Promise.all([1, 2].map(() => save(store, 'progress', found)));
  assert.deepEqual(taken.sort(), [false, true]);
  await postgres.query(close);
  assert.deepEqual(await postgres.query(list), []);
});

test('a Worker retries what is in R2', { skip: whyNoPostgres() }, async () => {
  /** @type {Files} */
  const files = new Map();
  const bucket = bucketOf(files);
  /** With pages of one file. @type {import('cloudflare:workers').R2Bucket} */
  const WEBHOOKS = {
    ...bucket,
    async get(key) {
      const content = await bucket.get(key);
      return content && { arrayBuffer: async () => Uint8Array.from(content).buffer };
    },
    async list({ prefix, cursor = '0' }) {
      const found = await bucket.list(prefix);
      const next = Number(cursor) + 1;
      const page = found.slice(next - 1, next).map(({ path, at }) => ({ key: path, uploaded: at }));
      const isLast = next >= found.length;
      return {
        objects: page,
        ...(isLast ? { truncated: false } : { truncated: true, cursor: `${next}` }),
      };
    },
  };
  const env = { CALLBACK_SECRET: SECRET, DATABASE: { connectionString: postgres.url }, WEBHOOKS };
  Object.assign(globalThis, { env });
  write(folder, 'serverless/env.js', 'export const { env } = globalThis;');
  const code = copied('worker.mjs').replace('cloudflare:workers', './env.js');
  write(folder, 'serverless/worker.mjs', code);
  const { default: worker } = await load('serverless/worker.mjs');

  for (const seed of [4, 5, 6]) {
    const body = depositReceivedBody({ clientPaymentId: 'in-r2' }, { seed });
    const request = new Request(`http://localhost/${SECRET}`, { method: 'POST', body });
    assert.equal((await worker.fetch(request)).status, 200);
  }
  const inReview = [...files.keys()].filter((path) => path.endsWith('.json'));
  assert.equal(inReview.length, 3);
  for (const path of inReview)
    files.set(path.replace('review', 'retry'), files.get(path) ?? assert.fail());
  await postgres.query("INSERT INTO orders VALUES ('deposit.received', 'in-r2', 'customer-7')");
  await worker.scheduled();
  assert.deepEqual([...files.keys()], []);
  const events = await postgres.query("SELECT deliveries FROM event WHERE order_id = 'in-r2'");
  assert.equal(events.length, 3);
});

test('a worker settles what the receiver puts on a queue', { skip: whyNoPostgres() }, async () => {
  await postgres.query("INSERT INTO orders VALUES ('deposit.received', 'queued', 'customer-7')");
  const { receiver } = await load('serverless/queue/receiver.ts');
  for (const seed of [2, 3, 3]) {
    const body = depositReceivedBody({ clientPaymentId: 'queued' }, { seed });
    assert.equal(await receiver.settle(body), 'settled');
  }
  const find = "SELECT deliveries FROM event WHERE order_id = 'queued' ORDER BY 1";
  assert.deepEqual(await postgres.query(find), []);
  await load('serverless/queue/worker.ts'); // settles what is on the queue
  assert.deepEqual(await postgres.query(find), [{ deliveries: '1' }, { deliveries: '2' }]);
});
