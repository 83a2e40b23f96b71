// Starts all of the pipeline on this machine, sends deposits in five copies and withdrawals once, and
// prints once a second how far they are.
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { check } from '../merchant/ledger.js';
import { createSender, percentile } from './send.js';
import { startPipeline } from './start.js';
import { printTable } from './table.js';

const [COPIES, AT_ONCE] = [5, 32];
const [deposits, withdrawals] = [2_000, 200];

const bodies = Array.from({ length: withdrawals }, (_, seed) =>
  withdrawalBroadcastBody({}, { seed }),
);
for (let seed = 0; seed < deposits; seed += 1) {
  bodies.push(
    ...bodyVariants(depositReceivedBody({}, { seed }))
      .slice(0, COPIES)
      .map(({ body }) => body),
  );
}

console.log('Starting three NATS servers, PostgreSQL, receivers and settlers on loopback ...');
const pipeline = await startPipeline({ receivers: 2, settlers: 2 });
const sender = createSender();
const table = printTable(pipeline, sender);
await sender.send(
  bodies.map((body) => ({ body, status: 200 })),
  pipeline.urls,
  AT_ONCE,
);
await pipeline.settled(deposits + withdrawals);
await table.stop();

const { answered, retries, answerMs } = sender.sent;
const [p50, p99] = [percentile(answerMs, 0.5), percentile(answerMs, 0.99)];
console.log(
  `${answered} of ${bodies.length} deliveries answered, ${retries} of them again; p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
);
console.log('The double-entry check:', await check(pipeline.database.query));
await pipeline.stop();
