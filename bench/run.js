// Times everything in fresh processes, and writes what it found; with --check only holds the targets.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { join } from './measure.js';
import { report, targetTable } from './report.js';
import { failures, judge } from './targets.js';

const PROCESSES = 7;
const QUICK_PROCESSES = 5;
/** The young generation holds all that is allocated between two counts, so that nothing is collected. */
const MEMORY_FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

if (values.check) {
  const judged = judge(time(QUICK_PROCESSES, ['--quick']));
  console.log(targetTable(judged));
  const failed = failures(judged);
  for (const line of failed) console.error(line);
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const timings = time(PROCESSES, []);
  const memory = run('memory.js', { flags: MEMORY_FLAGS });
  const text = report(timings, judge(timings), memory);
  console.log(text);
  writeFileSync(new URL('RESULTS.md', import.meta.url), text);
}

/**
 * @param {number} processes
 * @param {string[]} args
 * @returns {Record<string, import('./measure.js').Measured[][]>} What timing.js measures, joined.
 */
function time(processes, args) {
  const timings = Array.from({ length: processes }, () => run('timing.js', { args }));
  return Object.fromEntries(
    Object.keys(timings[0]).map((part) => [part, join(timings.map((timing) => timing[part]))]),
  );
}

/** What a script of this folder prints as JSON. */
function run(script, { flags = [], args = [] }) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [...flags, path, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}
