import { performance } from 'node:perf_hooks';

/**
 * @typedef {object} Measured A candidate's time for one parse.
 * @property {string} name
 * @property {string} group
 * @property {string} note
 * @property {number} time Median, in microseconds.
 * @property {Spread} ratio To the base of the same round.
 *
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} low The quartiles: half of the rounds lie between.
 * @property {number} high
 */

/** How long a candidate runs at a stretch, in milliseconds: short, so that a round meets one machine. */
const BATCH = 1;
const WARM_UP_ROUNDS = 60;

/** Holds the last result, so that the compiler can't drop the work. */
export let sink;

/**
 * Times sets of candidates in interleaved rounds, all in one process: whatever the machine or the
 * compiler does at a time, it does to every candidate. The first candidate of a set is its base.
 *
 * @template {{ name: string, run: () => unknown }} C
 * @param {C[][]} sets
 * @param {number} rounds
 * @returns {(Omit<C, 'run'> & Measured)[][]}
 */
export function measure(sets, rounds) {
  const all = sets.flat().map((candidate) => ({ candidate, calls: 1, times: [] }));
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const one of all) {
      const time = timeOf(one.candidate.run, one.calls);
      one.calls = Math.max(1, Math.round(BATCH / Math.max(time, 1e-6)));
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    // Each round begins elsewhere: nobody always runs behind the same neighbour's garbage.
    for (let index = 0; index < all.length; index += 1) {
      const one = all[(index + round * 7) % all.length];
      one.times.push(timeOf(one.candidate.run, one.calls));
    }
  }
  return sets.map((set) => {
    const timed = set.map((candidate) => all.find((one) => one.candidate === candidate));
    const base = timed[0].times;
    return timed.map(({ candidate: { run, ...rest }, times }) => ({
      ...rest,
      time: spread(times).median * 1000,
      ratio: spread(times.map((time, round) => time / base[round])),
    }));
  });
}

/** Milliseconds a call. */
function timeOf(run, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) sink = run();
  return (performance.now() - start) / calls;
}

/** @returns {Spread} */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => sorted[Math.floor((sorted.length - 1) * part)];
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
