import { cpuUsage, memoryUsage } from 'node:process';

/**
 * @import { Candidate } from './candidates.js'
 *
 * @typedef {object} Timed A candidate in one process.
 * @property {string} name
 * @property {Candidate['group']} group
 * @property {string} note
 * @property {number} time Median of the rounds, in microseconds a call.
 * @property {number} ratio Median of the rounds' ratios to the base of the set.
 *
 * @typedef {Omit<Timed, 'ratio'> & { ratio: Spread }} Measured The same over several processes.
 *
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} low The lowest of the processes.
 * @property {number} high The highest.
 */

/** How long a candidate runs at a stretch, in milliseconds: short, so that a round meets one machine. */
const BATCH = 0.5;
/** So many calls are counted when memory is, and before: compiled code allocates less. */
const COUNTED_CALLS = 200;
const WARM_UP_CALLS = 3000;

/** @public Holds the last result, so that the compiler can't drop the work. */
export let sink;

/**
 * Times sets of candidates in interleaved rounds: whatever the machine or the compiler does at a time,
 * it does to every candidate. The first candidate of a set is its base. Warming up takes twice as many
 * rounds again.
 *
 * @param {Candidate[][]} sets
 * @param {number} rounds
 * @returns {Timed[][]}
 */
export function measure(sets, rounds) {
  const timers = sets.map((set) =>
    set.map((candidate, place) => ({ candidate, place, calls: 1, times: [] })),
  );
  const all = timers.flat();
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const timer of all) {
      const time = timeOf(timer.candidate, round + timer.place, timer.calls);
      timer.calls = Math.max(1, Math.round(BATCH / Math.max(time, 1e-6)));
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    // Each round begins elsewhere, so that nobody always has the cold start.
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
 * Joins what several processes measured. The compiler decides anew in each of them, and not always
 * well: the median process counts.
 *
 * @param {Timed[][][]} processes The same sets, measured once a process.
 * @returns {Measured[][]}
 */
export function join(processes) {
  const [first] = processes;
  return first.map((set, setIndex) =>
    set.map((timed, index) => {
      const same = processes.map((sets) => sets[setIndex][index]);
      const ratios = same.map(({ ratio }) => ratio);
      return {
        ...timed,
        time: median(same.map(({ time }) => time)),
        ratio: { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) },
      };
    }),
  );
}

/**
 * Bytes that a candidate allocates a call. The process needs --expose-gc, and a young generation that holds
 * all of a sample, so that nothing is collected meanwhile.
 *
 * @param {Candidate} candidate
 */
export function bytesOf(candidate) {
  timeOf(candidate, 0, WARM_UP_CALLS);
  const samples = [1, 2, 3].map((round) => {
    globalThis.gc();
    const before = memoryUsage().heapUsed;
    timeOf(candidate, round, COUNTED_CALLS);
    return (memoryUsage().heapUsed - before) / COUNTED_CALLS;
  });
  return median(samples);
}

/**
 * Milliseconds of CPU time a call, the collector's threads included: what else the machine runs costs none.
 *
 * @param {Candidate} candidate
 * @param {number} turn Tells with which input to begin. In one round, each candidate of a set begins elsewhere:
 * the engine still has the text of the numbers that were just read.
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
