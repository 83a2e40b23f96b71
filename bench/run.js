import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bodies } from './bodies.js';
import { candidatesFor } from './candidates.js';
import { measure } from './measure.js';
import { bodyTable, machine, targetTable } from './report.js';
import { judge, TOLERANCE } from './targets.js';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const ROUNDS = values.check ? 80 : 300;

const measured = measure(bodies.map(candidatesFor), ROUNDS);
const timings = { sets: bodies.map((body, index) => ({ body, measured: measured[index] })) };
const judged = judge(timings);

if (values.check) {
  console.log(targetTable(judged));
  const failed = judged.filter(({ limit, ratio }) => ratio > limit * TOLERANCE);
  for (const { name, what, limit, ratio } of failed) {
    console.error(
      `${name}: ${ratio.toFixed(2)} on ${what}, at most ${limit}, with tolerance ${limit * TOLERANCE}`,
    );
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
} else {
  const report = [
    '# Benchmark',
    machine(),
    '## Targets',
    targetTable(judged),
    '## Bodies',
    ...timings.sets.map(bodyTable),
  ].join('\n\n');
  console.log(report);
  writeFileSync(new URL('RESULTS.md', import.meta.url), `${report}\n`);
}
