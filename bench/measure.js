// Times all cases in one process, and prints the times as JSON: with --quick in fewer rounds.
import process, { cpuUsage } from 'node:process';
import { candidatesFor } from './candidates.js';
import { cases } from './cases.js';

/**
 * @import { Candidate } from './candidates.js'
 *
 * @typedef {object} Timed A candidate in one process.
 * @property {string} name
 * @property {Candidate['group']} group
 * @property {string} [note]
 * @property {number} time Median of the rounds, in microseconds a call.
 * @property {number} ratio Median of the rounds' ratios to the base of the set.
 */

/**
 * How long a candidate runs at a stretch, in milliseconds: short, so that a round meets one
 * machine.
 */
const BATCH = 0.5;
const ROUNDS = process.argv.includes('--quick') ? 40 : 100;

/** @public Holds the last result, so that the compiler can't drop the work. */
export let sink;

console.log(JSON.stringify(measure(cases.map(candidatesFor))));

/**
 * Times sets of candidates in interleaved rounds: whatever the machine or the compiler does at a
 * time, it does to every candidate. The first candidate of a set is its base. Warming up takes
 * twice as many rounds again.
 *
 * @param {Candidate[][]} sets
 * @returns {Timed[][]} One list a set.
 */
function measure(sets) {
  const timers = sets.map((set) =>
    set.map((candidate, place) => ({ candidate, place, calls: 1, times: [] })),
  );
  const all = timers.flat();
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    for (const timer of all) {
      const time = timeOf(timer.candidate, round + timer.place, timer.calls);
      timer.calls = Math.max(1, Math.round(BATCH / Math.max(time, 1e-6)));
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins elsewhere, so that no candidate always has the cold start.
    for (let index = 0; index < all.length; index += 1) {
      const { candidate, place, calls, times } = all[(index + round * 7) % all.length];
      times.push(timeOf(candidate, round + place, calls));
    }
  }
  return timers.map(([base, ...others]) =>
    [base, ...others].map(({ candidate: { name, group, note }, times }) => ({
      name,
      group,
      note,
      time: median(times) * 1000,
      ratio: median(times.map((time, round) => time / base.times[round])),
    })),
  );
}

/**
 * Milliseconds of CPU time a call, the collector's threads included: what else the machine runs
 * costs none.
 *
 * @param {Candidate} candidate
 * @param {number} turn Tells with which input to begin. In one round, each candidate of a set
 * begins elsewhere: the engine still has the text of the numbers that were just read.
 * @param {number} calls
 */
function timeOf({ inputs, run }, turn, calls) {
  const from = (turn * 151) % inputs.length;
  const warmUp = Math.ceil(calls / 4);
  let start = cpuUsage();
  for (let call = 0; call < warmUp + calls; call += 1) {
    // What ran before has left the processor's caches full of other things.
    if (call === warmUp) start = cpuUsage();
    const index = (from + call) % inputs.length;
    sink = run(inputs[index], index);
  }
  const { user, system } = cpuUsage(start);
  return (user + system) / 1000 / calls;
}

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
