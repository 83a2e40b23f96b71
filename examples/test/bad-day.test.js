// What a merchant does when its surroundings fail it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  bodyVariants,
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import pg from 'pg';
import { openServer } from '../merchant/database.js';
import { settle } from '../merchant/ledger.js';
import { openSpool } from '../merchant/spool.js';
import { assertLimit, GZIPPED, ODD_HEADERS, statusOf } from './bodies.js';
import {
  openPostgres,
  reportOf,
  settledIn,
  startMerchant,
  startMerchants,
  stop,
  untilDrained,
} from './engines.js';
import { whyNoPostgres } from './programs.js';

/** @import { Engine, Server, Storage } from './engines.js' */

/** @param {string} body @param {Server} merchant */
async function answerTo(body, { url }) {
  const { attempts } = await deliver(body, { url, retry: null });
  const answer = attempts[0]?.answer;
  return answer ? `${answer.status} ${answer.body}` : attempts[0]?.error;
}

/** A deposit of one BTC. @param {number} seed */
function depositOf(seed) {
  const account = { clientPaymentId: `customer-${seed}`, depositCurrency: 'BTC' };
  return depositReceivedBody({ ...account, actualDepositAmount: '1' }, { seed });
}

/** @param {number} from @param {number} count */
function seeds(from, count) {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** A command, to its end. @param {Storage} storage @param {string[]} command */
function run(storage, ...command) {
  return startMerchant(storage, { command, exits: true });
}

/** Begins to settle a body, and hangs until it is released. @param {Storage} storage @param {string} body */
async function hangOn(storage, body) {
  const client = new pg.Client(storage.env(0).DATABASE_URL);
  await client.connect();
  await client.query('BEGIN');
  await settle(async (sql, values) => (await client.query(sql, values)).rows, Buffer.from(body));
  return () => client.end();
}

describe('a merchant with a database server', { skip: whyNoPostgres() }, () => {
  /** @type {Engine} */
  let engine;
  before(async () => {
    engine = await openPostgres();
  });
  after(() => engine.close());

  test('spools what comes while the database is down, and settles it once it is back', async () => {
    const storage = await engine.create('down');
    const { server } = engine;
    assert(server);
    let merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(0), merchant), '200 settled');
    await server.stop('immediate');
    // Withdrawals come once: whether they are retried is not documented.
    const withdrawals = seeds(1, 20).map((seed) => withdrawalBroadcastBody({}, { seed }));
    for (const body of withdrawals) assert.equal(await answerTo(body, merchant), '500 spooled');
    assert.equal(await answerTo(withdrawals[0] ?? '', merchant), '500 spooled');
    const report = await reportOf(merchant);
    assert.equal(report.spool.bodies, 20);
    assert.match(report.databaseError, /ENOENT|ECONNREFUSED/);
    const page = await (await fetch(new URL('/', merchant.url))).text();
    assert.match(page, /Bodies that wait for the database since 2\S+Z: 20</);

    // Killed, and started while the database is still down, it has them, and receives more.
    await merchant.kill();
    merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(30), merchant), '500 spooled');
    await server.start();
    await untilDrained(merchant);
    assert.equal(await answerTo(depositOf(30), merchant), '200 repeated');
    await merchant.stop();
    assert.equal(await settledIn(storage), 22);
  });

  test('settles others while one event is locked, and ends on SIGTERM', async () => {
    const storage = await engine.create('rows');
    let merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(0), merchant), '200 settled');
    // Another process has begun to settle this event, and hangs.
    const locked = depositOf(1);
    const release = await hangOn(storage, locked);
    const blocked = seeds(0, 30).map(() => answerTo(locked, merchant));
    const free = seeds(100, 30).map((seed) => answerTo(depositOf(seed), merchant));
    assert.deepEqual(await Promise.all(free), Array(30).fill('200 settled'));
    assert.deepEqual(await Promise.all(blocked), Array(30).fill('500 spooled'));
    assert.equal((await reportOf(merchant)).spool.bodies, 1);

    const last = withdrawalBroadcastBody({}, { seed: 1 });
    const ending = [...seeds(0, 5).map(() => answerTo(locked, merchant)), answerTo(last, merchant)];
    await merchant.stop();
    assert.equal(merchant.exitCode(), 0);
    // Received in time or not, but nothing in between.
    for (const answer of await Promise.all(ending))
      assert.match(`${answer}`, /^(200 |500 sp|.*(ECONN|other side))/);

    // Started under the lock, it settles what it can.
    merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(200), merchant), '200 settled');
    await release();
    await untilDrained(merchant);
    assert.equal(await answerTo(locked, merchant), '200 repeated');
    await merchant.stop();
    assert((await settledIn(storage)) >= 33);
  });

  test('credits 60 at once under serializable transactions', async () => {
    const storage = await engine.create('serializable');
    const admin = storage.open();
    await admin.query(
      `ALTER DATABASE serializable SET default_transaction_isolation = 'serializable'`,
    );
    await admin.close();
    const merchants = await startMerchants(storage, 2);
    const bodies = seeds(0, 60).map((seed) =>
      depositReceivedBody({ clientPaymentId: 'the same customer' }, { seed }),
    );
    const answers = await Promise.all(
      bodies.flatMap((body) => merchants.map((merchant) => answerTo(body, merchant))),
    );
    for (const answer of ['200 settled', '200 repeated'])
      assert.equal(answers.filter((given) => given === answer).length, 60);
    await stop(merchants);
    assert.equal(await settledIn(storage), 60);
  });

  test('gives up on a server that no longer answers', async () => {
    // It takes connections and says nothing.
    const mute = createServer((socket) => socket.on('error', () => {}).resume());
    await new Promise((resolve) => mute.listen(0, '127.0.0.1', () => resolve(null)));
    const address = mute.address();
    assert(address && typeof address === 'object');
    const database = openServer(`postgres://merchant@127.0.0.1:${address.port}/none`);
    await assert.rejects(database.query('SELECT 1'), /timeout/);
    mute.close();
    await database.close();
  });

  test('takes a body by any method, under any headers, at the path with a slash, up to 64 KiB', async () => {
    const storage = await engine.create('methods');
    const merchant = await startMerchant(storage);
    const body = depositOf(1);
    /** @param {string} method @param {Record<string, string>} headers @param {string} path */
    const send = (method, headers = {}, path = '/callbacks') =>
      new Promise((resolve, reject) => {
        const length = { 'content-length': `${Buffer.byteLength(body)}` };
        const url = new URL(path, merchant.url);
        const sent = request(url, { method, headers: { ...length, ...headers } }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        sent.on('error', reject).end(body);
      });
    for (const method of ['POST', 'PUT', 'GET', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])
      assert.equal(await send(method), 200, method);
    for (const headers of ODD_HEADERS)
      assert.equal(await send('POST', headers), 200, JSON.stringify(headers));
    for (const path of ['/callbacks/', '/callbacks?from=service', '/callbacks//?']) {
      assert.equal(await send('PUT', {}, path), 200, path);
    }
    assert.equal(await send('POST', {}, '/elsewhere'), 404);
    assert.equal((await fetch(merchant.url)).status, 400); // without a body
    assert.equal(await statusOf(merchant.url, GZIPPED, { 'content-encoding': 'gzip' }), 400);
    await assertLimit(merchant);
    const database = storage.open();
    const held = await database.query('SELECT body FROM held ORDER BY length(body)');
    await database.close();
    assert.deepEqual(
      held.map((row) => Buffer.from(/** @type {Uint8Array} */ (row.body))),
      [Buffer.of(), GZIPPED],
    );
    await merchant.stop();
    assert.equal(await settledIn(storage), 2);
  });

  test('keeps its folder to itself, where only perl can, too, and starts nowhere else', async () => {
    const storage = await engine.create('locked');
    const folder = storage.folder(0);
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    const none = await startMerchant(storage, { env: { PATH: bin }, exits: true });
    assert.match(none.printed.join(), /can't be locked: that takes flock/);
    symlinkSync('/usr/bin/perl', join(bin, 'perl'));
    const first = await startMerchant(storage, { env: { PATH: bin } });
    const lock = readFileSync(join(folder, 'lock'), 'utf8');
    // With flock, and the database inside: no command may open that twice.
    for (const command of ['serve', 'check', 'replay']) {
      const env = { DATABASE_URL: '' };
      const second = await startMerchant(storage, { command: [command], env, exits: true });
      assert.equal(second.exitCode(), 1);
      assert.match(second.printed.join(), /belongs to process \d+, started at /);
    }
    assert.equal(readFileSync(join(folder, 'lock'), 'utf8'), lock);
    assert.deepEqual(readdirSync(folder).sort(), ['bin', 'lock', 'spool']);
    await first.stop();
  });

  test('starts on a full disk, and settles what it has spooled', async () => {
    const storage = await engine.create('full_disk');
    const folder = storage.folder(0);
    mkdirSync(folder, { recursive: true });
    const spool = await openSpool(folder);
    for (const body of seeds(1, 3).map(depositOf)) await spool.append(Buffer.from(body));
    // A disk of 64 KiB, which only this process sees.
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const script = `mount -t tmpfs -o size=64k none ${disk} && cp -r ${folder}/spool ${disk}
      cat /dev/zero > ${disk}/filler 2> /dev/null
      exec "$@"`;
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const shell = ['unshare', ...asRoot, '--mount', 'sh', '-c', script, 'sh'];
    const env = { DATA_FOLDER: disk };
    const start = (/** @type {string[]} */ ...command) =>
      startMerchant(storage, { env, shell, command, exits: command.length > 0 });

    const lines = (await start('replay')).printed;
    assert.equal(lines.filter((line) => line.startsWith('spooled -> settled')).length, 3);
    await spool.append(Buffer.from(depositOf(4)));
    const merchant = await start();
    await untilDrained(merchant);
    assert.equal(await answerTo(depositOf(10), merchant), '200 settled');
    assert.deepEqual(readdirSync(`/proc/${merchant.pid}/root${disk}/spool`), []);
    await merchant.stop();
    assert.equal(await settledIn(storage), 5);
  });

  test('replays what was refused, says what became of each, and checks the books', async () => {
    const storage = await engine.create('replayed');
    const merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(1), merchant), '200 settled');
    assert.equal(await answerTo('{"refused":1}', merchant), '400 ["unrecognized_notification"]');
    const beside = await run(storage, 'replay');
    assert.match(beside.printed[0] ?? '', /^The spool is left alone: .* belongs to process /);
    assert.match(beside.printed[1] ?? '', /^refused -> refused: /);
    await merchant.stop();
    // As an older version of the parser has left them.
    const database = storage.open();
    const conflicting = depositReceivedBody({ actualDepositAmount: '7' }, { seed: 1 });
    for (const body of [depositOf(4), depositOf(2), depositOf(1), conflicting]) {
      await database.query(
        `INSERT INTO held (digest, deliveries, body, faults, reason)
         VALUES (sha256($1), 3, $1, '[]', 'refused by an older version')`,
        [Buffer.from(body)],
      );
    }
    const spool = await openSpool(storage.folder(0));
    for (const body of [depositOf(3), '{"spooled":1}']) await spool.append(Buffer.from(body));
    // Another process has begun to settle one, and hangs: it keeps nothing else waiting.
    const release = await hangOn(storage, depositOf(4));
    const lines = (await run(storage, 'replay')).printed;
    const key = (/** @type {number} */ seed) =>
      `deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-${`${seed}`.padStart(12, '0')}`;
    const neither =
      'notification refused: body: expected either a depositId or a withdrawalId, received neither';
    assert.deepEqual(lines.slice(0, 7).sort(), [
      `refused -> conflict: ${key(1)}`,
      'refused -> failed: error: canceling statement due to lock timeout',
      `refused -> refused: ${neither}`,
      `refused -> repeated: ${key(1)}`,
      `refused -> settled: ${key(2)}`,
      `spooled -> refused: ${neither}`,
      `spooled -> settled: ${key(3)}`,
    ]);
    await release();
    const again = await run(storage, 'replay');
    assert.deepEqual(again.printed.slice(0, 3).sort(), [
      ...Array(2).fill(`refused -> refused: ${neither}`),
      `refused -> settled: ${key(4)}`,
    ]);
    const held = await database.query('SELECT key, deliveries FROM held ORDER BY deliveries');
    assert.deepEqual(held, [
      { key: null, deliveries: 1 },
      { key: null, deliveries: 1 },
      { key: key(1), deliveries: 3 },
    ]);
    assert.equal(again.exitCode(), 0);
    await database.query(`UPDATE line SET amount = 2 WHERE account = 'customer:customer-1'`);
    await database.close();
    assert.equal((await run(storage, 'check')).exitCode(), 1);
  });

  test('settles nothing that a person has settled: no redelivery, no copy, no replay', async () => {
    const storage = await engine.create('by_hand');
    const merchant = await startMerchant(storage);
    const database = storage.open();
    await database.query(
      `ALTER TABLE line ADD CONSTRAINT known CHECK (account NOT IN ('customer:customer-1', 'customer:customer-2'))`,
    );
    const [byHand, later] = [depositOf(1), depositOf(2)];
    const unread = '{"read":"by a person"}';
    for (const body of [byHand, later, unread])
      assert.match(`${await answerTo(body, merchant)}`, /^400/);
    for (const body of [byHand, unread]) {
      const digest = createHash('sha256').update(body).digest('hex');
      await run(storage, 'dismiss', digest, 'credited by hand');
    }
    await database.query('ALTER TABLE line DROP CONSTRAINT known');

    for (const body of [byHand, unread])
      assert.equal(await answerTo(body, merchant), '200 dismissed');
    // Another encoding of it, or another amount, is for a person again.
    const [, copy] = bodyVariants(byHand).filter(({ body }) => body !== byHand);
    assert(copy);
    assert.equal(await answerTo(copy.body, merchant), '400 ["dismissed"]');
    // What a redelivery has settled is off the page, so that no person credits it, too.
    assert.equal((await reportOf(merchant)).lists.refused.length, 2);
    assert.equal(await answerTo(later, merchant), '200 settled');
    const { refused } = (await reportOf(merchant)).lists;
    assert.deepEqual(
      refused.map((/** @type {any} */ row) => row.body),
      [copy.body],
    );
    const lines = (await run(storage, 'replay')).printed;
    assert.match(
      lines.slice(1, 3).join('\n'),
      /^refused -> refused: its event was settled by hand/,
    );
    const credited = await database.query('SELECT account FROM line ORDER BY account');
    assert.deepEqual(credited, [{ account: 'customer:customer-2' }, { account: 'service' }]);
    await database.close();
    await merchant.stop();
    assert.equal(await settledIn(storage), 1);
  });
});
