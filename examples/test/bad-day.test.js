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
import { check, settle } from '../merchant/ledger.js';
import { openSpool } from '../merchant/spool.js';
import { assertLimit, GZIPPED, ODD_HEADERS, statusOf } from './bodies.js';
import { openPGlite, openPostgres, reportOf, startMerchant, untilDrained } from './engines.js';
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

/** How many events are settled; the books hold. @param {Storage} storage */
async function settledIn({ open }) {
  const database = open();
  const books = await check(database.query);
  await database.close();
  assert(books.isBalanced, JSON.stringify(books));
  return Number(books.events);
}

describe('a merchant with the database inside', () => {
  /** @type {Engine} */
  let engine;
  before(async () => {
    engine = await openPGlite();
  });
  after(() => engine.close());

  test('keeps its folder to itself, and finds it again after a kill', async () => {
    const storage = await engine.create('locked');
    const first = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(1), first), '200 settled');
    const files = () =>
      readdirSync(storage.folder(0), { recursive: true, encoding: 'utf8' }).sort().join();
    const before = files();
    const lock = readFileSync(join(storage.folder(0), 'lock'), 'utf8');
    for (const options of [{}, { command: ['check'] }, { command: ['replay'] }]) {
      const second = await startMerchant(storage, { ...options, exits: true });
      assert.equal(second.exitCode(), 1);
      assert.match(second.printed.join('\n'), /belongs to process \d+, started at /);
    }
    assert.equal(files(), before);
    assert.equal(readFileSync(join(storage.folder(0), 'lock'), 'utf8'), lock);
    assert.equal(await answerTo(depositOf(2), first), '200 settled');
    await first.kill();
    const third = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(2), third), '200 repeated');
    await third.stop();
    assert.equal(await settledIn(storage), 2);
  });
});

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
    let report = await reportOf(merchant);
    assert.equal(report.spool.bodies, 20);
    assert.match(report.databaseError, /ENOENT|ECONNREFUSED/);
    const page = await (await fetch(new URL('/', merchant.url))).text();
    assert.match(page, /20 bodies wait in the spool/);
    const metrics = await (await fetch(new URL('/metrics', merchant.url))).text();
    assert.match(metrics, /^merchant_spooled_bodies 20$/m);
    assert.match(metrics, /^merchant_deliveries_total\{outcome="spooled"\} 21$/m);

    // Killed, and started while the database is still down, it has them, and receives more.
    await merchant.kill();
    merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(30), merchant), '500 spooled');
    await server.start();
    await untilDrained(merchant);
    assert.equal(await answerTo(depositOf(30), merchant), '200 repeated');
    report = await reportOf(merchant);
    assert.equal(report.databaseError, null);
    await merchant.stop();
    assert.equal(await settledIn(storage), 22);
  });

  test('settles others while one event is locked, and ends on SIGTERM', async () => {
    const storage = await engine.create('rows');
    let merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(0), merchant), '200 settled');
    // Another process has begun to settle this event, and hangs.
    const locked = depositOf(1);
    const other = new pg.Client(storage.env(0).DATABASE_URL);
    await other.connect();
    await other.query('BEGIN');
    await settle(async (sql, values) => (await other.query(sql, values)).rows, Buffer.from(locked));

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
    await other.query('ROLLBACK');
    await other.end();
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
    const merchants = await Promise.all([0, 1].map((index) => startMerchant(storage, { index })));
    const [first, second] = merchants;
    assert(first && second);
    const bodies = seeds(0, 60).map((seed) =>
      depositReceivedBody({ clientPaymentId: 'the same customer' }, { seed }),
    );
    const answers = await Promise.all(
      bodies.flatMap((body) => [answerTo(body, first), answerTo(body, second)]),
    );
    answers.sort();
    assert.deepEqual(answers, [
      ...Array(60).fill('200 repeated'),
      ...Array(60).fill('200 settled'),
    ]);
    await Promise.all(merchants.map((merchant) => merchant.stop()));
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

  test('replays beside a running merchant, whose spool it leaves alone', async () => {
    const storage = await engine.create('beside');
    const merchant = await startMerchant(storage);
    assert.equal(await answerTo('{}', merchant), '400 ["unrecognized_notification"]');
    const lines = (await startMerchant(storage, { command: ['replay'], exits: true })).printed;
    assert.match(lines[0] ?? '', /^The spool is left alone: .* belongs to process /);
    assert.match(lines[1] ?? '', /^refused -> refused: /);
    const second = await startMerchant(storage, { exits: true });
    assert.equal(second.exitCode(), 1);
    await merchant.stop();
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
    // What has no body is refused, and counted.
    assert.equal((await fetch(merchant.url)).status, 400);
    assert.equal((await fetch(merchant.url, { method: 'PUT' })).status, 400);
    const { refused } = await reportOf(merchant);
    assert.equal(refused.length, 1);
    assert.equal(refused[0].deliveries, 2);
    assert.equal(await statusOf(merchant.url, GZIPPED, { 'content-encoding': 'gzip' }), 400);
    await assertLimit(merchant);
    const database = storage.open();
    const held = await database.query('SELECT body FROM held WHERE length(body) > 0');
    await database.close();
    assert.deepEqual(
      held.map((row) => Buffer.from(/** @type {Uint8Array} */ (row.body))),
      [GZIPPED],
    );
    await merchant.stop();
    assert.equal(merchant.exitCode(), 0);
    assert.equal(await settledIn(storage), 2);
  });

  test('locks its folder where only perl can, and does not start where nothing can', async () => {
    const storage = await engine.create('perl');
    const path = join(storage.folder(0), 'bin');
    mkdirSync(path, { recursive: true });
    const env = { PATH: path };
    const none = await startMerchant(storage, { env, exits: true });
    assert.equal(none.exitCode(), 1);
    assert.match(none.printed.join('\n'), /can't be locked: that takes flock/);
    symlinkSync('/usr/bin/perl', join(path, 'perl'));
    const first = await startMerchant(storage, { env });
    const second = await startMerchant(storage, { env, exits: true });
    assert.match(second.printed.join('\n'), /belongs to process/);
    // It is the same lock.
    const third = await startMerchant(storage, { exits: true });
    assert.match(third.printed.join('\n'), /belongs to process/);
    await first.stop();
  });

  test('starts on a full disk, and settles what it has spooled', async () => {
    const storage = await engine.create('full_disk');
    const folder = storage.folder(0);
    mkdirSync(folder, { recursive: true });
    const fill = async (/** @type {number} */ seed) => {
      const spool = await openSpool(folder);
      for (const body of seeds(seed, 3).map(depositOf)) await spool.append(Buffer.from(body));
      await spool.close();
    };
    // A disk of 64 KiB, which only this process sees.
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const script = `mount -t tmpfs -o size=64k none ${disk} && cp ${folder}/spool ${disk}
      cat /dev/zero > ${disk}/filler 2> /dev/null
      exec "$@"`;
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const shell = ['unshare', ...asRoot, '--mount', 'sh', '-c', script, 'sh'];
    const env = { DATA_FOLDER: disk };
    const start = (/** @type {string[]} */ ...command) =>
      startMerchant(storage, { env, shell, command, exits: command.length > 0 });

    await fill(1);
    const lines = (await start('replay')).printed;
    assert.equal(lines.filter((line) => line.startsWith('spooled -> settled')).length, 3);
    assert.match(lines.join('\n'), /The spool is rewritten later: .*ENOSPC/);

    await fill(4);
    const merchant = await start();
    await untilDrained(merchant);
    assert.equal(await answerTo(depositOf(10), merchant), '200 settled');
    assert.equal(readFileSync(`/proc/${merchant.pid}/root${disk}/spool`).length, 0);
    await merchant.stop();
    assert.equal(await settledIn(storage), 7);
  });

  test('replays what was refused, and says what became of each', async () => {
    const storage = await engine.create('replayed');
    const merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(1), merchant), '200 settled');
    assert.equal(
      await answerTo('{"still":"refused"}', merchant),
      '400 ["unrecognized_notification"]',
    );
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
    await database.close();
    const spool = await openSpool(storage.folder(0));
    for (const body of [depositOf(3), '{"spooled":"refused"}'])
      await spool.append(Buffer.from(body));
    await spool.close();
    // Another process has begun to settle one, and hangs: it keeps nothing else waiting.
    const other = new pg.Client(storage.env(0).DATABASE_URL);
    await other.connect();
    await other.query('BEGIN');
    const query = async (/** @type {string} */ sql, /** @type {unknown[]} */ values = []) =>
      (await other.query(sql, values)).rows;
    await settle(query, Buffer.from(depositOf(4)));

    const lines = (await startMerchant(storage, { command: ['replay'], exits: true })).printed;
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
    await other.query('ROLLBACK');
    await other.end();
    const again = (await startMerchant(storage, { command: ['replay'], exits: true })).printed;
    assert.deepEqual(again.slice(0, 3).sort(), [
      ...Array(2).fill(`refused -> refused: ${neither}`),
      `refused -> settled: ${key(4)}`,
    ]);
    assert.equal(await settledIn(storage), 4);
    const next = await startMerchant(storage);
    const { conflicts, refused } = await reportOf(next);
    assert.deepEqual(
      conflicts.map((/** @type {any} */ row) => row.deliveries),
      [3],
    );
    assert.deepEqual(
      refused.map((/** @type {any} */ row) => row.deliveries),
      [1, 1],
    );
    await next.stop();
  });

  test('shows what a person must settle until they dismiss it', async () => {
    const storage = await engine.create('dismissed');
    const merchant = await startMerchant(storage);
    const withdrawal = { clientWithdrawalId: 'customer-1', withdrawCurrency: 'BTC' };
    const bodies = [
      depositOf(1),
      depositReceivedBody({ actualDepositAmount: '7' }, { seed: 1 }),
      withdrawalBroadcastBody({ ...withdrawal, actualWithdrawAmount: '0.25' }, { seed: 1 }),
      withdrawalBroadcastBody({ ...withdrawal, status: 'FAILED' }, { seed: 1 }),
      withdrawalBroadcastBody({ ...withdrawal, actualWithdrawAmount: null }, { seed: 2 }),
      '{}',
    ];
    for (const body of bodies) await answerTo(body, merchant);
    const report = await reportOf(merchant);
    const key = (/** @type {string} */ end) =>
      `withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-${end}`;
    assert.deepEqual(report.conflicts[0].settled.amount, '1');
    assert.deepEqual(report.conflicts[0].claimed.amount, '7');
    assert.equal(report.outcomes[0].key, key('000000000001:FAILED'));
    assert.deepEqual(report.outcomes[0].statuses, ['COMPLETED', 'FAILED']);
    assert.equal(report.outcomes[0].amount, '-0.25');
    assert.equal(report.withoutAmount[0].key, key('000000000002:COMPLETED'));
    assert.equal(report.refused[0].body, '{}');
    assert.match(merchant.printed.join(), /CONFLICT: another body of deposit\.received:/);
    assert.deepEqual(report.totals, [{ currency: 'BTC', amount: '0.75' }]);

    const open = [report.conflicts[0].digest, report.refused[0].digest, report.outcomes[0].key];
    for (const what of [...open, report.withoutAmount[0].key]) {
      const command = ['dismiss', what, 'asked the service'];
      assert.equal((await startMerchant(storage, { command, exits: true })).exitCode(), 0);
    }
    const wrong = await startMerchant(storage, { command: ['dismiss', 'it'], exits: true });
    assert.equal(wrong.exitCode(), 1);
    const after = await reportOf(merchant);
    for (const kind of ['conflicts', 'outcomes', 'withoutAmount', 'refused']) {
      assert.deepEqual(after[kind], [], kind);
    }
    // Dismissed was what there was, not what comes later.
    await answerTo(
      withdrawalBroadcastBody({ ...withdrawal, status: 'BLOCKED' }, { seed: 1 }),
      merchant,
    );
    const { outcomes } = await reportOf(merchant);
    assert.deepEqual(outcomes[0].statuses, ['COMPLETED', 'FAILED', 'BLOCKED']);
    await merchant.stop();
  });

  test('settles nothing that a person has settled: no redelivery, no copy, no replay', async () => {
    const storage = await engine.create('by_hand');
    const merchant = await startMerchant(storage);
    const run = async (/** @type {string[]} */ ...command) =>
      (await startMerchant(storage, { command, exits: true })).printed;
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
      await run('dismiss', digest, 'credited by hand');
    }
    await database.query('ALTER TABLE line DROP CONSTRAINT known');

    for (const body of [byHand, unread])
      assert.equal(await answerTo(body, merchant), '200 dismissed');
    // Another encoding of it, or another amount, is for a person again.
    const [, copy] = bodyVariants(byHand).filter(({ body }) => body !== byHand);
    assert(copy);
    assert.equal(await answerTo(copy.body, merchant), '400 ["dismissed"]');
    // What a redelivery has settled is off the page, so that no person credits it, too.
    assert.equal((await reportOf(merchant)).refused.length, 2);
    assert.equal(await answerTo(later, merchant), '200 settled');
    const { refused } = await reportOf(merchant);
    assert.deepEqual(
      refused.map((/** @type {any} */ row) => row.body),
      [copy.body],
    );
    const lines = await run('replay');
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

  test('checks its books, and fails where they are wrong', async () => {
    const storage = await engine.create('checked');
    const merchant = await startMerchant(storage);
    assert.equal(await answerTo(depositOf(1), merchant), '200 settled');
    await merchant.stop();
    const good = await startMerchant(storage, { command: ['check'], exits: true });
    assert.equal(good.exitCode(), 0);
    const database = storage.open();
    await database.query(`UPDATE line SET amount = 2 WHERE account = 'customer:customer-1'`);
    await database.close();
    const bad = await startMerchant(storage, { command: ['check'], exits: true });
    assert.equal(bad.exitCode(), 1);
    assert.equal(JSON.parse(bad.printed.join('\n')).unbalanced[0].sum, '1');
  });
});
