// Starts all of the pipeline on this machine, sends deposits in five copies and withdrawals once, and
// prints once a second how far they are.
import { setTimeout as sleep } from 'node:timers/promises';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { check } from '../merchant/ledger.js';
import { inTurn, nothingSent, send } from './send.js';
import { startPipeline } from './start.js';

const [DEPOSITS, COPIES, WITHDRAWALS] = [2_000, 5, 200];

/** @type {string[]} */
const bodies = [];
for (let seed = 0; seed < DEPOSITS; seed += 1) {
  if (seed < WITHDRAWALS) bodies.push(withdrawalBroadcastBody({}, { seed }));
  bodies.push(...Array(COPIES).fill(depositReceivedBody({}, { seed })));
}
const parcels = bodies.map((body) => ({ body, status: 200 }));

console.log('Starting three NATS servers, PostgreSQL, receivers and settlers on loopback ...');
const pipeline = await startPipeline();
const sent = nothingSent();
let isSettled = false;
const all = send(parcels.values(), inTurn(pipeline.urls), sent)
  .then(() => pipeline.settled(DEPOSITS + WITHDRAWALS))
  .finally(() => (isSettled = true));
for (let seconds = 1; !isSettled; seconds += 1) {
  await sleep(1_000);
  console.log(`${seconds} s:`, { answered: sent.answered, ...(await pipeline.status()) });
}
await all;
console.log('The double-entry check:', await check(pipeline.database.query));
await pipeline.stop();
