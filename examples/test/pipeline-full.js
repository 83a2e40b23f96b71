// Measures the pipeline, and proves in full what pipeline.test.js proves in part; writes
// pipeline/RESULTS.md. It takes half an hour: `npm run chaos` in the folder above.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os';
import { jetstreamManager } from '@nats-io/jetstream';
import { depositReceivedBody } from 'payment-notifications/testing';
import { createSender, percentile } from '../pipeline/send.js';
import { startPipeline } from '../pipeline/start.js';
import { STREAM } from '../pipeline/stream.js';
import { AT_ONCE, runChaos } from './pipeline-chaos.js';

/** @import { Pipeline } from '../pipeline/start.js' */

const FILE = new URL('../pipeline/RESULTS.md', import.meta.url);
const EVENTS = 10_000;
const APPENDS_AT_ONCE = 256;
const RUNS = 3;
const PLAN = { deposits: 10_000, copies: 5, withdrawals: 1_000, refused: 100 };
/** Of the kernel's clock, in which it counts the CPU time of processes. */
const MS_PER_TICK = 10;

const loadBefore = loadavg()[0] ?? 0;
const parts = await measureParts();
const peace = await run({ kills: { min: 0, max: 0 }, databaseDownMs: 0 });
/** @type {(typeof peace)[]} */
const runs = [];
for (let number = 1; number <= RUNS; number += 1) {
  const kills = { min: 30, max: Number.POSITIVE_INFINITY };
  runs.push(await run({ kills, databaseDownMs: 10_000 }));
  write(); // after each, so that a failure of the next leaves the figures of this one
}

/** @param {{ kills: { min: number, max: number }, databaseDownMs: number }} disturbance */
async function run(disturbance) {
  const pipeline = await startPipeline({ receivers: 2, settlers: 2 });
  try {
    return await runChaos(pipeline, { ...PLAN, ...disturbance });
  } finally {
    await pipeline.stop();
  }
}

/** What each part costs and how fast it is, while the others wait. */
async function measureParts() {
  const pipeline = await startPipeline({ receivers: 2, settlers: 0 });
  let sent = 0;
  async function receive() {
    const parcels = Array.from({ length: EVENTS }, (_, index) => ({
      body: depositReceivedBody({}, { seed: sent + index }),
      status: 200,
    }));
    sent += EVENTS;
    await createSender().send(parcels, pipeline.urls, AT_ONCE);
  }
  const manager = await jetstreamManager(pipeline.connection);
  async function append() {
    const body = depositReceivedBody();
    let next = 0;
    async function work() {
      for (let id = next++; id < EVENTS; id = next++) {
        await manager.jetstream().publish('measured', body, { msgID: `${id}`, timeout: 30_000 });
      }
    }
    await Promise.all(Array.from({ length: APPENDS_AT_ONCE }, work));
  }
  try {
    await manager.streams.add({ name: 'measured', subjects: ['measured'], num_replicas: 3 });
    const appending = await measure(pipeline, append);
    await manager.streams.delete('measured');
    const receiving = await measure(pipeline, receive);
    const settling = await measure(pipeline, async () => {
      pipeline.startSettler(1);
      await pipeline.settled(sent);
    });
    // The last look of the receivers at the ledger is a part of what an event costs.
    const confirming = await measure(pipeline, pipeline.confirmed);
    pipeline.kill('settler-1', 'SIGSTOP');
    await receive();
    const settlingByTwo = await measure(pipeline, async () => {
      pipeline.kill('settler-1', 'SIGCONT');
      pipeline.startSettler(2);
      await pipeline.settled(sent);
    });
    const { state } = await manager.streams.info(STREAM);
    const [size] = await pipeline.database.query(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    const streamBytes = state.bytes / state.messages;
    return {
      natsVersion: pipeline.connection.info?.version,
      appending,
      receiving,
      settling,
      confirming,
      settlingByTwo,
      streamBytes,
      ledgerBytes: Number(size?.bytes) / sent,
    };
  } finally {
    await pipeline.stop();
  }
}

/** Events a second, and milliseconds of CPU an event. @param {Pipeline} pipeline @param {() => Promise<void>} work */
async function measure(pipeline, work) {
  const before = await cpuTimes(pipeline);
  const start = performance.now();
  await work();
  const rate = (EVENTS / (performance.now() - start)) * 1000;
  const after = await cpuTimes(pipeline);
  const cost = (/** @type {string} */ kind) => ((after[kind] ?? 0) - (before[kind] ?? 0)) / EVENTS;
  return { rate, cost };
}

/** Of all processes of a kind together, in milliseconds. @param {Pipeline} pipeline */
async function cpuTimes(pipeline) {
  /** @type {Record<string, number>} */
  const times = {};
  for (const name of pipeline.names()) {
    const kind = name.replace(/-\d$/, '');
    times[kind] = (times[kind] ?? 0) + (statOf(pipeline.pid(name) ?? 0)?.own ?? 0);
  }
  const [row] = await pipeline.database.query('SELECT pg_backend_pid() AS pid');
  const postmaster = statOf(Number(row?.pid))?.parent;
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)));
  const children = all.filter((stat) => stat?.parent === postmaster);
  // Of backends that ended, the postmaster has the time.
  times.postgres = children.reduce(
    (sum, stat) => sum + (stat?.own ?? 0),
    statOf(postmaster ?? 0)?.withChildren ?? 0,
  );
  return times;
}

/** @param {number} pid */
function statOf(pid) {
  try {
    const [, text = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = text.split(' ').map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    const own = (user + system) * MS_PER_TICK;
    return { parent: fields[1], own, withChildren: own + (childUser + childSystem) * MS_PER_TICK };
  } catch {
    return null; // it has ended
  }
}

function write() {
  const count = (/** @type {number} */ number) => Math.round(number).toLocaleString('en');
  const ms = (/** @type {number} */ time) => `${count(time)} ms`;
  const { appending, receiving, settling, confirming, settlingByTwo, streamBytes, ledgerBytes } =
    parts;

  /** @param {string} name @param {Awaited<ReturnType<typeof runChaos>>} result */
  const runRow = (name, { sent, events, killed, appendedAgain, sentSeconds, settledSeconds }) =>
    [
      name,
      count(events / settledSeconds),
      count(sent.answered / sentSeconds),
      ms(percentile(sent.answerMs, 0.5)),
      ms(percentile(sent.answerMs, 0.99)),
      ms(percentile(sent.deliveryMs, 0.99)),
      count(sent.retries),
      count(killed.length),
      count(appendedAgain),
      `${count(settledSeconds)} s`,
    ].join(' | ');
  /** @type {Map<string, number>} */
  const kills = new Map();
  for (const name of runs.flatMap(({ killed }) => killed))
    kills.set(name, (kills.get(name) ?? 0) + 1);
  const killed = [...kills]
    .sort()
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
  const costRow = (/** @type {string} */ name, /** @type {string} */ kind) =>
    [name, ...[appending, receiving, settling, confirming].map(({ cost }) => cost(kind))]
      .map((cell) => (typeof cell === 'string' ? cell : cell.toFixed(2)))
      .join(' | ');

  writeFileSync(
    FILE,
    `# Results

Written by \`npm run chaos\` on ${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${availableParallelism()} cores of ${cpus()[0]?.model},
${platform()} ${arch()}, nats-server ${parts.natsVersion}. Three NATS servers, PostgreSQL, two receivers, two settlers and the sender share these cores
and one disk; the machine had other work, too (load ${loadBefore.toFixed(1)} before the runs began), so read the rates as
what this machine did, not as what the parts can do. CPU times are of the processes alone.

## ${count(PLAN.deposits)} deposits in ${PLAN.copies} copies, ${count(PLAN.withdrawals)} withdrawals once, ${PLAN.refused} refused bodies

${AT_ONCE} deliveries are under way at once. An answer is timed from its request; a delivery from the first of its requests,
so with the retries, one every 250 ms. Appended again: bodies of a receiver's journal that the ledger didn't have.

| run | events/s | deliveries/s | answer p50 | answer p99 | delivery p99 | retries | kills | appended again | all settled after |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| ${runRow('in peace', peace)} |
${runs.map((result, index) => `| ${runRow(`${index + 1}: a SIGKILL a second, PostgreSQL stopped for 10 s`, result)} |`).join('\n')}

What survived, in each run: ${count(peace.events)} of ${count(peace.events)} events settled exactly once, each balance the exact sum,
${PLAN.refused} of ${PLAN.refused} refused bodies held, the double-entry check balanced.

Killed: ${killed}.

## What an event costs

${count(EVENTS)} deposits in one copy. First they are received, with no settler there; then they are settled.

| step | events/s |
| --- | --- |
| appended by one client, ${APPENDS_AT_ONCE} at once, without receivers | ${count(appending.rate)} |
| received by two receivers | ${count(receiving.rate)} |
| settled by one settler | ${count(settling.rate)} |
| settled by two settlers | ${count(settlingByTwo.rate)} |

| ms of CPU an event | while appending | while receiving | while settling | while confirming |
| --- | --- | --- | --- | --- |
| ${costRow('receivers', 'receiver')} |
| ${costRow('NATS, all three servers', 'nats')} |
| ${costRow('settler', 'settler')} |
| ${costRow('PostgreSQL', 'postgres')} |

An event takes ${count(streamBytes)} bytes in each copy of the stream and ${count(ledgerBytes)} in the ledger, with its indexes.
`,
  );
}
