import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { withdrawalBroadcastBody } from 'payment-notifications/testing';
import { createRandom } from '../../test/fuzz/random.js';
import { check } from '../merchant/ledger.js';
import { createSender } from '../pipeline/send.js';
import { printTable } from '../pipeline/table.js';
import { copiesOf, nextDeposit, nextRefused, shuffle, unitsOf } from './deposits.js';

/** @import { Query } from '../merchant/database.js' */
/** @import { Pipeline } from '../pipeline/start.js' */
/** @import { Parcel } from '../pipeline/send.js' */
/** @import { Random } from '../../test/fuzz/random.js' */

/**
 * @typedef {object} Plan
 * @property {number} deposits Each is delivered so many times:
 * @property {number} copies
 * @property {number} withdrawals Each is delivered once, until it is answered.
 * @property {number} refused
 * @property {{ min: number, max: number }} kills While bodies are sent.
 * @property {number} databaseDownMs
 */

export const AT_ONCE = 32;

/**
 * Sends bodies through a pipeline while a random process of it is killed every second, and checks that
 * each event is settled exactly once; the figures.
 *
 * @param {Pipeline} pipeline With an empty ledger.
 * @param {Plan} plan
 */
export async function runChaos(pipeline, plan) {
  const { kills, databaseDownMs } = plan;
  const events = eventsOf(plan, createRandom(1));
  const sender = createSender();
  const table = printTable(pipeline, sender);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const killer = killEverySecond(pipeline, kills.max, createRandom(2));
  try {
    // In parts, so that on a machine of any speed bodies come between the kills.
    const parts = inParts(events.parcels, Math.max(kills.min, 2));
    for (const [number, part] of parts.entries()) {
      await killer.reached(Math.min(number, kills.min));
      const sending = sender.send(part, pipeline.urls, AT_ONCE);
      if (databaseDownMs > 0 && number === Math.floor(parts.length / 2)) {
        await pipeline.postgres.stop('fast');
        await Promise.all([sending, sleep(databaseDownMs)]);
        await pipeline.postgres.start();
      }
      await sending;
    }
    const sentSeconds = seconds();
    await killer.stop();
    await pipeline.settled(events.keys.length);
    const settledSeconds = seconds();
    await pipeline.confirmed();

    assert.equal(sender.sent.answered, events.parcels.length);
    await assertSettled(pipeline.database.query, events);
    return {
      sent: sender.sent,
      events: events.keys.length,
      killed: killer.killed,
      appendedAgain: countAppendedAgain(pipeline),
      sentSeconds,
      settledSeconds,
    };
  } finally {
    await killer.stop();
    await table.stop();
  }
}

/** How often a receiver found that the ledger lacked a body. @param {Pipeline} pipeline */
function countAppendedAgain({ names, log }) {
  const logs = names()
    .filter((name) => name.startsWith('receiver'))
    .map(log);
  const counts = logs.flatMap((text) => [...text.matchAll(/^Appended again: (\d+)/gm)]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What is sent, and what must come of it. @param {Plan} plan @param {Random} random */
function eventsOf({ deposits, copies, withdrawals, refused }, random) {
  /** @type {string[]} */
  const keys = [];
  /** By account and currency, in units of 10^-18. @type {Map<string, bigint>} */
  const balances = new Map();
  /** @type {Parcel[]} */
  const parcels = [];
  const add = (/** @type {string} */ name, /** @type {bigint} */ units) =>
    balances.set(name, (balances.get(name) ?? 0n) + units);
  for (let seed = 1; seed <= deposits; seed += 1) {
    const deposit = nextDeposit(seed, random);
    keys.push(deposit.key);
    add(`customer:${deposit.account} ${deposit.currency}`, deposit.units);
    for (const body of copiesOf(deposit, copies, random)) parcels.push({ body, status: 200 });
  }
  for (let seed = 1; seed <= withdrawals; seed += 1) {
    const amount = `${random.below(1000)}.${1 + random.below(10 ** 8)}`;
    const account = `customer-${1 + random.below(40)}`;
    const fields = {
      clientWithdrawalId: account,
      withdrawCurrency: 'BTC',
      actualWithdrawAmount: amount,
    };
    const body = withdrawalBroadcastBody(fields, { seed });
    keys.push(`withdrawal.broadcast:${JSON.parse(body).withdrawalId}:COMPLETED`);
    add(`customer:${account} BTC`, -unitsOf(amount));
    parcels.push({ body, status: 200 });
  }
  /** @type {Set<string>} */
  const held = new Set();
  while (held.size < refused) {
    const bytes = nextRefused(random);
    if (held.has(bytes.toString('base64'))) continue;
    held.add(bytes.toString('base64'));
    parcels.push({ body: bytes, status: 400 });
  }
  return { keys, balances, held, parcels: shuffle(parcels, random) };
}

/** @param {Query} query @param {ReturnType<typeof eventsOf>} events */
async function assertSettled(query, { keys, balances, held }) {
  const events = await query('SELECT key FROM event');
  assert.deepEqual(events.map(({ key }) => key).sort(), keys.sort());
  const sums = await query(
    `SELECT account || ' ' || currency AS name, sum(amount)::text AS amount FROM line
     WHERE account <> 'service' GROUP BY account, currency`,
  );
  assert.deepEqual(new Map(sums.map(({ name, amount }) => [name, unitsOf(`${amount}`)])), balances);
  const rows = await query('SELECT body, key FROM held');
  assert.deepEqual(rows.map(({ key }) => key).filter(Boolean), [], 'conflicts');
  const bodies = rows.map(({ body }) => Buffer.from(/** @type {Uint8Array} */ (body)));
  assert.deepEqual(new Set(bodies.map((body) => body.toString('base64'))), held);
  const books = await check(query);
  assert(books.isBalanced, JSON.stringify(books));
}

/**
 * The first seven kills hit each process once, in a random order; the others hit any.
 *
 * @param {Pipeline} pipeline
 * @param {number} max
 * @param {Random} random
 */
function killEverySecond(pipeline, max, random) {
  const end = new AbortController();
  const pause = (/** @type {number} */ ms) => sleep(ms, null, end).catch(() => {});
  const names = pipeline.names();
  const first = shuffle([...names], random);
  /** @type {string[]} */
  const killed = [];
  async function run() {
    while (killed.length < max) {
      await pause(1_000);
      const name = first.pop() ?? random.pick(names);
      while (!end.signal.aborted && !pipeline.kill(name)) await pause(20); // on its way up
      if (end.signal.aborted) return;
      killed.push(name);
    }
  }
  const done = run();
  return {
    killed,
    /** Waits for this many kills. @param {number} count */
    async reached(count) {
      while (killed.length < count) await sleep(20);
    },
    async stop() {
      end.abort();
      await done;
    },
  };
}

/** @template T @param {T[]} items @param {number} count @returns {T[][]} */
function inParts(items, count) {
  const size = Math.ceil(items.length / count);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
