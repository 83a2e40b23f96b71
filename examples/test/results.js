import { writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os';
import { AT_ONCE } from '../pipeline/send.js';

/** @import { Load } from './load.js' */

const FILE = new URL('../merchant/RESULTS.md', import.meta.url);

/** Of others, before this began: above the number of cores, the figures are theirs as much as ours. */
const [loadBefore = 0] = loadavg();

const HEAD = `| database | run | events/s | deliveries/s | p50 | p99 | retries | what survived |
| --- | --- | --- | --- | --- | --- | --- | --- |`;
/** @type {string[]} */
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
  const cells = [database, run, ...rates, ...times, retries.toLocaleString('en'), survived];
  rows.push(`| ${cells.join(' | ')} |`);
}

/** Prints the figures, and writes them beside the merchant unless told not to. */
export function writeFigures() {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model}, ${platform()} ${arch()}`;
  const text = `# Results

Written by \`npm run test:examples\` on ${day}, Node.js ${process.versions.node}, ${machine}.
Merchants, database and sender share the machine; ${AT_ONCE} deliveries are under way at once. p50 and p99
are the time from the start of a request to the end of its answer. Before the run, the load average of the
machine was ${loadBefore.toFixed(1)}; above the number of its cores, others had their part in the figures. The
double-entry check held after every run and every kill.

${rows.join('\n')}
`;
  console.log(text);
  if (process.env.KEEP_RESULTS === undefined) writeFileSync(FILE, text);
}
