// Bytes allocated a parse, in a process of its own: it needs --expose-gc, and a young generation that
// holds all of a sample, so that nothing is collected while it is counted.
import { memoryUsage } from 'node:process';
import { bodies } from './bodies.js';
import { candidatesFor } from './candidates.js';

const CALLS = 200;
const SAMPLES = 3;
/** Compiled code allocates less: it keeps short-lived objects in registers. */
const WARM_UP_CALLS = 3000;

/** Holds the last result, so that the compiler can't drop the work. */
export let sink;

function bytesOf({ run }) {
  for (let call = 0; call < WARM_UP_CALLS; call += 1) sink = run();
  const samples = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    globalThis.gc();
    const before = memoryUsage().heapUsed;
    for (let call = 0; call < CALLS; call += 1) sink = run();
    samples.push((memoryUsage().heapUsed - before) / CALLS);
  }
  return samples.sort((a, b) => a - b)[SAMPLES >> 1];
}

console.log(JSON.stringify(bodies.map((body) => candidatesFor(body).map(bytesOf))));
