// Times all cases in one process, and prints the times as JSON: with --quick in fewer rounds.
import process from 'node:process';
import { Bench } from 'tinybench';
import { candidatesFor } from './candidates.js';
import { cases } from './cases.js';

/**
 * @typedef {object} Timed A candidate in one process.
 * @property {string} name
 * @property {import('./candidates.js').Candidate['group']} group
 * @property {string} [note]
 * @property {number} time Median of the rounds, in microseconds a call.
 * @property {number} ratio Median of the rounds' ratios to the base of the set.
 */

/** The first third warms up. */
const ROUNDS = process.argv.includes('--quick') ? 45 : 120;

/** @public Has the last result, so that the compiler can't drop the work. */
export let sink;

// tinybench runs one candidate after another. A round of 5 ms each, again and again, interleaves
// them: whatever the machine or the compiler does at a time, it does to every candidate.
const bench = new Bench({ time: 5, iterations: 10, warmup: false, throws: true });
const sets = cases.map((one, set) =>
  candidatesFor(one).map(({ name, group, note, inputs, run }, place) => {
    // Each begins elsewhere: the engine still has the text of the numbers that were just read.
    let turn = place * 151;
    const task = `${set} ${name}`;
    bench.add(task, () => {
      const index = turn++ % inputs.length;
      sink = run(inputs[index], index);
    });
    return { name, group, note, task, times: [] };
  }),
);
for (let round = 0; round < ROUNDS; round += 1) {
  bench.reset();
  bench.runSync();
  if (round < ROUNDS / 3) continue;
  for (const { task, times } of sets.flat()) {
    times.push(bench.getTask(task).result.latency.p50 * 1000);
  }
}
const timed = sets.map((set) =>
  set.map(({ name, group, note, times }) => {
    const ratios = times.map((time, round) => time / set[0].times[round]);
    return { name, group, note, time: median(times), ratio: median(ratios) };
  }),
);
console.log(JSON.stringify(timed));

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
