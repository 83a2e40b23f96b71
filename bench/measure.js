import { performance } from 'node:perf_hooks';

/**
 * @typedef {object} Timed A candidate's time for one parse, in one process.
 * @property {string} name
 * @property {string} group
 * @property {string} note
 * @property {number} time Median of the rounds, in microseconds.
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

/** @public Holds the last result, so that the compiler can't drop the work. */
export let sink;

/**
 * Times sets of candidates in interleaved rounds: whatever the machine or the compiler does at a time,
 * it does to every candidate. The first candidate of a set is its base. Warming up takes twice as many
 * rounds again.
 *
 * @template {{ run: () => unknown }} C
 * @param {C[][]} sets
 * @param {number} rounds
 * @returns {(Omit<C, 'run'> & { time: number, ratio: number })[][]}
 */
export function measure(sets, rounds) {
  const timers = sets.map((set) => set.map((candidate) => ({ candidate, calls: 1, times: [] })));
  const all = timers.flat();
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const timer of all) {
      const time = timeOf(timer.candidate.run, timer.calls);
      timer.calls = Math.max(1, Math.round(BATCH / Math.max(time, 1e-6)));
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    // Each round begins elsewhere, so that nobody always has the cold start.
    for (let index = 0; index < all.length; index += 1) {
      const { candidate, calls, times } = all[(index + round * 7) % all.length];
      times.push(timeOf(candidate.run, calls));
    }
  }
  return timers.map(([base, ...others]) =>
    [base, ...others].map(({ candidate: { run, ...rest }, times }) => ({
      ...rest,
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

/** Milliseconds a call. */
function timeOf(run, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) sink = run();
  return (performance.now() - start) / calls;
}

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
