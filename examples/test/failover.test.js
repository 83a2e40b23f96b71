// Copies of postgres.mjs on a primary with a synchronous standby, as on several machines: each has
// its own folder, any of them may be killed, and the standby takes over.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import {
  bodyVariants,
  deliver,
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { LIMIT, statusOf } from './bodies.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { startServer } from './server.js';

/** @import { DeliveryRequest } from 'payment-notifications/testing' */
/** @import { Postgres } from './postgres.js' */

const START = new URL('../start/', import.meta.url);
const [DEPOSITS, COPIES, WITHDRAWALS] = [200, 5, 100];
const [HANDLERS, AT_ONCE, KILLS] = [3, 32, 6];
/** Sooner than the service. */
const RETRY = { intervalMs: 250, durationMs: 600_000 };

describe('copies of the handler, on a primary and its standby', { skip: whyNoPostgres() }, () => {
  /** The same choices in each run. */
  const numbers = fc.sample(fc.nat(), { seed: 1, numRuns: 10_000, unbiased: true });
  let used = 0;
  const below = (/** @type {number} */ limit) => Number(numbers[used++ % numbers.length]) % limit;
  /** One of the items. @type {<T>(items: readonly T[]) => T} */
  const pick = (items) => /** @type {any} */ (items[below(items.length)]);
  const folder = fs.mkdtempSync(join(tmpdir(), 'failover-'));
  /** By which the handlers find the primary, as by a DNS name that moves. */
  const name = join(folder, 'primary');
  /** @type {Awaited<ReturnType<typeof startServer>>[]} */
  const handlers = [];
  /** @type {Postgres} */
  let primary;
  /** @type {Postgres} */
  let standby;

  /** @param {Postgres} server */
  function moveNameTo(server) {
    fs.symlinkSync(server.folder, `${name}.new`);
    fs.renameSync(`${name}.new`, name);
  }

  /** @param {number} index */
  const folderOf = (index) => join(folder, `machine-${index}`);

  /** @param {number} index */
  async function startHandler(index, url = primary.url(name)) {
    fs.mkdirSync(folderOf(index), { recursive: true });
    const command = ['node', fileURLToPath(new URL('postgres.mjs', START))];
    const cwd = pathToFileURL(`${folderOf(index)}/`);
    const handler = await startServer(command, { cwd, env: { DATABASE_URL: url } });
    handlers[index] = handler;
    return handler;
  }

  async function killOne() {
    const index = below(HANDLERS);
    await handlers[index]?.kill();
    await startHandler(index);
  }

  before(async () => {
    primary = await startPostgres({ settings: ['synchronous_standby_names=standby'] });
    standby = await startPostgres({ standbyOf: primary.folder });
    await primary.query(fs.readFileSync(new URL('schema.sql', START), 'utf8'));
    moveNameTo(primary);
    for (let index = 0; index < HANDLERS; index += 1) await startHandler(index);
  });
  after(async () => {
    for (const handler of handlers) await handler.kill();
    await primary.remove();
    await standby.remove();
    fs.rmSync(folder, { recursive: true });
  });

  /** A deposit to one of 40 accounts, and the event that it is. @param {number} seed */
  function depositOf(seed) {
    const account = `customer-${below(40)}`;
    const currency = pick(['BTC', 'ETH']);
    const amount = `${1 + below(1000)}.${below(1e9)}000000001`;
    const body = depositReceivedBody(
      { clientPaymentId: account, depositCurrency: currency, actualDepositAmount: amount },
      { seed },
    );
    const key = `deposit.received:${JSON.parse(body).depositId}`;
    return { body, event: { key, account, currency, amount } };
  }

  test('lose nothing and credit nothing twice, while they are killed and the standby takes over', async () => {
    const deposits = Array.from({ length: DEPOSITS }, (_, seed) => depositOf(seed));
    const withdrawals = Array.from({ length: WITHDRAWALS }, (_, seed) =>
      withdrawalBroadcastBody(
        { clientWithdrawalId: 'payout', actualWithdrawAmount: '1' },
        { seed },
      ),
    );
    const refused = faultyBodies().filter(({ body }) => body.length <= LIMIT);
    const duringOutage = withdrawals.splice(0, HANDLERS * 3);
    const parcels = [
      ...deposits.flatMap(({ body, event: { key } }) => {
        const variants = bodyVariants(body);
        return Array.from({ length: COPIES }, () => {
          return { body: pick(variants).body, key, status: 200, retry: RETRY };
        });
      }),
      // Nothing says that a withdrawal is sent again.
      ...withdrawals.map((body) => ({ body, key: null, status: 200, retry: null })),
      ...refused.map(({ body }) => ({ body, key: null, status: 400, retry: RETRY })),
    ]
      .map((parcel) => ({ parcel, at: below(2 ** 31) }))
      .sort((one, other) => one.at - other.at)
      .map(({ parcel }) => parcel);

    /** The keys of the deposits that were answered with 200. @type {Set<string>} */
    const answered = new Set();
    async function failOver() {
      await primary.kill();
      const before = [...answered];
      assert(before.length > 0);
      for (const [index, body] of duringOutage.entries())
        assert.equal(await statusOf(handlers[index % HANDLERS]?.url ?? '', body), 500);
      await killOne();
      await standby.promote();
      const keys = new Set((await standby.query('SELECT key FROM event')).map(({ key }) => key));
      const lost = before.filter((key) => !keys.has(key));
      assert.deepEqual(lost, [], 'answered, and not on the standby');
      moveNameTo(standby);
    }

    const half = Array(KILLS / 2).fill(killOne);
    const disturbances = [...half, failOver, ...half];
    const every = Math.floor(parcels.length / (disturbances.length + 1));
    let disturbing = Promise.resolve();
    function* disturbed() {
      for (const [index, parcel] of parcels.entries()) {
        if ((index + 1) % every === 0) disturbing = disturbing.then(disturbances.shift());
        yield parcel;
      }
    }
    /**
     * To any that runs, as a load balancer does.
     *
     * @param {string} _url
     * @param {DeliveryRequest} request
     */
    const toAny = async (_url, request) => {
      const { url } = pick(handlers.filter((handler) => handler.isRunning()));
      return fetch(url, /** @type {RequestInit} */ (request));
    };
    let unanswered = 0;
    const ahead = disturbed();
    async function send() {
      for (const { body, key, status, retry } of ahead) {
        const { delivered, attempts } = await deliver(body, {
          url: 'http://merchant/callbacks',
          fetch: toAny,
          isSuccess: (answer) => answer.status === status,
          retry,
        });
        assert(delivered || retry === null);
        if (key !== null) answered.add(key);
        if (attempts[0]?.answer === null && retry === null) unanswered += 1;
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    await disturbing;
    assert.deepEqual(disturbances, []);

    // What was saved while the database was down, they settle when they start.
    for (let index = 0; index < HANDLERS; index += 1) {
      await handlers[index]?.stop();
      await startHandler(index);
      const saved = () => fs.readdirSync(join(folderOf(index), 'unsettled'));
      while (saved().some((file) => !file.startsWith('.'))) await sleep(50);
    }
    const events = await standby.query('SELECT key, account, currency, amount FROM event');
    const payouts = events.filter(({ account }) => account === 'payout');
    // Whether one without an answer has arrived, nobody knows.
    const least = duringOutage.length + withdrawals.length - unanswered;
    assert(payouts.length >= least, `${payouts.length} of ${least}`);
    const byKey = (/** @type {{ key: string }} */ one, /** @type {{ key: string }} */ other) =>
      one.key < other.key ? -1 : 1;
    assert.deepEqual(
      events.filter((event) => !payouts.includes(event)).sort(byKey),
      deposits.map(({ event }) => event).sort(byKey),
    );
    const wrong =
      await standby.query(`SELECT account, currency, sum(amount) FROM event GROUP BY 1, 2
      EXCEPT SELECT account, currency, amount FROM balance`);
    assert.deepEqual(wrong, []);
    const held = await standby.query("SELECT encode(body, 'hex') AS hex FROM held");
    assert.deepEqual(
      held.map(({ hex }) => hex).sort(),
      refused.map(({ body }) => Buffer.from(body).toString('hex')).sort(),
    );
  });

  test('a primary without its standby acknowledges nothing, not even what it has after a crash', async () => {
    await primary.start(); // the old one, which nobody has fenced off
    const bodies = [
      depositReceivedBody({ clientPaymentId: 'late' }, { seed: DEPOSITS }),
      withdrawalBroadcastBody({ status: 'FAILED' }), // to be held
    ];
    /** @param {string} url */
    async function assertFailed(url) {
      const handler = await startHandler(HANDLERS, url);
      const statuses = await Promise.all(bodies.map((body) => statusOf(handler.url, body)));
      assert.deepEqual(statuses, [500, 500]);
      await handler.kill();
    }
    await assertFailed(primary.url());
    await primary.crash();
    await primary.start();
    const late = await primary.query("SELECT FROM event WHERE account = 'late'");
    assert.equal(late.length, 1, 'it is there, and on no standby');
    await assertFailed(`${primary.url()}&query_timeout=1000`); // sooner
  });
});
