// Sends bodies through the pipeline while a random process of it is killed every second, checks that each
// event is settled exactly once, and writes pipeline/RESULTS.md: `npm run chaos`.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { withdrawalBroadcastBody } from 'payment-notifications/testing';
import { createRandom } from '../../test/fuzz/random.js';
import { check } from '../merchant/ledger.js';
import { inTurn, nothingSent, percentile, send } from '../pipeline/send.js';
import { startPipeline } from '../pipeline/start.js';
import { copiesOf, nextDeposit, nextRefused, shuffle } from './deposits.js';
import { writeResults } from './results.js';

/** @import { Query } from '../merchant/database.js' */
/** @import { Pipeline } from '../pipeline/start.js' */

const [DEPOSITS, COPIES, WITHDRAWALS, REFUSED] = [2_000, 5, 500, 100];
/** At least; while the machine is slow, there are more. */
const KILLS = 30;
const DATABASE_DOWN_MS = 10_000;
const RUNS = /** @type {const} */ ([
  ['in peace', false],
  ['a SIGKILL a second, PostgreSQL stopped for 10 s', true],
  ['the same again', true],
]);

const count = (/** @type {number} */ number) => Math.round(number).toLocaleString('en');
let natsVersion = '';
const HEAD =
  'run,events/s,deliveries/s,answer p50,answer p99,retries,kills,appended again,all settled after';
const rows = [HEAD.split(',')];
for (const [name, isDisturbed] of RUNS) {
  const pipeline = await startPipeline();
  natsVersion = pipeline.connection.info?.version ?? '';
  try {
    rows.push([name, ...(await run(pipeline, isDisturbed))]);
    console.log(rows.at(-1)?.join(' | '));
  } finally {
    await pipeline.stop();
  }
}
const about = `Three servers of NATS ${natsVersion}, PostgreSQL, two receivers and two settlers took ${count(DEPOSITS)} deposits in ${COPIES}
copies, ${WITHDRAWALS} withdrawals once and ${REFUSED} refused bodies, each repeated every 250 ms until it was answered as it should be.
Appended again: bodies of a receiver's journal that the ledger didn't have. In each run, all ${count(DEPOSITS + WITHDRAWALS)} events were
settled exactly once, all lines summed to zero, and all refused bodies were held.`;
writeResults('pipeline', 'chaos', about, rows);

/** The figures. @param {Pipeline} pipeline With an empty ledger. @param {boolean} isDisturbed */
async function run(pipeline, isDisturbed) {
  const events = eventsOf();
  const sent = nothingSent();
  const killer = killerOf(pipeline);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  // In parts, so that on a machine of any speed bodies come between the kills.
  for (let part = 0; part < KILLS; part += 1) {
    const parcels = events.parcels.filter((_, index) => index % KILLS === part);
    const sending = send(parcels.values(), inTurn(pipeline.urls), sent);
    const isOutage = isDisturbed && part === KILLS / 2;
    const work = Promise.all([sending, isOutage && stopDatabase(pipeline)]);
    if (isDisturbed) await killer.killDuring(work);
    await work;
  }
  const sentSeconds = seconds();
  await pipeline.settled(events.keys.length);
  const settledSeconds = seconds();
  await pipeline.confirmed();

  assert.equal(sent.answered, events.parcels.length);
  assert.equal(sent.retries > 0, isDisturbed, 'what is in the way of a kill is delivered again');
  await assertSettled(pipeline.database.query, events);
  return [
    count(events.keys.length / settledSeconds),
    count(sent.answered / sentSeconds),
    ...[0.5, 0.99].map((part) => `${count(percentile(sent.answerMs, part))} ms`),
    ...[sent.retries, killer.killed.length, countAppendedAgain(pipeline)].map(count),
    `${count(settledSeconds)} s`,
  ];
}

/** How often a receiver found that the ledger lacked a body. @param {Pipeline} pipeline */
function countAppendedAgain({ log }) {
  return ['receiver-1', 'receiver-2']
    .flatMap((name) => [...log(name).matchAll(/^Appended again: (\d+)/gm)])
    .reduce((sum, [, number]) => sum + Number(number), 0);
}

/** What is sent, and what must come of it. */
function eventsOf() {
  const random = createRandom(1);
  const deposits = Array.from({ length: DEPOSITS }, (_, index) => nextDeposit(index + 1, random));
  const withdrawals = Array.from({ length: WITHDRAWALS }, (_, index) =>
    withdrawalBroadcastBody({}, { seed: index + 1 }),
  );
  const keys = [
    ...deposits.map(({ key }) => key),
    ...withdrawals.map((body) => `withdrawal.broadcast:${JSON.parse(body).withdrawalId}:COMPLETED`),
  ];
  /** @type {Set<string>} */
  const refused = new Set();
  while (refused.size < REFUSED) refused.add(nextRefused(random).toString('base64'));
  const copies = deposits.flatMap((deposit) => copiesOf(deposit, COPIES, random));
  const parcels = [
    ...[...copies, ...withdrawals].map((body) => ({ body, status: 200 })),
    ...[...refused].map((base64) => ({ body: Buffer.from(base64, 'base64'), status: 400 })),
  ];
  return { keys, refused, parcels: shuffle(parcels, random) };
}

/** @param {Query} query @param {ReturnType<typeof eventsOf>} events */
async function assertSettled(query, { keys, refused }) {
  const events = await query('SELECT key FROM event');
  assert.deepEqual(events.map(({ key }) => key).sort(), keys.sort());
  const kept = await query(`SELECT encode(body, 'base64') AS body, key FROM held`);
  assert.deepEqual(kept.map(({ key }) => key).filter(Boolean), [], 'conflicts');
  assert.deepEqual(new Set(kept.map(({ body }) => `${body}`.replaceAll('\n', ''))), refused);
  const books = await check(query);
  assert(books.isBalanced, JSON.stringify(books));
}

/** @param {Pipeline} pipeline */
async function stopDatabase({ postgres }) {
  await postgres.stop('fast');
  await sleep(DATABASE_DOWN_MS);
  await postgres.start();
}

/** The first seven kills hit each process once, in a random order; the others hit any. @param {Pipeline} pipeline */
function killerOf({ names, kill }) {
  const random = createRandom(2);
  const first = shuffle(names(), random);
  /** @type {string[]} */
  const killed = [];
  return {
    killed,
    /** Kills one a second, until the work is done. @param {Promise<unknown>} work */
    async killDuring(work) {
      let isOver = false;
      work.finally(() => (isOver = true));
      while (!isOver) {
        const name = first.pop() ?? random.pick(names());
        while (!kill(name)) await sleep(20); // on its way up
        killed.push(name);
        await sleep(1_000);
      }
    },
  };
}
