// Measures everything in fresh processes, and writes RESULTS.md; with --check, only compares the
// targets. The compiler decides differently in each process, so the median process counts.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { report, targetTable } from './report.js';
import { judge } from './targets.js';

/**
 * By how much a ratio may pass its target before the check fails: a quick run on a shared machine
 * is not exact.
 */
const TOLERANCE = 1.25;

if (process.argv.includes('--check')) {
  const targets = judge(measureIn(5, ['--quick']));
  console.log(targetTable(targets));
  const failed = targets.filter(({ ratio, limit }) => ratio > limit * TOLERANCE);
  for (const { name, ratio } of failed) console.error(`${name} is ${ratio.toFixed(2)}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const bodies = measureIn(7, []);
  const text = report(judge(bodies), bodies);
  console.log(text);
  writeFileSync(new URL('RESULTS.md', import.meta.url), text);
}

/**
 * Measures every case in some processes, one after another.
 *
 * @param {number} count
 * @param {string[]} args
 */
function measureIn(count, args) {
  const path = fileURLToPath(new URL('measure.js', import.meta.url));
  const stdio = ['ignore', 'pipe', 'inherit'];
  /** @type {import('./measure.js').Timed[][][]} */
  const processes = Array.from({ length: count }, () =>
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
