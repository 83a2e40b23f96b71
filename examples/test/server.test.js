// server.mjs on a PostgreSQL server: what it settles, what it saves, and what stops it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { openMerchant, SCHEMA } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { PATIENCE_MS, statusOf, until } from './server.js';

/** @import { Merchant } from './merchant.js' */
/** @import { Server } from './server.js' */

const DEPOSIT = depositReceivedBody();
const WITHDRAWAL = withdrawalBroadcastBody();
/** What they add up to. */
const [DEPOSITED, WITHDRAWN] = [{ 'customer-7 BTC': '0.01523' }, { 'customer-7 XRP': '-480.73' }];
/** Of the orders that are known. @param {Record<string, unknown>} fields @param {number} seed */
const deposit = (fields, seed) =>
  depositReceivedBody({ clientPaymentId: 'order-10042', ...fields }, { seed });
/** @param {Record<string, unknown>} fields @param {number} seed */
const withdrawal = (fields, seed) =>
  withdrawalBroadcastBody({ clientWithdrawalId: 'payout-7731', ...fields }, { seed });
/** Eight withdrawals, each of which comes once. */
const EIGHT = Array.from({ length: 8 }, (_, seed) => withdrawal({}, seed + 1));

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

  /** @param {string} role */
  const urlAs = (role) => merchant.postgres.url.replace('merchant@', `${role}@`);
  /** Until everything that waits is settled. @param {Record<string, string>} balances */
  async function assertSettled(balances) {
    await until(() => merchant.waiting('retry').length === 0);
    assert.deepEqual(await merchant.balances(), balances);
  }

  test('settles each event once, however many copies two processes get, and prints it', async () => {
    const servers = await Promise.all([merchant.start(), merchant.start()]);
    const copies = Array.from({ length: 10 }, (_, index) => servers[index % 2]?.url ?? '');
    for (const body of [DEPOSIT, WITHDRAWAL]) {
      const statuses = await Promise.all(copies.map((url) => statusOf(url, body)));
      assert.deepEqual(statuses, Array(10).fill(200));
    }
    assert.deepEqual(await merchant.balances(), { ...DEPOSITED, ...WITHDRAWN });
    // Longer than a load balancer does.
    const { headers } = await fetch(copies[0] ?? '');
    assert.match(`${headers.get('keep-alive')}`, /timeout=75/);
    for (const server of servers) assert.equal(await server.stop(), 0);
    const printed = servers.flatMap((server) => server.printed);
    const key = `deposit.received:${JSON.parse(DEPOSIT).depositId}`;
    const count = (text = '') => printed.filter((line) => line === `${key}: ${text}`).length;
    assert.deepEqual([count('settled, 0.01523 BTC'), count('repeated, 0.01523 BTC')], [1, 9]);
  });

  test('saves for review what someone must decide, and settles it once its file is moved', async () => {
    const server = await merchant.start();
    assert.equal(await statusOf(server.url, deposit({ depositCurrency: 'usdt' }, 1)), 200);
    const later = deposit({ clientPaymentId: 'order-of-later' }, 2);
    const other = 'settled before, with another customer or amount';
    const unusual = 'the currency is unusual';
    const reviewed = {
      [later]: 'the order is unknown',
      [deposit({ clientPaymentId: 'a\0' }, 3)]: 'the identifier has a NUL character',
      [withdrawal({ status: 'FAILED' }, 4)]: 'the withdrawal is FAILED',
      [withdrawal({ status: 'BLOCKED' }, 4)]: 'the withdrawal is BLOCKED',
      [withdrawal({ actualWithdrawAmount: null }, 4)]: 'the amount is missing',
      [deposit({ depositCurrency: 'usdt', actualDepositAmount: '7' }, 1)]: other,
      [deposit({ depositCurrency: 'BTC' }, 1)]: other,
      [deposit({ depositCurrency: 'uſdt' }, 5)]: unusual,
      [deposit({ depositCurrency: ' USDT' }, 5)]: unusual,
      [deposit({ depositCurrency: 'USDT\u00a0' }, 5)]: unusual,
      [deposit({ depositCurrency: 'U'.repeat(21) }, 5)]: unusual,
    };
    for (const [body, reason] of Object.entries(reviewed)) {
      assert.equal(await statusOf(server.url, body), 200, reason);
      assert.equal(merchant.reason('review', body), `${reason}\n`);
      await until(() =>
        server.printed.some((line) => /^review: /.test(line) && line.endsWith(reason)),
      );
    }
    // The same currency in another spelling is the same balance.
    assert.equal(await statusOf(server.url, deposit({ depositCurrency: 'UsdT' }, 5)), 200);
    assert.deepEqual(await merchant.balances(), { 'customer-7 USDT': '0.03046' });
    await merchant.order(later);
    merchant.retry(later);
    await assertSettled({ ...DEPOSITED, 'customer-7 USDT': '0.03046' });
    assert.equal(merchant.waiting('review').length, Object.keys(reviewed).length - 1);
    await server.stop();
  });

  test('needs a role that reads and writes three tables', async () => {
    await merchant.postgres.query(`CREATE ROLE clerk LOGIN;
      GRANT USAGE ON SCHEMA public TO clerk; GRANT SELECT, INSERT, UPDATE ON orders, event, balance TO clerk`);
    const server = await merchant.start({ DATABASE_URL: urlAs('clerk') });
    assert.equal(await statusOf(server.url, DEPOSIT), 200);
    assert.deepEqual(await merchant.balances(), DEPOSITED);
    await server.stop();
    await merchant.postgres.query('DROP OWNED BY clerk; DROP ROLE clerk');
  });

  /**
   * What is done to the database, what is undone later, and the reason in between.
   *
   * @type {Record<string, [trouble: () => unknown, end: () => unknown, reason: RegExp]>}
   */
  const TROUBLES = {
    'is down': [
      () => merchant.postgres.crash(),
      () => merchant.postgres.start(),
      /ENOENT|ECONNREFUSED/,
    ],
    hangs: [() => merchant.postgres.freeze(), () => merchant.postgres.thaw(), /timeout/],
    'is read-only': [
      () =>
        merchant.postgres.query(`CREATE ROLE app LOGIN SUPERUSER;
          ALTER ROLE app SET default_transaction_read_only = on`),
      () =>
        merchant.postgres.query(`ALTER ROLE app SET default_transaction_read_only = off;
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`),
      /read-only transaction/,
    ],
    'has no tables': [
      () => merchant.postgres.query('DROP TABLE orders, event, balance'),
      // At the same time, so that no round finds the tables without the order.
      () =>
        merchant.postgres.query(`${SCHEMA}
          INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7')`),
      /"orders" does not exist/,
    ],
  };
  for (const [what, [trouble, end, reason]] of Object.entries(TROUBLES))
    test(`starts, saves what comes, and settles it later, with a database that ${what}`, async () => {
      await trouble();
      const env = what === 'is read-only' ? { DATABASE_URL: urlAs('app') } : {};
      const server = await merchant.start(env);
      assert.equal(await statusOf(server.url, DEPOSIT), 500);
      assert.deepEqual(merchant.bodies('retry'), [DEPOSIT]);
      assert.match(merchant.reason('retry', DEPOSIT), reason);
      await until(() => server.printed.some((line) => /^retry: deposit\.received:/.test(line)));
      await end();
      await assertSettled(DEPOSITED);
      assert.equal(await server.stop(), 0);
    });

  describe('loses nothing', () => {
    const lockBalances = () => merchant.hold('LOCK TABLE balance');
    /** Until so many statements wait for a lock. */
    const untilBlocked = (count = 1) => until(async () => (await merchant.blocked()) >= count);

    /** Opens a connection, and writes to it. @param {Server} server @param {string} text */
    async function begin(server, text) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.write(text, resolve));
      return socket;
    }
    /** A request, as it is on the wire. @param {Server} server @param {string} body */
    const rawRequest = ({ url }, body, method = 'POST') =>
      `${method} ${new URL(url).pathname} HTTP/1.1\r\nhost: merchant\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

    /** Until it takes no more connections. @param {Server} server */
    const untilClosed = (server) =>
      until(async () => (await statusOf(server.url, '').catch(() => null)) === null);
    async function settleInNext(/** @type {Record<string, string>} */ balances) {
      const next = await merchant.start();
      await assertSettled(balances);
      assert.equal(await next.stop(), 0);
    }

    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
      test(`${signal} waits for an answer in flight, though connections are kept`, async () => {
        const server = await merchant.start();
        const kept = await begin(server, rawRequest(server, '', 'GET'));
        await once(kept, 'data');
        const lock = await lockBalances();
        const answer = statusOf(server.url, WITHDRAWAL);
        await untilBlocked();
        server.signal(signal);
        await once(kept, 'close');
        assert(server.isRunning());
        await lock.end();
        assert.equal(await answer, 200);
        assert.equal(await server.stop(), 0);
        assert.deepEqual(await merchant.balances(), WITHDRAWN);
      });

    /** @type {[what: string, command: string, end: (server: Server) => unknown][]} */
    const LOST_LOGS = [
      [
        'Ctrl+C ends the reader of the log as well',
        'node server.mjs 2>&1 | tee log',
        (server) => server.signal('SIGINT'),
      ],
      [
        'the terminal is closed',
        'script --quiet --command "exec node server.mjs" /dev/null',
        (server) => server.kill(),
      ],
    ];
    for (const [what, command, end] of LOST_LOGS)
      test(`when the database hangs and ${what}`, async () => {
        const server = await merchant.run(['sh', '-c', `exec ${command}`]);
        const lock = await lockBalances();
        const answers = EIGHT.map((body) => statusOf(server.url, body).catch(() => null));
        await untilBlocked(8);
        merchant.postgres.freeze();
        await end(server);
        await Promise.all(answers);
        // It saves the last ones after their connections are closed.
        const saved = until(() => merchant.waiting('retry').length === 8);
        await Promise.race([saved, sleep(PATIENCE_MS, null, { ref: false })]);
        const bodies = merchant.bodies('retry').sort();
        merchant.postgres.thaw();
        await lock.end();
        assert.deepEqual(bodies, EIGHT.toSorted());
        await settleInNext({ 'customer-7 XRP': '-3845.84' });
      });

    for (const target of ['> /dev/full', '| head -n 1'])
      test(`when nothing can be printed: ${target}`, async () => {
        const server = await merchant.run(['sh', '-c', `node server.mjs 2>&1 ${target}`]);
        const unknown = deposit({ clientPaymentId: 'unknown' }, 1);
        for (const body of [WITHDRAWAL, unknown, WITHDRAWAL, unknown])
          assert.equal(await statusOf(server.url, body), 200);
        assert.deepEqual(merchant.bodies('review'), [unknown]);
        assert.deepEqual(await merchant.balances(), WITHDRAWN);
        await server.stop();
      });

    test('while the server stops: no more bodies on a connection, and no half ones', async () => {
      const server = await merchant.start();
      const text = rawRequest(server, WITHDRAWAL);
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

    test('a sender that gave up, a database that hangs, and several signals', async () => {
      const server = await merchant.start();
      const lock = await lockBalances();
      const sender = await begin(server, rawRequest(server, WITHDRAWAL));
      await untilBlocked();
      merchant.postgres.freeze();
      sender.destroy();
      server.signal('SIGTERM');
      await untilClosed(server);
      for (const signal of /** @type {const} */ (['SIGINT', 'SIGHUP'])) server.signal(signal);
      assert.equal(await server.stop(), 0);
      assert.deepEqual(merchant.bodies('retry'), [WITHDRAWAL]);
      merchant.postgres.thaw();
      await lock.end();
      await settleInNext(WITHDRAWN);
    });

    test('a crash of the database does not end the server, and bodies of that time are settled', async () => {
      const server = await merchant.start();
      // Two at the same time leave two connections, of which one will be idle.
      let lock = await lockBalances();
      const two = [1, 2].map(() => statusOf(server.url, DEPOSIT));
      await untilBlocked(2);
      await lock.end();
      assert.deepEqual(await Promise.all(two), [200, 200]);
      lock = await lockBalances();
      const interrupted = statusOf(server.url, WITHDRAWAL);
      await untilBlocked();
      await merchant.postgres.crash();
      assert.equal(await interrupted, 500);
      await lock.end().catch(() => {});
      assert.deepEqual(merchant.bodies('retry'), [WITHDRAWAL]);
      await merchant.postgres.start();
      await assertSettled({ ...DEPOSITED, ...WITHDRAWN });
      assert.equal(await server.stop(), 0);
    });

    test('a row that somebody has locked leaves no statements in the database', async () => {
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, WITHDRAWAL), 200);
      const lock = await merchant.hold('SELECT FROM balance FOR UPDATE');
      const others = EIGHT.slice(0, 3);
      const answers = others.map((other) => statusOf(server.url, other));
      await untilBlocked();
      assert.deepEqual(await Promise.all(answers), [500, 500, 500]);
      // Rounds try them one at a time.
      assert.equal(await server.stop(), 0);
      assert.equal(await merchant.blocked(), 0);
      assert.deepEqual(merchant.bodies('retry').sort(), others.sort());
      await lock.end();
      await settleInNext({ 'customer-7 XRP': '-1922.92' });
    });
  });
});
