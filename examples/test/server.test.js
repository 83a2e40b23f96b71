// server.mjs in two processes, which share a folder and a PostgreSQL server: what it settles, and
// what stops it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { answersOf, GZIPPED, statusOf } from './bodies.js';
import { openMerchant, SCHEMA, until } from './merchant.js';
import { whyNoPostgres } from './programs.js';

/** @import { Merchant, Server } from './merchant.js' */

describe('server.mjs', { skip: whyNoPostgres() }, () => {
  /** @type {Merchant} */
  let merchant;
  before(async () => {
    merchant = await openMerchant();
  });
  after(() => merchant.close());

  /** @param {string} role */
  const urlAs = (role) => merchant.postgres.url.replace('merchant@', `${role}@`);

  /** Sends half a request. @param {Server} server @param {string} text */
  async function begin(server, text) {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => socket.write(text, resolve));
    return socket;
  }
  /** A request with a body, as it is on the wire. @param {Server} server @param {string} body */
  const rawRequest = ({ url }, body) =>
    `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: merchant\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  describe('settles', () => {
    /** @type {Server[]} */
    let servers;
    before(async () => {
      servers = await Promise.all([merchant.start(), merchant.start()]);
      await merchant.order(depositReceivedBody(), withdrawalBroadcastBody());
    });
    after(async () => {
      for (const server of servers) await server.stop();
    });
    beforeEach(() => merchant.postgres.query('TRUNCATE balance'));
    const answers = (/** @type {string} */ body, copies = 1) => answersOf(servers, body, copies);
    const ok = ['200 ok', '200 ok'];
    // Of the orders that are known.
    const deposit = (fields = {}, seed = 0) =>
      depositReceivedBody({ clientPaymentId: 'order-10042', ...fields }, { seed });
    const withdrawal = (fields = {}, seed = 0) =>
      withdrawalBroadcastBody({ clientWithdrawalId: 'payout-7731', ...fields }, { seed });
    const printed = () => servers.flatMap((server) => server.printed).join('\n');

    test('each event once, however many copies two servers get, and prints it', async () => {
      for (const body of [depositReceivedBody(), withdrawalBroadcastBody()])
        assert.deepEqual(await answers(body, 5), Array(10).fill('200 ok'));
      assert.deepEqual(await merchant.balances(), {
        'customer-7 BTC': '0.01523',
        'customer-7 XRP': '-480.73',
      });
      const key = `deposit.received:${JSON.parse(depositReceivedBody()).depositId}`;
      const count = (text = '') => printed().split(`${key}: ${text}`).length - 1;
      await until(() => count() === 10);
      assert.deepEqual([count('settled, 0.01523 BTC'), count('repeated, 0.01523 BTC')], [1, 9]);
    });

    test('nothing of an unknown order, until its file is moved', async () => {
      const id = { clientPaymentId: 'order-of-later', depositCurrency: 'LTC' };
      const body = depositReceivedBody(id, { seed: 1 });
      assert.deepEqual(await answers(body), ok);
      assert.deepEqual(merchant.bodies('review'), [body]);
      assert.equal(merchant.reason('review', body), 'the order is unknown\n');
      await until(() => /^review: deposit\.received:.*: the order is unknown$/m.test(printed()));
      await merchant.order(body);
      merchant.retry(body);
      await until(() => merchant.waiting('retry').length === 0);
      assert.deepEqual(await merchant.balances(), { 'customer-7 LTC': '0.01523' });
      assert.deepEqual(merchant.bodies('review'), []);
    });

    test('no withdrawal without its amount, and none that failed; the amount may come later', async () => {
      for (const fields of [
        { status: 'FAILED' },
        { status: 'BLOCKED' },
        { actualWithdrawAmount: null },
      ]) {
        const body = withdrawal(fields, 2);
        assert.deepEqual(await answers(body), ok);
        assert(merchant.bodies('review').includes(body));
      }
      await until(() => /: the withdrawal is FAILED$/m.test(printed()));
      await until(() => /:COMPLETED: the amount is missing$/m.test(printed()));
      assert.deepEqual(await merchant.balances(), {});
      assert.deepEqual(await answers(withdrawal({}, 2)), ok);
      assert.deepEqual(await merchant.balances(), { 'customer-7 XRP': '-480.73' });
    });

    test('one currency as one balance, and none that is no plain code', async () => {
      for (const depositCurrency of ['uſdt', ' USDT', 'USDT\t', 'USDT\u00a0']) {
        const body = deposit({ depositCurrency }, 3);
        assert.deepEqual(await answers(body), ok);
        assert(merchant.bodies('review').includes(body));
      }
      assert.deepEqual(await merchant.balances(), {});
      await answers(deposit({ depositCurrency: 'usdt' }, 4));
      await answers(deposit({ depositCurrency: 'UsdT' }, 5));
      assert.deepEqual(await merchant.balances(), { 'customer-7 USDT': '0.03046' });
    });

    test('a known key with other values not at all, but the same values in another spelling', async () => {
      const eth = { depositCurrency: 'ETH' };
      await answers(deposit(eth, 6));
      await merchant.postgres.query(
        "INSERT INTO orders VALUES ('deposit.received', 'order-of-another', 'customer-8')",
      );
      for (const fields of [
        { ...eth, actualDepositAmount: '7' },
        { depositCurrency: 'BTC' },
        { ...eth, clientPaymentId: 'order-of-another' },
      ]) {
        const body = deposit(fields, 6);
        assert.deepEqual(await answers(body), ok);
        assert(merchant.bodies('review').includes(body));
      }
      const count = merchant.waiting('review').length;
      for (const { body } of bodyVariants(deposit({ depositCurrency: 'eth' }, 6)))
        assert.deepEqual(await answers(body), ok);
      assert.equal(merchant.waiting('review').length, count);
      assert.deepEqual(await merchant.balances(), { 'customer-7 ETH': '0.01523' });
    });

    test('no body that is refused, which it keeps to the byte', async () => {
      const body = depositReceivedBody({}, { seed: 7 }).replace('CONFIRMED', 'PENDING');
      assert.deepEqual(await answers(body, 2), Array(4).fill('400 unknown_value'));
      for (const { url } of servers) assert.equal(await statusOf(url, GZIPPED), 400);
      assert(merchant.bodies('review').includes(body));
      assert(merchant.bodies('review').includes(`${GZIPPED}`));
    });
  });

  describe('starts, saves what comes, and settles it later', () => {
    const body = depositReceivedBody();
    beforeEach(() => merchant.reset());

    beforeEach(() => merchant.order(body));
    /** Whether the body is settled. @param {Server} server */
    async function assertSettledLater(server) {
      await until(() => merchant.waiting('retry').length === 0);
      assert.deepEqual(await merchant.balances(), { 'customer-7 BTC': '0.01523' });
      assert.equal(await server.stop(), 0);
    }

    test('with a database that is down', async () => {
      await merchant.postgres.crash();
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, body), 500);
      assert.deepEqual(merchant.bodies('retry'), [body]);
      await until(() => server.printed.some((line) => line.startsWith('retry: deposit.received:')));
      const about = server.printed.filter((line) => !line.startsWith('listening'));
      assert(
        about.every((line) => /^retry: deposit\.received:.* (ENOENT|ECONNREFUSED)/.test(line)),
        about.join('\n'),
      );
      await merchant.postgres.start();
      await assertSettledLater(server);
    });

    test('with a database that is frozen', async () => {
      merchant.postgres.freeze();
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, body), 500);
      assert.deepEqual(merchant.bodies('retry'), [body]);
      merchant.postgres.thaw();
      await assertSettledLater(server);
    });

    test('with a database that is read-only', async () => {
      await merchant.postgres.query(`CREATE ROLE app LOGIN SUPERUSER;
        ALTER ROLE app SET default_transaction_read_only = on`);
      const server = await merchant.start({ DATABASE_URL: urlAs('app') });
      assert.equal(await statusOf(server.url, body), 500);
      assert.deepEqual(merchant.bodies('retry'), [body]);
      await merchant.postgres.query(`ALTER ROLE app SET default_transaction_read_only = off;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`);
      await assertSettledLater(server);
    });
  });

  test('needs a role that reads and writes three tables', async () => {
    await merchant.reset();
    await merchant.order(depositReceivedBody());
    await merchant.postgres.query(`CREATE ROLE clerk LOGIN;
      GRANT USAGE ON SCHEMA public TO clerk; GRANT SELECT, INSERT, UPDATE ON orders, event, balance TO clerk`);
    const server = await merchant.start({ DATABASE_URL: urlAs('clerk') });
    assert.equal(await statusOf(server.url, depositReceivedBody()), 200);
    assert.deepEqual(await merchant.balances(), { 'customer-7 BTC': '0.01523' });
    await server.stop();
    await merchant.postgres.query('DROP OWNED BY clerk; DROP ROLE clerk');
  });

  test('without its tables, keeps what comes until they are there', async () => {
    await merchant.reset();
    await merchant.postgres.query('DROP TABLE orders, event, balance');
    const server = await merchant.start();
    assert.equal(await statusOf(server.url, depositReceivedBody()), 500);
    assert.match(merchant.reason('retry', depositReceivedBody()), /"orders" does not exist/);
    // At once, so that no round finds the tables without the order.
    await merchant.postgres.query(`${SCHEMA}
      INSERT INTO orders VALUES ('deposit.received', 'order-10042', 'customer-7')`);
    await until(() => merchant.waiting('retry').length === 0);
    assert.deepEqual(await merchant.balances(), { 'customer-7 BTC': '0.01523' });
    await server.stop();
  });

  describe('loses nothing', () => {
    before(async () => {
      await merchant.reset();
      await merchant.order(depositReceivedBody(), withdrawalBroadcastBody());
    });
    beforeEach(() => merchant.postgres.query('TRUNCATE balance, event'));
    const body = withdrawalBroadcastBody();
    const settled = { 'customer-7 XRP': '-480.73' };
    const lockBalances = () => merchant.hold('LOCK TABLE balance');

    /** Stops a server within 30 seconds. @param {Server} server */
    async function stop(server) {
      const start = performance.now();
      assert.equal(await server.stop(), 0);
      assert(performance.now() - start < 30_000);
    }

    /** Until it takes no more connections. @param {Server} server */
    async function beginStop(server) {
      server.signal('SIGTERM');
      await until(async () => (await statusOf(server.url, '').catch(() => null)) === null);
    }

    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
      test(`${signal} waits for an answer in flight, though connections are kept`, async () => {
        const server = await merchant.start();
        const kept = await begin(server, 'GET / HTTP/1.1\r\nhost: merchant\r\n\r\n');
        await once(kept, 'data');
        const lock = await lockBalances();
        const answer = statusOf(server.url, body);
        await until(merchant.blocked);
        server.signal(signal);
        await once(kept, 'close');
        assert(server.isRunning());
        await lock.end();
        assert.equal(await answer, 200);
        await stop(server);
        assert.deepEqual(await merchant.balances(), settled);
      });

    test('a connection that is kept brings no more bodies while the server stops', async () => {
      const server = await merchant.start();
      const text = rawRequest(server, body);
      const begun = await begin(server, text.slice(0, 20));
      assert.equal(await statusOf(server.url, depositReceivedBody()), 200); // it has read that
      await beginStop(server);
      begun.write(text.slice(20));
      const [answer] = await once(begun, 'data');
      assert.match(`${answer}`, /^HTTP\/1\.1 200 .*^connection: close/ims);
      await stop(server);
      assert.deepEqual(await merchant.balances(), { 'customer-7 BTC': '0.01523', ...settled });
    });

    test('half a request does not keep a stopped server running', async () => {
      const server = await merchant.start();
      const text = rawRequest(server, body);
      for (const part of ['', text.slice(0, 20), text.slice(0, -10)]) await begin(server, part);
      await stop(server);
    });

    test('a sender that gave up, a frozen database and several signals leave the body in `retry`', async () => {
      const server = await merchant.start();
      const lock = await lockBalances();
      const sender = await begin(server, rawRequest(server, body));
      await until(merchant.blocked);
      merchant.postgres.freeze();
      sender.destroy();
      await beginStop(server);
      for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
        server.signal(signal);
      await stop(server);
      assert.deepEqual(merchant.bodies('retry'), [body]);
      merchant.postgres.thaw();
      await lock.end();
      const next = await merchant.start();
      await until(() => merchant.waiting('retry').length === 0);
      await stop(next);
      assert.deepEqual(await merchant.balances(), settled);
    });

    test('a crash of the database does not end the server, and bodies of that time are settled', async () => {
      const server = await merchant.start();
      // Two at the same time leave two connections, of which one will be idle.
      let lock = await lockBalances();
      const two = [1, 2].map(() => statusOf(server.url, depositReceivedBody()));
      await until(async () => (await merchant.blocked()) === 2);
      await lock.end();
      assert.deepEqual(await Promise.all(two), [200, 200]);
      lock = await lockBalances();
      const interrupted = statusOf(server.url, body);
      await until(merchant.blocked);
      await merchant.postgres.crash();
      assert.equal(await interrupted, 500);
      await lock.end().catch(() => {});
      assert.deepEqual(merchant.bodies('retry'), [body]);
      await merchant.postgres.start();
      await until(() => merchant.waiting('retry').length === 0);
      assert.deepEqual(await merchant.balances(), { 'customer-7 BTC': '0.01523', ...settled });
      await stop(server);
    });

    test('a row that somebody has locked leaves no statements in the database', async () => {
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, body), 200);
      const lock = await merchant.hold('SELECT FROM balance FOR UPDATE');
      const others = [1, 2, 3].map((seed) =>
        withdrawalBroadcastBody({ clientWithdrawalId: 'payout-7731' }, { seed }),
      );
      const answers = others.map((other) => statusOf(server.url, other));
      await until(merchant.blocked);
      assert.deepEqual(await Promise.all(answers), [500, 500, 500]);
      // The spool tries them again, so that one waits at a time.
      await stop(server);
      assert.equal(await merchant.blocked(), 0);
      assert.deepEqual(merchant.bodies('retry').sort(), others.sort());
      await lock.end();
      const next = await merchant.start();
      await until(() => merchant.waiting('retry').length === 0);
      await stop(next);
      assert.deepEqual(await merchant.balances(), { 'customer-7 XRP': '-1922.92' });
    });
  });
});
