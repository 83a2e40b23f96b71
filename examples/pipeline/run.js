// Starts all of the pipeline on this machine, sends deposits in five copies and withdrawals once, and
// prints once a second how far they are.
import { parseArgs } from 'node:util';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { check } from '../merchant/ledger.js';
import { createSender, percentile } from './send.js';
import { startPipeline } from './start.js';
import { printTable } from './table.js';

const { values } = parseArgs({
  options: {
    deposits: { type: 'string', default: '2000' },
    withdrawals: { type: 'string', default: '200' },
    receivers: { type: 'string', default: '2' },
    settlers: { type: 'string', default: '2' },
    'at-once': { type: 'string', default: '32' },
  },
});
const COPIES = 5;
const [deposits, withdrawals] = [Number(values.deposits), Number(values.withdrawals)];

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
const pipeline = await startPipeline({
  receivers: Number(values.receivers),
  settlers: Number(values.settlers),
});
const sender = createSender();
const table = printTable(pipeline, sender);
await sender.send(
  bodies.map((body) => ({ body, status: 200 })),
  pipeline.urls,
  Number(values['at-once']),
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
