// server.mjs on a PostgreSQL server: what it settles, what it saves, and what stops it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { openMerchant, SCHEMA, until } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { statusOf } from './server.js';

/** @import { Merchant, Server } from './merchant.js' */

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
    for (const server of servers) assert.equal(await server.stop(), 0);
    const printed = servers.flatMap((server) => server.printed);
    const key = `deposit.received:${JSON.parse(DEPOSIT).depositId}`;
    const count = (text = '') => printed.filter((line) => line === `${key}: ${text}`).length;
    assert.deepEqual([count('settled, 0.01523 BTC'), count('repeated, 0.01523 BTC')], [1, 9]);
  });

  test('saves for review what someone must decide, and settles it once its file is moved', async () => {
    const server = await merchant.start();
    assert.equal(await statusOf(server.url, deposit({ depositCurrency: 'usdt' }, 1)), 200);
    const other = 'settled before, with another customer or amount';
    const unusual = 'the currency is unusual';
    /** @type {[body: string, reason: string][]} */
    const reviewed = [
      [deposit({ clientPaymentId: 'order-of-later' }, 2), 'the order is unknown'],
      [deposit({ clientPaymentId: 'a\0' }, 3), 'the identifier has a NUL character'],
      [withdrawal({ status: 'FAILED' }, 4), 'the withdrawal is FAILED'],
      [withdrawal({ status: 'BLOCKED' }, 4), 'the withdrawal is BLOCKED'],
      [withdrawal({ actualWithdrawAmount: null }, 4), 'the amount is missing'],
      [deposit({ depositCurrency: 'usdt', actualDepositAmount: '7' }, 1), other],
      [deposit({ depositCurrency: 'BTC' }, 1), other],
      ...['uſdt', ' USDT', 'USDT\t', 'USDT\u00a0', 'U'.repeat(21)].map(
        (depositCurrency) =>
          /** @type {[string, string]} */ ([deposit({ depositCurrency }, 5), unusual]),
      ),
    ];
    for (const [body, reason] of reviewed) {
      assert.equal(await statusOf(server.url, body), 200, reason);
      assert.equal(merchant.reason('review', body), `${reason}\n`);
      await until(() =>
        server.printed.some((line) => /^review: /.test(line) && line.endsWith(reason)),
      );
    }
    // The same currency in another spelling is the same balance.
    assert.equal(await statusOf(server.url, deposit({ depositCurrency: 'UsdT' }, 5)), 200);
    assert.deepEqual(await merchant.balances(), { 'customer-7 USDT': '0.03046' });

    const [[later = ''] = []] = reviewed;
    await merchant.order(later);
    merchant.retry(later);
    await assertSettled({ ...DEPOSITED, 'customer-7 USDT': '0.03046' });
    assert.equal(merchant.waiting('review').length, reviewed.length - 1);
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

  test('keeps a connection longer than a load balancer does', async () => {
    const server = await merchant.start();
    const { headers } = await fetch(server.url);
    const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
    assert(Number(seconds) > 60, `${headers.get('keep-alive')}`);
    await server.stop();
  });

  describe('starts, saves what comes, and settles it later, with a database that', () => {
    /**
     * What is done to the database, and what is undone later.
     *
     * @typedef {{ before(): unknown, after(): unknown, role?: string, reason: RegExp }} Trouble
     * @type {Record<string, Trouble>}
     */
    const TROUBLES = {
      'is down': {
        before: () => merchant.postgres.crash(),
        after: () => merchant.postgres.start(),
        reason: /ENOENT|ECONNREFUSED/,
      },
      hangs: {
        before: () => merchant.postgres.freeze(),
        after: () => merchant.postgres.thaw(),
        reason: /timeout/,
      },
      'is read-only': {
        role: 'app',
        before: () =>
          merchant.postgres.query(`CREATE ROLE app LOGIN SUPERUSER;
            ALTER ROLE app SET default_transaction_read_only = on`),
        after: () =>
          merchant.postgres.query(`ALTER ROLE app SET default_transaction_read_only = off;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`),
        reason: /read-only transaction/,
      },
      'has no tables': {
        before: () => merchant.postgres.query('DROP TABLE orders, event, balance'),
        // At the same time, so that no round finds the tables without the order.
        after: () =>
          merchant.postgres.query(`${SCHEMA}
            INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7')`),
        reason: /"orders" does not exist/,
      },
    };
    for (const [what, trouble] of Object.entries(TROUBLES))
      test(what, async () => {
        await trouble.before();
        const env = trouble.role ? { DATABASE_URL: urlAs(trouble.role) } : {};
        const server = await merchant.start(env);
        assert.equal(await statusOf(server.url, DEPOSIT), 500);
        assert.deepEqual(merchant.bodies('retry'), [DEPOSIT]);
        assert.match(merchant.reason('retry', DEPOSIT), trouble.reason);
        await until(() => server.printed.some((line) => /^retry: deposit\.received:/.test(line)));
        await trouble.after();
        await assertSettled(DEPOSITED);
        assert.equal(await server.stop(), 0);
      });
  });

  describe('loses nothing', () => {
    const lockBalances = () => merchant.hold('LOCK TABLE balance');
    /** Eight withdrawals, each of which comes once. */
    const EIGHT = Array.from({ length: 8 }, (_, seed) => withdrawal({}, seed + 1));

    /** Sends half a request. @param {Server} server @param {string} text */
    async function begin(server, text) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.write(text, resolve));
      return socket;
    }
    /** A request with a body, as it is on the wire. @param {Server} server */
    const rawRequest = ({ url }) =>
      `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: merchant\r\ncontent-length: ${Buffer.byteLength(WITHDRAWAL)}\r\n\r\n${WITHDRAWAL}`;

    /** Stops a server within 30 seconds. @param {Server} server */
    async function stop(server) {
      const start = performance.now();
      assert.equal(await server.stop(), 0);
      assert(performance.now() - start < 30_000);
    }
    /** Until it takes no more connections. @param {Server} server */
    const untilClosed = (server) =>
      until(async () => (await statusOf(server.url, '').catch(() => null)) === null);
    async function settleInNext(/** @type {Record<string, string>} */ balances) {
      const next = await merchant.start();
      await assertSettled(balances);
      await stop(next);
    }

    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
      test(`${signal} waits for an answer in flight, though connections are kept`, async () => {
        const server = await merchant.start();
        const visit = `GET ${new URL(server.url).pathname} HTTP/1.1\r\nhost: merchant\r\n\r\n`;
        const kept = await begin(server, visit);
        await once(kept, 'data');
        const lock = await lockBalances();
        const answer = statusOf(server.url, WITHDRAWAL);
        await until(merchant.blocked);
        server.signal(signal);
        await once(kept, 'close');
        assert(server.isRunning());
        await lock.end();
        assert.equal(await answer, 200);
        await stop(server);
        assert.deepEqual(await merchant.balances(), WITHDRAWN);
      });

    /**
     * How a log ends while the database hangs.
     *
     * @type {Record<string, { command: string, end(server: Server): unknown }>}
     */
    const LOST_LOGS = {
      'Ctrl+C ends the reader of the log as well': {
        command: 'node server.mjs 2>&1 | tee log',
        end: (server) => server.signal('SIGINT'),
      },
      'the terminal is closed': {
        command: 'script --quiet --command "exec node server.mjs" /dev/null',
        end: (server) => server.kill(),
      },
    };
    for (const [what, { command, end }] of Object.entries(LOST_LOGS))
      test(`when the database hangs and ${what}`, async () => {
        const server = await merchant.run(['sh', '-c', `exec ${command}`]);
        const lock = await lockBalances();
        const answers = EIGHT.map((body) => statusOf(server.url, body).catch(() => null));
        await until(async () => (await merchant.blocked()) === 8);
        merchant.postgres.freeze();
        await end(server);
        await Promise.all(answers);
        // It saves the last ones after their connections are closed.
        const saved = until(() => merchant.waiting('retry').length === 8);
        await Promise.race([saved, sleep(30_000, null, { ref: false })]);
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

    test('a connection that is kept brings no more bodies while the server stops', async () => {
      const server = await merchant.start();
      const text = rawRequest(server);
      const begun = await begin(server, text.slice(0, 20));
      assert.equal(await statusOf(server.url, DEPOSIT), 200); // it has read that
      server.signal('SIGTERM');
      await untilClosed(server);
      begun.write(text.slice(20));
      const [answer] = await once(begun, 'data');
      assert.match(`${answer}`, /^HTTP\/1\.1 200 .*^connection: close/ims);
      await stop(server);
      assert.deepEqual(await merchant.balances(), { ...DEPOSITED, ...WITHDRAWN });
    });

    test('half a request does not keep a stopped server running', async () => {
      const server = await merchant.start();
      const text = rawRequest(server);
      for (const part of ['', text.slice(0, 20), text.slice(0, -10)]) await begin(server, part);
      await stop(server);
    });

    test('a sender that gave up, a database that hangs, and several signals', async () => {
      const server = await merchant.start();
      const lock = await lockBalances();
      const sender = await begin(server, rawRequest(server));
      await until(merchant.blocked);
      merchant.postgres.freeze();
      sender.destroy();
      server.signal('SIGTERM');
      await untilClosed(server);
      for (const signal of /** @type {const} */ (['SIGINT', 'SIGHUP'])) server.signal(signal);
      await stop(server);
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
      await until(async () => (await merchant.blocked()) === 2);
      await lock.end();
      assert.deepEqual(await Promise.all(two), [200, 200]);
      lock = await lockBalances();
      const interrupted = statusOf(server.url, WITHDRAWAL);
      await until(merchant.blocked);
      await merchant.postgres.crash();
      assert.equal(await interrupted, 500);
      await lock.end().catch(() => {});
      assert.deepEqual(merchant.bodies('retry'), [WITHDRAWAL]);
      await merchant.postgres.start();
      await assertSettled({ ...DEPOSITED, ...WITHDRAWN });
      await stop(server);
    });

    test('a row that somebody has locked leaves no statements in the database', async () => {
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, WITHDRAWAL), 200);
      const lock = await merchant.hold('SELECT FROM balance FOR UPDATE');
      const others = EIGHT.slice(0, 3);
      const answers = others.map((other) => statusOf(server.url, other));
      await until(merchant.blocked);
      assert.deepEqual(await Promise.all(answers), [500, 500, 500]);
      // Rounds try them one at a time.
      await stop(server);
      assert.equal(await merchant.blocked(), 0);
      assert.deepEqual(merchant.bodies('retry').sort(), others.sort());
      await lock.end();
      await settleInNext({ 'customer-7 XRP': '-1922.92' });
    });
  });
});
