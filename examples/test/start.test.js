import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import {
  bodyVariants,
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import pg from 'pg';
import { assertLimit, GZIPPED, ODD_HEADERS, statusOf } from './bodies.js';
import { findPostgres, startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { startServer } from './server.js';

const SERVER = fileURLToPath(new URL('../start/server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {string} */
let url;

async function start() {
  server = await startServer(['node', SERVER], { cwd: pathToFileURL(`${folder}/`) });
  url = `http://127.0.0.1:${server.port}/deposits`;
}

before(start);
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Of all servers, each of which gets every copy at once. @param {string[]} urls @param {string} body */
async function answersOf(urls, body, copies = 1) {
  const deliveries = await Promise.all(urls.map((url) => deliver(body, { url, copies })));
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  return attempts.map(({ answer }) => `${answer?.status} ${answer?.body}`).sort();
}

const answersTo = (/** @type {string} */ body, copies = 1) => answersOf([url], body, copies);

test('the handler of the README credits a deposit once, in whatever encoding it comes', async () => {
  const [first, ...others] = bodyVariants(depositReceivedBody());
  assert(first);
  const repeated = Array(4).fill('200 "repeated"');
  assert.deepEqual(await answersTo(first.body, 5), ['200 "credited"', ...repeated]);
  for (const { body } of others) assert.deepEqual(await answersTo(body), ['200 "repeated"']);
  assert.deepEqual(await answersTo(depositReceivedBody({}, { seed: 1 })), ['200 "credited"']);
});

test('a second process on its port ends before it touches the data, which a restart finds', async () => {
  const second = spawnSync('node', [SERVER], {
    cwd: folder,
    env: { ...process.env, PORT: String(server.port) },
    encoding: 'utf8',
    timeout: 60_000, // one that goes on would never end
  });
  assert.equal(second.status, 1);
  assert.match(second.stderr, /EADDRINUSE/);
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 "repeated"']);
  await server.stop();
  await start();
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 "repeated"']);
});

test('it takes a body as it came, whatever its headers say, up to 64 KiB', async () => {
  for (const headers of ODD_HEADERS)
    assert.equal(await statusOf(url, depositReceivedBody(), headers), 200, JSON.stringify(headers));
  assert.equal(await statusOf(url, GZIPPED, { 'content-encoding': 'gzip' }), 400);
  await assertLimit(server, url);
});

test('it keeps what it refused once, however often it comes, and prints it', async () => {
  const refused = depositReceivedBody({}, { seed: 2 }).replace('CONFIRMED', 'PENDING');
  assert.deepEqual(await answersTo(refused, 3), Array(3).fill('400 ["unknown_value"]'));
  for (const body of ['{', '']) assert.deepEqual(await answersTo(body), ['400 ["invalid_json"]']);
  // Valid, but no column can store these.
  const unfit = ['a\0b', Array.from({ length: 3_000 }, (_, n) => (n * 7919).toString(36)).join('')];
  const bodies = unfit.map((clientPaymentId) =>
    depositReceivedBody({ clientPaymentId }, { seed: 5 }),
  );
  for (const body of bodies) assert.deepEqual(await answersTo(body), ['500 "kept"']);
  await server.stop();
  // Only now: its output may come later than its answers.
  const printed = server.printed.filter((line) => line.includes('received "PENDING"'));
  assert.equal(printed.length, 3);

  const database = new PGlite(join(folder, 'data'));
  const { rows } = await database.query('SELECT body FROM refused');
  const events = await database.query('SELECT FROM event WHERE key LIKE $1', ['%000005']);
  await database.close();
  const kept = /** @type {{ body: Uint8Array }[]} */ (rows).map((row) => Buffer.from(row.body));
  const all = ['{', '', GZIPPED, refused, ...bodies].map((text) => Buffer.from(text));
  assert.deepEqual(kept.sort(Buffer.compare), all.sort(Buffer.compare));
  assert.equal(events.rows.length, 0);
});

describe('the same on a PostgreSQL server', { skip: whyNoPostgres() }, () => {
  const SCRIPT = fileURLToPath(new URL('../start/postgres.mjs', import.meta.url));
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  /** @type {Awaited<ReturnType<typeof startServer>>[]} */
  let servers;

  before(async () => {
    postgres = await startPostgres(/** @type {{ bin: string }} */ (findPostgres()));
    await query(readFileSync(new URL('../start/schema.sql', import.meta.url), 'utf8'));
    const env = { DATABASE_URL: postgres.url('postgres') };
    const cwd = pathToFileURL(`${folder}/`);
    const command = ['node', '--import', new URL('watched-sync.js', import.meta.url).href, SCRIPT];
    servers = await Promise.all([1, 2].map(() => startServer(command, { cwd, env })));
  });
  after(async () => {
    for (const process of servers) await process.stop();
    await postgres.remove();
  });

  /** @param {string} sql */
  async function query(sql) {
    const client = new pg.Client(postgres.url('postgres'));
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return rows;
  }

  const answers = (/** @type {string} */ body, copies = 1) => {
    const urls = servers.map((server) => server.url);
    return answersOf(urls, body, copies);
  };
  const [held, failed] = ['200 "held"', '500 "failed"'].map((answer) => Array(2).fill(answer));
  const repeated = (/** @type {number} */ count) => Array(count).fill('200 "repeated"');
  const settledOnce = [...repeated(1), '200 "settled"'];

  test('credits and debits once, however many copies two processes get', async () => {
    const bodies = [depositReceivedBody(), withdrawalBroadcastBody()];
    for (const body of bodies)
      assert.deepEqual(await answers(body, 5), [...repeated(9), '200 "settled"']);
    assert.deepEqual(
      await query('SELECT account, currency, amount FROM balance ORDER BY account'),
      [
        { account: 'order-10042', currency: 'BTC', amount: '0.01523' },
        { account: 'payout-7731', currency: 'XRP', amount: '-480.73' },
      ],
    );
  });

  test('holds what it can not settle, once, and without its key', async () => {
    const seed = { seed: 7 };
    const failed = withdrawalBroadcastBody({ status: 'FAILED' }, seed);
    const unknown = withdrawalBroadcastBody({ actualWithdrawAmount: null }, seed);
    for (const body of [failed, unknown]) assert.deepEqual(await answers(body), held);
    assert.deepEqual(await answers('{'), Array(2).fill('400 ["invalid_json"]'));
    assert.deepEqual(await query('SELECT count(*)::int FROM held'), [{ count: 3 }]);
    // The amount comes later.
    assert.deepEqual(await answers(withdrawalBroadcastBody({}, seed)), settledOnce);
  });

  test('holds what the tables refuse, which a later delivery may settle', async () => {
    const body = depositReceivedBody({ clientPaymentId: 'unknown' }, { seed: 9 });
    await query("ALTER TABLE balance ADD CONSTRAINT known CHECK (account <> 'unknown')");
    for (const unfit of [body, depositReceivedBody({ clientPaymentId: 'a\0b' }, { seed: 10 })])
      assert.deepEqual(await answers(unfit), Array(2).fill('400 "held"'));
    await query('ALTER TABLE balance DROP CONSTRAINT known');
    assert.deepEqual(await answers(body), settledOnce);
  });

  test('holds a body with a known key that says something else, and books nothing', async () => {
    const seed = { seed: 12 };
    assert.deepEqual(await answers(depositReceivedBody({}, seed)), settledOnce);
    const balances = await query('SELECT * FROM balance ORDER BY account, currency');
    const others = [
      { actualDepositAmount: '7' },
      { depositCurrency: 'ETH' },
      { clientPaymentId: 'another customer' },
    ].map((other) => depositReceivedBody(other, seed));
    for (const body of others) assert.deepEqual(await answers(body), held);
    const rows = await query(
      "SELECT body FROM held WHERE reason LIKE '%settled before%' ORDER BY at",
    );
    const bodies = others.map((body) => ({ body: Buffer.from(body) }));
    assert.deepEqual(rows, bodies);
    assert.deepEqual(await query('SELECT * FROM balance ORDER BY account, currency'), balances);
    // The same in other spellings.
    for (const { body } of bodyVariants(depositReceivedBody({ depositCurrency: 'btc' }, seed)))
      assert.deepEqual(await answers(body), repeated(2));
    assert.match(servers[0]?.printed.join('\n') ?? '', /settled before, with another account/);
  });

  test('takes a body as it came, whatever its headers say, up to 64 KiB', async () => {
    const [server] = servers;
    assert(server);
    const body = depositReceivedBody();
    for (const headers of ODD_HEADERS)
      assert.equal(await statusOf(server.url, body, headers), 200, JSON.stringify(headers));
    assert.equal(await statusOf(server.url, GZIPPED, { 'content-encoding': 'gzip' }), 400);
    const rows = await query("SELECT body FROM held WHERE reason LIKE '%UTF-8%'");
    assert.deepEqual(rows, [{ body: GZIPPED }]);
    await assertLimit(server);
  });

  test('saves each body while the database is down, and one that its crash interrupts', async () => {
    const bodies = [depositReceivedBody({}, { seed: 8 }), withdrawalBroadcastBody({}, { seed: 8 })];
    const [interrupted = '', late = ''] = bodies;
    const lock = new pg.Client(postgres.url('postgres'));
    lock.on('error', () => {});
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE event');
    const answersOfCrash = answers(interrupted);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    let isOver = false;
    answersOfCrash.finally(() => (isOver = true));
    while (!isOver && (await query(waiting)).length < 2) await sleep(20);
    await postgres.stop('immediate');
    assert.deepEqual(await answersOfCrash, failed);
    assert.deepEqual(await answers(late), failed);
    const saved = join(folder, 'unsettled');
    const texts = readdirSync(saved).map((name) => readFileSync(join(saved, name), 'utf8'));
    assert.deepEqual(texts.sort(), [...bodies].sort());
    // Not only the file, but its name and its folder's survive a power cut.
    const synced = [`synced ${saved}`, `synced ${folder}`];
    for (const { printed } of servers)
      assert.deepEqual(
        printed.filter((line) => line.startsWith('synced')),
        [...synced, ...synced],
      );
    // One that can't be saved, for a folder is in its way, leaves no draft.
    const unsaved = Buffer.from(depositReceivedBody({}, { seed: 13 }));
    mkdirSync(join(saved, createHash('sha256').update(unsaved).digest('hex')));
    for (const { url } of servers) assert.equal(await statusOf(url, unsaved), 500);
    assert.equal(readdirSync(saved).length, bodies.length + 1);
    await postgres.start();
    for (const body of bodies) assert.deepEqual(await answers(body), settledOnce);
  });
});
