// Measures everything in fresh processes, and writes RESULTS.md and results.json; with --check only holds the
// targets.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases.js';
import { grown } from './growth.js';
import { join } from './measure.js';
import { report, targetTable } from './report.js';
import { judge } from './targets.js';

const PROCESSES = 7;
const QUICK_PROCESSES = 5;
/** The young generation holds all that is allocated between two counts, so that nothing is collected. */
const MEMORY_FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];
/** By how much a ratio may pass its target before the check fails: a quick run on a shared machine is not exact. */
const TOLERANCE = 1.25;

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

if (values.check) {
  const runs = Array.from({ length: QUICK_PROCESSES }, () => run(['--quick']));
  const targets = judge(join(runs.map(({ parses }) => parses)));
  console.log(targetTable(targets));
  const failed = targets.filter(({ ratio, limit }) => ratio > limit * TOLERANCE);
  for (const { name, ratio } of failed) console.error(`${name} is ${ratio.toFixed(2)}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const results = measureAll();
  const text = report(results);
  console.log(text);
  writeFileSync(new URL('RESULTS.md', import.meta.url), text);
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * All figures, as results.json holds them: RESULTS.md and the charts of the documentation are made of it.
 *
 * @typedef {object} Results
 * @property {{ cpu: string, cores: number, node: string, date: string }} machine
 * @property {import('./targets.js').Judged[]} targets Met where the ratio is at most the limit.
 * @property {{ name: string, rows: Row[] }[]} cases The first row of each is what the others are divided by.
 * @property {Measured[]} manyShapes The first case again, after all code has seen every fixture.
 * @property {{ name: string, fixtures: number, refused: number, readOtherwise: number }[]} onFixtures
 * @property {{ what: string, bytes: number, rows: Measured[] }[]} growth
 *
 * @typedef {Measured & { bytes: number }} Row Times are microseconds, ratios `{ median, low, high }` of the
 * processes, bytes what one call allocates. The note says what a peer does less than ours.
 * @typedef {import('./measure.js').Measured} Measured
 *
 * @returns {Results}
 */
function measureAll() {
  const runs = Array.from({ length: PROCESSES }, () => run([]));
  const bytes = run(['--memory'], MEMORY_FLAGS);
  const joined = (part) => join(runs.map((timings) => timings[part]));
  const parses = joined('parses');
  const growth = joined('growth');
  return {
    machine: {
      cpu: cpus()[0].model.trim(),
      cores: cpus().length,
      node: process.versions.node,
      date: new Date().toISOString().slice(0, 10),
    },
    targets: judge(parses),
    cases: cases.map(({ name }, index) => ({
      name,
      rows: parses[index].map((row, at) => ({ ...row, bytes: Math.round(bytes[index][at]) })),
    })),
    manyShapes: joined('manyShapes')[0],
    onFixtures: runs[0].onFixtures,
    growth: grown.map(({ what, text }, index) => ({
      what,
      bytes: Buffer.byteLength(text),
      rows: growth[index],
    })),
  };
}

/** What timing.js prints. */
function run(args, flags = []) {
  const path = fileURLToPath(new URL('timing.js', import.meta.url));
  const stdio = ['ignore', 'pipe', 'inherit'];
  const output = execFileSync(process.execPath, [...flags, path, ...args], {
    encoding: 'utf8',
    stdio,
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(output);
}
