// server.mjs on a PostgreSQL server: when it starts, what it saves, and what ends it. What every
// handler must do is shown by testing-page.test.js with `.ci/run --full`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, beforeEach, describe, test } from 'node:test';
import { Decimal, idempotencyKey, parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import pg from 'pg';
import { copied, copy, replaced } from './code.js';
import { bodiesIn, filesIn, openMerchant, SCHEMA } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { begin, head, SECRET, startServer, statusOf, until } from './server.js';

/** @import { Place } from 'payment-notifications/store' */
/** @import { Server } from './server.js' */

const DEPOSIT = depositReceivedBody();
const WITHDRAWAL = withdrawalBroadcastBody();
/** What they add up to. */
const [DEPOSITED, WITHDRAWN] = [{ 'customer-7 BTC': '0.01523' }, { 'customer-7 XRP': '-480.73' }];
/** Of the order that is known. @param {Record<string, unknown>} fields @param {number} seed */
const deposit = (fields, seed) =>
  depositReceivedBody({ clientPaymentId: 'order-10042', ...fields }, { seed });
/** Of the payout that is known. @param {Record<string, unknown>} fields @param {number} seed */
const withdrawal = (fields, seed) =>
  withdrawalBroadcastBody({ clientWithdrawalId: 'payout-7731', ...fields }, { seed });
/** Eight withdrawals, each of which comes once. */
const EIGHT = Array.from({ length: 8 }, (_, seed) => withdrawal({}, seed + 1));

const NO_DATABASE = /DATABASE_URL: expected postgres:/;
/** @type {[what: string, env: Record<string, string | undefined>, said: RegExp][]} */
const WRONG = [
  ['no secret', { CALLBACK_SECRET: undefined }, /secret: expected at least 16 .* Make one with/],
  ['another database', { DATABASE_URL: 'mysql://127.0.0.1:1/merchant' }, NO_DATABASE],
  [
    'an unencoded password',
    { DATABASE_URL: 'postgres://me:a-password/#@127.0.0.1:1/merchant' },
    NO_DATABASE,
  ],
  ['a port of spaces', { PORT: ' ' }, /PORT: expected a number, received " "/],
];

/** @param {string} body */
const keyOf = (body) => idempotencyKey(parseNotification(body));

/** Writes down each call before anything else, and lets each event take longer than the last. */
const RECORDED = `import { appendFileSync } from 'node:fs';
let calls = 0;
${replaced(
  copied('settle.mjs'),
  'settleOnce(notification, { key, body }) {\n',
  `settleOnce(notification, { key, body }) {
    appendFileSync('called', key + '\\n');
    await new Promise((resolve) => setTimeout(resolve, (calls += 1) * 10));
`,
)}`;

/** Those of a list that another one hasn't. @param {string[]} list @param {string[]} other */
const without = (list, other) => list.filter((one) => !other.includes(one));

const { folder, postgres } = await openMerchant();
const FILES = ['server.mjs', 'stop.mjs', 'postgres.mjs', 'settle.mjs'];
/** @type {Set<Server>} */
const servers = new Set();

/** @param {Record<string, string | undefined>} [env] */
async function start(env) {
  const server = await startServer(['node', 'server.mjs'], { cwd: folder, env });
  servers.add(server);
  return server;
}

/** Why a body waits. @param {Place} place @param {string} body */
function reasonOf(place, body) {
  const file = bodiesIn(place).get(body) ?? '';
  return fs.readFileSync(`webhooks/${place}/${file.replace('.json', '.txt')}`, 'utf8').trimEnd();
}

/** @returns {Promise<Record<string, string>>} By account and currency. */
async function balances() {
  const rows = await postgres.query(
    'SELECT account, currency, trim_scale(amount) AS amount FROM balance ORDER BY 1, 2',
  );
  return Object.fromEntries(
    rows.map(({ account, currency, amount }) => [`${account} ${currency}`, amount]),
  );
}

/** Runs SQL in a transaction that stays open. @param {string} sql */
async function hold(sql) {
  const client = new pg.Client(postgres.url);
  client.on('error', () => {});
  await client.connect();
  await client.query(`BEGIN; ${sql}`);
  return client;
}

const blocked = () => postgres.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");

/** Another process settles what waits in its first round. */
async function settleNext() {
  const next = await start();
  // The round may move a file to the other place meanwhile.
  const places = /** @type {const} */ (['retry', 'progress', 'retry']);
  await until(() => places.flatMap((place) => filesIn(place)).length === 0);
  assert.equal(await next.stop(), 0);
}

describe('server.mjs', { skip: whyNoPostgres() }, () => {
  beforeEach(async () => {
    for (const name of FILES) copy(folder, name); // a test may have changed them
    fs.rmSync('webhooks', { recursive: true, force: true });
    await postgres.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${SCHEMA}
      INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7'),
        ('withdrawal.broadcast', 'payout-7731', 'customer-7')`);
  });
  after(() => Promise.all([...servers].map((server) => server.kill())));

  for (const [what, env, said] of WRONG)
    test(`does not start: ${what}`, () =>
      assert.rejects(start(env), ({ message }) => {
        assert.match(message, said);
        assert.doesNotMatch(message, /a-password/);
        return true;
      }));

  test('says why a body is for review, and settles it once its file is moved', async () => {
    const server = await start();
    const later = deposit({ clientPaymentId: 'order-of-later' }, 1);
    const unusual = 'the currency is unusual';
    const reviewed = {
      [later]: 'the order is unknown',
      [deposit({ clientPaymentId: 'a\0' }, 2)]: 'the identifier has a NUL character',
      [deposit({ depositCurrency: 'uſdt' }, 3)]: unusual,
      [deposit({ depositCurrency: ' USDT' }, 3)]: unusual,
      [deposit({ depositCurrency: 'USDT\u00a0' }, 3)]: unusual,
      [deposit({ depositCurrency: 'U'.repeat(21) }, 3)]: unusual,
      [withdrawal({ status: 'FAILED' }, 6)]: 'the withdrawal is FAILED',
      [withdrawal({ status: 'BLOCKED' }, 7)]: 'the withdrawal is BLOCKED',
      [withdrawal({ actualWithdrawAmount: null }, 8)]: 'the amount is missing',
    };
    for (const [body, reason] of Object.entries(reviewed)) {
      assert.equal(await statusOf(server.url, body), 200, reason);
      assert.equal(reasonOf('review', body), reason);
    }
    // The same currency in another spelling is the same balance.
    for (const [seed, depositCurrency] of ['usdt', 'UsdT'].entries())
      assert.equal(await statusOf(server.url, deposit({ depositCurrency }, 4 + seed)), 200);
    assert.equal(await server.stop(), 0);
    assert.match(server.printed.join('\n'), /^listening on 127\.0\.0\.1:/m);
    assert.doesNotMatch(server.printed.join('\n'), new RegExp(SECRET));

    const order = "('deposit.received', 'order-of-later', 'customer-7')";
    await postgres.query(`INSERT INTO orders VALUES ${order}`);
    const file = bodiesIn('review').get(later);
    fs.renameSync(`webhooks/review/${file}`, `webhooks/retry/${file}`);
    await settleNext();
    assert.deepEqual(await balances(), { ...DEPOSITED, 'customer-7 USDT': '0.03046' });
    assert.equal(filesIn('review').length, Object.keys(reviewed).length - 1);
  });

  for (const [what, trouble, end, ...reasons] of /** @type {const} */ ([
    ['is down', 'crash', 'start', /ENOENT|ECONNREFUSED/, /ENOENT|ECONNREFUSED/],
    ['hangs', 'freeze', 'thaw', /Query read timeout/, /connection timeout/],
  ]))
    test(`starts, goes on, and saves what comes, with a database that ${what}`, async () => {
      const code = copied('postgres.mjs');
      const patient = replaced(code, '.Pool({', '.Pool({ idleTimeoutMillis: 0,');
      fs.writeFileSync('postgres.mjs', patient);
      const first = await start();
      assert.equal(await statusOf(first.url, DEPOSIT), 200); // leaves an idle connection
      await postgres[trouble]();
      const running = [first, await start()];
      const bodies = [WITHDRAWAL, deposit({}, 1)];
      const answers = running.map((server, index) => statusOf(server.url, bodies[index] ?? ''));
      assert.deepEqual(await Promise.all(answers), [500, 500]);
      await postgres[end]();
      for (const server of running) assert.equal(await server.stop(), 0);
      for (const [index, body] of bodies.entries())
        assert.match(reasonOf('retry', body), reasons[index] ?? assert.fail());
      await settleNext();
      assert.deepEqual(await balances(), { 'customer-7 BTC': '0.03046', ...WITHDRAWN });
    });

  test('whenever it is killed, each webhook of its function is saved, and settled once', async () => {
    fs.writeFileSync('settle.mjs', RECORDED);
    const called = () => fs.readFileSync('called', 'utf8').split('\n').slice(0, -1);
    const settled = async () =>
      (await postgres.query('SELECT key FROM event')).map(({ key }) => `${key}`);
    for (const kill of process.env.FULL === 'true' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 4, 8]) {
      fs.writeFileSync('called', '');
      const bodies = EIGHT.map((_, index) => withdrawal({}, 8 * kill + index));
      const server = await start();
      const answers = bodies.map((body) => statusOf(server.url, body).catch(() => null));
      // Meanwhile, others are received and saved, settled, removed or answered.
      await until(() => called().length >= kill);
      await server.kill();
      const statuses = await Promise.all(answers);
      const answered = bodies.filter((_, index) => statuses[index] === 200);
      const known = [...called(), ...answered.map(keyOf)];
      const files = /** @type {const} */ (['progress', 'retry', 'review']).flatMap((place) =>
        filesIn(place),
      );
      const lost = without(known, await settled()).filter(
        (key) => !files.some((file) => file.startsWith(key.replaceAll(':', '.'))),
      );
      assert.deepEqual(lost, []);
      // The claims of the killed process run out.
      for (const file of fs.readdirSync('webhooks/progress'))
        fs.utimesSync(`webhooks/progress/${file}`, 0, 0);
      await settleNext();
      assert.deepEqual(without(known, await settled()), []);
    }
    const sum = new Decimal(-480.73).times((await settled()).length);
    assert.deepEqual(await balances(), { 'customer-7 XRP': `${sum}` });
  });

  test('loses nothing when senders give up, several signals come, and the database crashes', async () => {
    // Statements wait for a lock, however long a slow machine holds it.
    const code = copied('postgres.mjs').replaceAll(
      /(statement|query)_timeout: \d_000/g,
      '$1_timeout: 0',
    );
    fs.writeFileSync('postgres.mjs', code);
    const server = await start();
    const lock = await hold('LOCK TABLE balance');
    const senders = EIGHT.map((body) => begin(server, head(body.length) + body));
    await until(async () => (await blocked()).length === 8);
    for (const sender of await Promise.all(senders)) sender.destroy();
    server.signal('SIGHUP');
    await until(async () => (await statusOf(server.url, '').catch(() => null)) === null);
    assert(server.isRunning());
    for (const _ of [1, 2]) server.signal('SIGINT');
    await postgres.crash();
    assert.equal(await server.stop(), 0);
    await lock.end().catch(() => {});
    assert.deepEqual([...bodiesIn('retry').keys()].sort(), EIGHT.toSorted());
    await postgres.start();
    await settleNext();
    assert.deepEqual(await balances(), { 'customer-7 XRP': '-3845.84' });
  });

  test('half a request does not keep it running', async () => {
    const server = await start();
    const text = head(WITHDRAWAL.length) + WITHDRAWAL;
    for (const part of ['', text.slice(0, 20), text.slice(0, -10)]) await begin(server, part);
    assert.equal(await statusOf(server.url, DEPOSIT), 200); // it has read the others
    assert.equal(await server.stop(), 0);
    assert.deepEqual(await balances(), DEPOSITED);
  });

  test('a row that somebody has locked leaves no statements in the database', async () => {
    const server = await start();
    assert.equal(await statusOf(server.url, WITHDRAWAL), 200);
    const lock = await hold('SELECT FROM balance FOR UPDATE');
    const others = EIGHT.slice(0, 3);
    const answers = others.map((other) => statusOf(server.url, other));
    await until(async () => (await blocked()).length > 0);
    assert.deepEqual(await Promise.all(answers), [500, 500, 500]);
    assert.deepEqual(await blocked(), []);
    assert.equal(await server.stop(), 0);
    assert.deepEqual([...bodiesIn('retry').keys()].sort(), others.sort());
    await lock.end();
    await settleNext();
    assert.deepEqual(await balances(), { 'customer-7 XRP': '-1922.92' });
  });
});
