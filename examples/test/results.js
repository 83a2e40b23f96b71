import { writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os';
import { AT_ONCE } from '../pipeline/send.js';

/** @import { Load } from './load.js' */

/** Of others, before this began: above the number of cores, the figures are theirs as much as ours. */
const [loadBefore = 0] = loadavg();

const HEAD = 'database,run,events/s,deliveries/s,p50,p99,retries,what survived'.split(',');
/** @type {string[][]} */
const rows = [HEAD];

/**
 * One line of the table.
 *
 * @param {string} database
 * @param {string} run
 * @param {number} events How many distinct ones were delivered.
 * @param {Load} load
 * @param {string} survived
 */
export function addFigures(database, run, events, load, survived) {
  const { deliveries, seconds, p50, p99, retries } = load;
  const rates = [events, deliveries].map((count) => (count / seconds).toFixed(0));
  const times = [p50, p99].map((time) => `${time.toFixed(0)} ms`);
  rows.push([database, run, ...rates, ...times, retries.toLocaleString('en'), survived]);
}

/** Writes the figures beside the merchant. */
export function writeFigures() {
  const about = `p50 and p99 are the time from the start of a request to the end of its answer. The double-entry check held after
every run and every kill.`;
  writeResults('merchant', 'test:examples', about, rows);
}

/**
 * Prints figures, and writes them into a folder's RESULTS.md unless told not to.
 *
 * @param {string} folder
 * @param {string} command
 * @param {string} about
 * @param {string[][]} table Its head, and the rows.
 */
export function writeResults(folder, command, about, [head = [], ...others]) {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model}, ${platform()} ${arch()}`;
  const lines = [head, head.map(() => '---'), ...others].map((row) => `| ${row.join(' | ')} |`);
  const text = `# Results

Written by \`npm run ${command}\` on ${day}, Node.js ${process.versions.node}, ${machine}.
All servers and the sender share the machine; ${AT_ONCE} deliveries are under way at once. Before the run, the load average of
the machine was ${loadBefore.toFixed(1)}; above the number of its cores, others had their part in the figures.

${about}

${lines.join('\n')}
`;
  console.log(text);
  const file = new URL(`../${folder}/RESULTS.md`, import.meta.url);
  if (process.env.KEEP_RESULTS === undefined) writeFileSync(file, text);
}
