// Proves in full what pipeline.test.js proves in part, and writes pipeline/RESULTS.md: `npm run chaos`.
import { writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os';
import { percentile } from '../pipeline/send.js';
import { startPipeline } from '../pipeline/start.js';
import { AT_ONCE, runChaos } from './pipeline-chaos.js';

const FILE = new URL('../pipeline/RESULTS.md', import.meta.url);
const PLAN = { deposits: 2_000, copies: 5, withdrawals: 500, refused: 100 };
const PEACE = { kills: { min: 0, max: 0 }, databaseDownMs: 0 };
const CHAOS = { kills: { min: 30, max: Number.POSITIVE_INFINITY }, databaseDownMs: 10_000 };

const loadBefore = loadavg()[0] ?? 0;
let natsVersion = '';
/** @type {[name: string, result: Awaited<ReturnType<typeof runChaos>>][]} */
const runs = [];
for (const [name, disturbance] of /** @type {const} */ ([
  ['in peace', PEACE],
  ['a SIGKILL a second, PostgreSQL stopped for 10 s', CHAOS],
  ['the same again', CHAOS],
])) {
  const pipeline = await startPipeline({ receivers: 2, settlers: 2 });
  natsVersion = pipeline.connection.info?.version ?? '';
  try {
    runs.push([name, await runChaos(pipeline, { ...PLAN, ...disturbance })]);
  } finally {
    await pipeline.stop();
  }
}

const count = (/** @type {number} */ number) => Math.round(number).toLocaleString('en');
const events = PLAN.deposits + PLAN.withdrawals;
const HEAD = ['run', 'events/s', 'deliveries/s', 'answer p50', 'answer p99', 'retries', 'kills'];
const table = [
  [...HEAD, 'appended again', 'all settled after'],
  Array(HEAD.length + 2).fill('---'),
  ...runs.map(([name, { sent, killed, appendedAgain, sentSeconds, settledSeconds }]) => [
    name,
    count(events / settledSeconds),
    count(sent.answered / sentSeconds),
    ...[0.5, 0.99].map((part) => `${count(percentile(sent.answerMs, part))} ms`),
    ...[sent.retries, killed.length, appendedAgain].map(count),
    `${count(settledSeconds)} s`,
  ]),
];

writeFileSync(
  FILE,
  `# Results

Written by \`npm run chaos\` on ${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${availableParallelism()} cores of ${cpus()[0]?.model},
${platform()} ${arch()}, nats-server ${natsVersion}. Three NATS servers, PostgreSQL, two receivers, two settlers and the sender share these cores
and one disk. The load average before the runs was ${loadBefore.toFixed(1)}: above the number of cores, others had their part in the rates.

${count(PLAN.deposits)} deposits in ${PLAN.copies} copies, ${count(PLAN.withdrawals)} withdrawals once and ${PLAN.refused} refused bodies, ${AT_ONCE} deliveries under way at once. An answer is timed
from its request; a delivery is repeated every 250 ms until it is answered as it should be. Appended again: bodies of a
receiver's journal that the ledger didn't have.

${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}

What survived, in each run: ${count(events)} of ${count(events)} events settled exactly once, each balance the exact sum, ${PLAN.refused} of ${PLAN.refused}
refused bodies held, all lines summing to zero.
`,
);
