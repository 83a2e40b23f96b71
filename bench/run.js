// Compares the time that this build and the one of another checkout take for a body:
//
//   node bench/run.js ../other
//
// Each case has many bodies with different digits, because V8 caches the text of repeated numbers.
// The builds take turns of a few milliseconds in one process, so that noise hits both alike.
// Compare the ratio, not the times. Two copies of one build differ by up to 3 %.
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import * as own from '../dist/index.js';
import { fixture } from '../fixtures/index.js';

const [BODIES, CALLS, ROUNDS, WARMUP_ROUNDS] = [2000, 500, 120, 40];

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('expected the folder of another checkout');
const builds = [own, await import(pathToFileURL(resolve(checkout, 'dist/index.js')).href)];

/** @public Has the last result, so that the compiler can't drop the work. */
export let sink;
let seed = 7;

for (const id of [
  'deposit-received/sample',
  'withdrawal-broadcast/sample',
  'deposit-received/eighteen-decimals',
  'invalid/many-faults',
]) {
  const text = fixture(id).body.toString();
  const bodies = Array.from({ length: BODIES }, () => withOtherDigits(text));
  const parser = `safeParse${id.startsWith('w') ? 'WithdrawalBroadcast' : 'DepositReceived'}`;
  // Each build begins elsewhere, because V8 still has the text of the numbers that were just read.
  const tasks = builds.map(({ [parser]: parse }, place) => ({
    parse,
    next: place * 151,
    times: [],
  }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const task of tasks) {
      const time = turnOf(task, bodies);
      if (round >= WARMUP_ROUNDS) task.times.push(time);
    }
  const [ours, theirs] = tasks.map(({ times }) => times);
  const ratio = median(theirs.map((time, round) => time / ours[round]));
  console.log(`${id.padEnd(36)}${median(ours).toFixed(2)} µs, the other × ${ratio.toFixed(2)}`);
}

/** The time of a call in microseconds, as the mean of some. */
function turnOf(task, bodies) {
  const start = performance.now();
  for (let call = 0; call < CALLS; call += 1) {
    sink = task.parse(bodies[task.next % BODIES]);
    task.next += 1;
  }
  return ((performance.now() - start) * 1000) / CALLS;
}

/** Replaces the digits of amounts and identifiers, except zeros. */
function withOtherDigits(text) {
  const other = text.replace(/": "?\d+\.\d+|Id": "[^"]+/g, (part) =>
    part.replace(/[1-9]/g, randomDigit),
  );
  return Buffer.from(other).toString(); // a flat string, like the text of a request
}

/** From 1 to 9, and the same in every run: Lehmer's generator. */
function randomDigit() {
  seed = (seed * 48271) % 2147483647;
  return String((seed % 9) + 1);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
