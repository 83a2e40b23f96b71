// Times everything, and writes what it found; with --check only what the targets need, quickly.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkPeers } from './agreement.js';
import { bodies } from './bodies.js';
import { candidatesFor } from './candidates.js';
import { lengths, sizes } from './growth.js';
import { lookAheadSets, searched } from './look-ahead.js';
import { measure } from './measure.js';
import { report, targetTable } from './report.js';
import { failures, judge } from './targets.js';

/**
 * @typedef {object} Timed
 * @property {import('./bodies.js').Body} body
 * @property {import('./measure.js').Measured[]} measured Its base first.
 *
 * @typedef {object} Timings
 * @property {Timed[]} parses Every candidate on every body.
 * @property {Timed[]} searches The look-ahead on the bodies that need no exact reader.
 */

const ROUNDS = 300;
const QUICK_ROUNDS = 100;
/** The young generation holds all that is allocated between two counts, so that nothing is collected. */
const MEMORY_FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const timings = time(values.check ? QUICK_ROUNDS : ROUNDS);
const judged = judge(timings);
checkPeers();

if (values.check) {
  console.log(targetTable(judged));
  const failed = failures(judged);
  for (const line of failed) console.error(line);
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const text = report({
    timings,
    judged,
    // All code has seen every fixture by now.
    manyShapes: measure([candidatesFor(bodies[0])], ROUNDS)[0],
    growth: timeGrowth(),
    memory: countMemory(),
  });
  console.log(text);
  writeFileSync(new URL('RESULTS.md', import.meta.url), text);
}

/** @returns {Timings} */
function time(rounds) {
  const sets = [...bodies.map(candidatesFor), ...lookAheadSets];
  const timed = measure(sets, rounds).map((measured, index) => ({
    body: [...bodies, ...searched][index],
    measured,
  }));
  return { parses: timed.slice(0, bodies.length), searches: timed.slice(bodies.length) };
}

function timeGrowth() {
  const grown = [...sizes, ...lengths];
  const measured = measure(
    grown.map(({ set }) => set),
    ROUNDS,
  );
  const rows = grown.map(({ name, bytes }, index) => ({ name, bytes, measured: measured[index] }));
  return { sizes: rows.slice(0, sizes.length), lengths: rows.slice(sizes.length) };
}

/** @returns {number[][]} The bytes of each candidate on each body. */
function countMemory() {
  const script = fileURLToPath(new URL('memory.js', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [...MEMORY_FLAGS, script], { encoding: 'utf8' }),
  );
}
