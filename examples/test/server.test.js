// server.mjs on a PostgreSQL server: when it starts, what it saves, and what ends it. What every
// handler must do is shown by testing-page.test.js with `.ci/run --full`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Decimal, idempotencyKey, parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { copied } from './code.js';
import { openMerchant, replaced, SETTLE } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { begin, head, SECRET, statusOf, until } from './server.js';

/** @import { Merchant } from './merchant.js' */
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

const PLACES = /** @type {const} */ (['progress', 'retry', 'review']);

/** Writes down each call before anything else, and lets each event take longer than the last. */
const RECORDED = `import { appendFileSync } from 'node:fs';
let calls = 0;
${replaced(
  SETTLE,
  'settleOnce(notification, { key, body }) {\n',
  `settleOnce(notification, { key, body }) {
    appendFileSync('called', key + '\\n');
    await new Promise((resolve) => setTimeout(resolve, (calls += 1) * 10));
`,
)}`;

/** Those of a list that another one hasn't. @param {string[]} list @param {string[]} other */
const without = (list, other) => list.filter((one) => !other.includes(one));

describe('server.mjs', { skip: whyNoPostgres() }, () => {
  /** @type {Merchant} */
  let merchant;
  before(async () => {
    merchant = await openMerchant();
  });
  beforeEach(async () => {
    await merchant.reset();
    await merchant.order(DEPOSIT, WITHDRAWAL);
  });
  after(() => merchant.close());

  /** What waits is settled by the first round of another process. */
  async function assertSettlesNext(/** @type {Record<string, string>} */ balances) {
    const next = await merchant.start();
    await merchant.untilSettled();
    assert.equal(await next.stop(), 0);
    assert.deepEqual(await merchant.balances(), balances);
  }

  for (const [what, env, said] of WRONG)
    test(`does not start: ${what}`, () =>
      assert.rejects(merchant.run(['node', 'server.mjs'], env), ({ message }) => {
        assert.match(message, said);
        assert.doesNotMatch(message, /a-password/);
        return true;
      }));

  test('says why a body is for review, and settles it once its file is moved', async () => {
    const server = await merchant.start();
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
      assert.equal(merchant.reason('review', body), reason);
    }
    // The same currency in another spelling is the same balance.
    for (const [seed, depositCurrency] of ['usdt', 'UsdT'].entries())
      assert.equal(await statusOf(server.url, deposit({ depositCurrency }, 4 + seed)), 200);
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.printed.join('\n'), new RegExp(SECRET));
    await merchant.order(later);
    merchant.retry(later);
    await assertSettlesNext({ ...DEPOSITED, 'customer-7 USDT': '0.03046' });
    assert.equal(merchant.bodies('review').length, Object.keys(reviewed).length - 1);
  });

  test('PAUSE sends each webhook to review, and it is settled once its file is moved', async () => {
    const server = await merchant.run(['node', 'server.mjs'], { PAUSE: '1' });
    for (const body of [DEPOSIT, WITHDRAWAL]) {
      assert.equal(await statusOf(server.url, body), 200);
      assert.equal(merchant.reason('review', body), 'paused');
    }
    assert.equal(await server.stop(), 0);
    assert.deepEqual(await merchant.balances(), {});
    merchant.retry(DEPOSIT);
    merchant.retry(WITHDRAWAL);
    await assertSettlesNext({ ...DEPOSITED, ...WITHDRAWN });
  });

  for (const [what, trouble, end, reason] of /** @type {const} */ ([
    ['is down', 'crash', 'start', /ENOENT|ECONNREFUSED/],
    ['hangs', 'freeze', 'thaw', /timeout/],
  ]))
    test(`starts, saves what comes, and settles it later, with a database that ${what}`, async () => {
      await merchant.postgres[trouble]();
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, DEPOSIT), 500);
      assert.equal(await server.stop(), 0);
      assert.deepEqual(merchant.bodies('retry'), [DEPOSIT]);
      assert.match(merchant.reason('retry', DEPOSIT), reason);
      await merchant.postgres[end]();
      await assertSettlesNext(DEPOSITED);
    });

  test('whenever it is killed, each webhook of its function is saved, and settled once', async () => {
    const path = (/** @type {string} */ name) => join(merchant.folder.path, name);
    fs.writeFileSync(path('settle.mjs'), RECORDED);
    const called = () => fs.readFileSync(path('called'), 'utf8').split('\n').slice(0, -1);
    const settled = async () =>
      (await merchant.postgres.query('SELECT key FROM event')).map(({ key }) => `${key}`);
    for (const kill of process.env.FULL === 'true' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 4, 8]) {
      fs.writeFileSync(path('called'), '');
      const bodies = EIGHT.map((_, index) => withdrawal({}, 8 * kill + index));
      const server = await merchant.start();
      const answers = bodies.map((body) => statusOf(server.url, body).catch(() => null));
      // Meanwhile, others are received and saved, settled, removed or answered.
      await until(() => called().length >= kill);
      await server.kill();
      const statuses = await Promise.all(answers);
      const answered = bodies.filter((_, index) => statuses[index] === 200);
      const known = [...called(), ...answered.map(keyOf)];
      const files = PLACES.flatMap(merchant.waiting);
      const lost = without(known, await settled()).filter(
        (key) => !files.some((file) => file.startsWith(key.replaceAll(':', '.'))),
      );
      assert.deepEqual(lost, []);
      merchant.endClaims();
      const next = await merchant.start();
      await merchant.untilSettled();
      assert.equal(await next.stop(), 0);
      assert.deepEqual(without(known, await settled()), []);
    }
    const sum = new Decimal(-480.73).times((await settled()).length);
    assert.deepEqual(await merchant.balances(), { 'customer-7 XRP': `${sum}` });
  });

  /** Starts a server whose statements wait for a lock, however long a slow machine holds it. */
  function startPatient() {
    const code = copied('postgres.mjs').replaceAll(
      /(statement|query)_timeout: \d_000/g,
      '$1_timeout: 0',
    );
    fs.writeFileSync(join(merchant.folder.path, 'postgres.mjs'), code);
    return merchant.start();
  }

  /** Until it takes no more connections. @param {Server} server */
  const untilClosed = (server) =>
    until(async () => (await statusOf(server.url, '').catch(() => null)) === null);

  /** Eight bodies, each of which is in progress until the lock ends. */
  async function sendEight(/** @type {Server} */ server) {
    const lock = await merchant.hold('LOCK TABLE balance');
    const send = (/** @type {string} */ body) => begin(server, head(body.length) + body);
    const senders = await Promise.all(EIGHT.map(send));
    await merchant.untilBlocked(8);
    return { lock, senders };
  }

  test('loses nothing when senders give up, several signals come, and the database crashes', async () => {
    const server = await startPatient();
    const { lock, senders } = await sendEight(server);
    for (const sender of senders) sender.destroy();
    server.signal('SIGHUP');
    await untilClosed(server);
    assert(server.isRunning());
    for (const _ of [1, 2]) server.signal('SIGINT');
    await merchant.postgres.crash();
    assert.equal(await server.stop(), 0);
    await lock.end().catch(() => {});
    assert.deepEqual(merchant.bodies('retry').sort(), EIGHT.toSorted());
    await merchant.postgres.start();
    await assertSettlesNext({ 'customer-7 XRP': '-3845.84' });
  });

  test('settles what is in progress, though the readers of its output have left', async () => {
    const server = await startPatient();
    const { lock } = await sendEight(server);
    server.closeOutput();
    await lock.end();
    assert.equal(await server.stop(), 0);
    assert.deepEqual(await merchant.balances(), { 'customer-7 XRP': '-3845.84' });
  });

  test('while it stops, takes no more bodies on a connection, and no half ones', async () => {
    const server = await merchant.start();
    const text = head(WITHDRAWAL.length) + WITHDRAWAL;
    const begun = await begin(server, text.slice(0, 20));
    for (const part of ['', text.slice(0, 20), text.slice(0, -10)]) await begin(server, part);
    assert.equal(await statusOf(server.url, DEPOSIT), 200); // it has read the others
    server.signal('SIGTERM');
    await untilClosed(server);
    begun.write(text.slice(20));
    const [answer] = await once(begun, 'data');
    assert.match(`${answer}`, /^HTTP\/1\.1 200 .*^connection: close/ims);
    assert.equal(await server.stop(), 0); // half a request doesn't keep it running
    assert.deepEqual(await merchant.balances(), { ...DEPOSITED, ...WITHDRAWN });
  });

  test('a crash of the database does not end it, and bodies of that time are saved', async () => {
    const server = await startPatient();
    // Two at the same time leave two connections, of which one will be idle.
    let lock = await merchant.hold('LOCK TABLE balance');
    const two = [1, 2].map(() => statusOf(server.url, DEPOSIT));
    await merchant.untilBlocked(2);
    await lock.end();
    assert.deepEqual(await Promise.all(two), [200, 200]);
    lock = await merchant.hold('LOCK TABLE balance');
    const interrupted = statusOf(server.url, WITHDRAWAL);
    await merchant.untilBlocked();
    await merchant.postgres.crash();
    assert.equal(await interrupted, 500);
    await lock.end().catch(() => {});
    await merchant.postgres.start();
    await until(async () => (await statusOf(server.url, deposit({}, 1))) === 200);
    assert.equal(await server.stop(), 0);
    await assertSettlesNext({ 'customer-7 BTC': '0.03046', ...WITHDRAWN });
  });

  test('a row that somebody has locked leaves no statements in the database', async () => {
    const server = await merchant.start();
    assert.equal(await statusOf(server.url, WITHDRAWAL), 200);
    const lock = await merchant.hold('SELECT FROM balance FOR UPDATE');
    const others = EIGHT.slice(0, 3);
    const answers = others.map((other) => statusOf(server.url, other));
    await merchant.untilBlocked();
    assert.deepEqual(await Promise.all(answers), [500, 500, 500]);
    assert.equal(await server.stop(), 0);
    assert.deepEqual(merchant.bodies('retry').sort(), others.sort());
    await lock.end();
    await assertSettlesNext({ 'customer-7 XRP': '-1922.92' });
  });
});
