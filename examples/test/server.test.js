// server.mjs on a PostgreSQL server: when it starts, what it saves, and what stops it. What every
// handler must do is shown by the tests of the page Testing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { openMerchant } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { begin, head, SECRET, statusOf, until } from './server.js';

/** @import { Socket } from 'node:net' */
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

const DATABASE = 'postgres://merchant:a-password@127.0.0.1:1/merchant';
const NO_DATABASE = /DATABASE_URL: expected postgres:/;
/** @type {[what: string, env: Record<string, string | undefined>, said: RegExp][]} */
const WRONG = [
  ['no secret', { CALLBACK_SECRET: undefined }, /secret: expected at least 16 .* Make one with/],
  ['no database', { DATABASE_URL: '' }, NO_DATABASE],
  ['another database', { DATABASE_URL: DATABASE.replace('postgres', 'mysql') }, NO_DATABASE],
  ['an unencoded password', { DATABASE_URL: DATABASE.replace('@', '/#@') }, NO_DATABASE],
  ['a port of spaces', { PORT: ' ' }, /PORT: expected a number, received " "/],
];

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

  /** Until everything that waits is settled. @param {Record<string, string>} balances */
  async function assertSettled(balances) {
    await merchant.untilSettled();
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
      assert.equal(merchant.reason('review', body), `${reason}\n`);
    }
    // The same currency in another spelling is the same balance.
    for (const [seed, depositCurrency] of ['usdt', 'UsdT'].entries())
      assert.equal(await statusOf(server.url, deposit({ depositCurrency }, 4 + seed)), 200);
    await merchant.order(later);
    merchant.retry(later);
    await assertSettled({ ...DEPOSITED, 'customer-7 USDT': '0.03046' });
    assert.equal(merchant.waiting('review').length, Object.keys(reviewed).length - 1);
    await server.stop();
    assert.doesNotMatch(server.printed.join('\n'), new RegExp(SECRET));
  });

  for (const [what, trouble, end, reason] of /** @type {const} */ ([
    ['is down', 'crash', 'start', /ENOENT|ECONNREFUSED/],
    ['hangs', 'freeze', 'thaw', /timeout/],
  ]))
    test(`starts, saves what comes, and settles it later, with a database that ${what}`, async () => {
      await merchant.postgres[trouble]();
      const server = await merchant.start();
      assert.equal(await statusOf(server.url, DEPOSIT), 500);
      assert.deepEqual(merchant.bodies('retry'), [DEPOSIT]);
      assert.match(merchant.reason('retry', DEPOSIT) ?? '', reason);
      await merchant.postgres[end]();
      await assertSettled(DEPOSITED);
      assert.equal(await server.stop(), 0);
    });

  describe('loses nothing', () => {
    const lockBalances = () => merchant.hold('LOCK TABLE balance');
    /** Until so many statements wait for a lock. */
    const untilBlocked = (count = 1) => until(async () => (await merchant.blocked()) >= count);
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
        const kept = await begin(server, head(0, { method: 'GET' }));
        const [visited] = await once(kept, 'data');
        assert.match(`${visited}`, /timeout=75/); // longer than a load balancer keeps it
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

    /** @typedef {(server: Server, senders: Socket[]) => unknown} End */
    /** @type {[what: string, command: string, end: End][]} */
    const ENDS = [
      [
        'senders give up, and several signals come',
        'node server.mjs',
        async (server, senders) => {
          for (const sender of senders) sender.destroy();
          server.signal('SIGHUP');
          await untilClosed(server);
          server.signal('SIGINT');
          assert.equal(await server.stop(), 0);
        },
      ],
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
    for (const [what, command, end] of ENDS)
      test(`when the database hangs and ${what}`, async () => {
        const server = await merchant.run(['sh', '-c', `exec ${command}`]);
        const lock = await lockBalances();
        const senders = await Promise.all(
          EIGHT.map((body) => begin(server, head(body.length) + body)),
        );
        await untilBlocked(8);
        merchant.postgres.freeze();
        await end(server, senders);
        await until(() => merchant.waiting('retry').length === 8).finally(async () => {
          merchant.postgres.thaw();
          await lock.end();
        });
        assert.deepEqual(merchant.bodies('retry').sort(), EIGHT.toSorted());
        await settleInNext({ 'customer-7 XRP': '-3845.84' });
      });

    test('while the server stops: no more bodies on a connection, and no half ones', async () => {
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

    for (const [what, isAnotherRunning] of /** @type {const} */ ([
      ['another process takes it over', true],
      ['it starts again', false],
    ]))
      test(`when it is killed while its function runs, and ${what}`, async () => {
        const server = await merchant.start();
        const another = isAnotherRunning ? await merchant.start() : null;
        const lock = await merchant.hold('LOCK TABLE orders'); // so that the event isn't settled
        const answer = statusOf(server.url, WITHDRAWAL).catch(() => null);
        await untilBlocked();
        await server.kill();
        assert.equal(await answer, null);
        await lock.end();
        assert.deepEqual(merchant.bodies('progress'), [WITHDRAWAL]);
        const next = another ?? (await merchant.start());
        await sleep(500); // several rounds, which leave the claim alone
        assert.deepEqual(merchant.bodies('progress'), [WITHDRAWAL]);
        merchant.endClaims();
        await assertSettled(WITHDRAWN);
        assert.equal(await next.stop(), 0);
        assert.match(
          next.printed.join('\n'),
          /was left in progress, because its process ended or the store failed$/m,
        );
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
      // The body is in `retry`, or a round has just taken it to `progress`.
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
