// Measures everything in fresh processes, and writes the results into README.md; with --check, only
// compares the targets. The compiler decides differently in each process, so the median counts.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { report, targetTable } from './report.js';
import { judge } from './targets.js';

const PROCESSES = 5;
/**
 * By how much a ratio may pass its target before the check fails: a quick run on a shared machine
 * is not exact.
 */
const TOLERANCE = 1.25;
const README = new URL('README.md', import.meta.url);

if (process.argv.includes('--check')) {
  const targets = judge(measure(['--quick']));
  console.log(targetTable(targets));
  const failed = targets.filter(({ ratio, limit }) => ratio > limit * TOLERANCE);
  for (const { name, ratio } of failed) console.error(`${name} is ${ratio.toFixed(2)}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const bodies = measure([]);
  const results = report(judge(bodies), bodies);
  console.log(results);
  const text = readFileSync(README, 'utf8');
  writeFileSync(
    README,
    text.replace(/(?<=^## Results\n).*/ms, () => `\n${results}`),
  );
}

/**
 * Measures every case in some processes, one after another.
 *
 * @param {string[]} args
 */
function measure(args) {
  const path = fileURLToPath(new URL('measure.js', import.meta.url));
  const stdio = ['ignore', 'pipe', 'inherit'];
  /** @type {import('./measure.js').Timed[][][]} */
  const processes = Array.from({ length: PROCESSES }, () =>
    JSON.parse(execFileSync(process.execPath, [path, ...args], { stdio }).toString()),
  );
  return processes[0].map((set, one) =>
    set.map((timed, index) => {
      const same = processes.map((sets) => sets[one][index]);
      return { ...timed, time: medianOf(same, 'time'), ratio: medianOf(same, 'ratio') };
    }),
  );
}

function medianOf(measured, key) {
  return measured.map((one) => one[key]).sort((a, b) => a - b)[measured.length >> 1];
}
