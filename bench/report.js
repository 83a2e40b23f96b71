// RESULTS.md.
import { cpus } from 'node:os';
import { cases } from './cases.js';

const INTRODUCTION = `Written by \`npm run bench\`. Each case is 2,000 bodies, each with digits of its own: a repeated body would
keep the text of its numbers in the engine's cache, which no real traffic has. All candidates run in one
process, in turns of half a millisecond; a process gives the median of its rounds, and of its rounds' ratios to the
first row of a table. The figure is the median of 7 fresh processes, because the compiler's decisions differ. A time
is CPU time for one parse. Only ratios can be compared between machines.`;

const PEERS = `The peers check the same fields by the same rules; amounts become the same Decimals, times dates, the address is
split, and a field that nothing hangs on becomes null where it is unreadable. TypeBox compiles checks only, so its users
map the fields by hand. No peer gives warnings; whatever else one does less than ours is said in the last column.`;

/**
 * @import { Timed } from './measure.js'
 *
 * @param {import('./targets.js').Judged[]} targets
 * @param {Timed[][]} bodies One list a case.
 */
export function report(targets, bodies) {
  const date = new Date().toISOString().slice(0, 10);
  return `${[
    '# Benchmark results',
    `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ${date}.`,
    INTRODUCTION,
    '## Targets',
    targetTable(targets),
    '## Bodies',
    PEERS,
    ...cases.flatMap(({ name }, index) => [`### ${name}`, ratioTable(bodies[index])]),
  ].join('\n\n')}\n`;
}

/** @param {import('./targets.js').Judged[]} targets */
export function targetTable(targets) {
  return table(
    ['target', 'at most', 'worst', '', 'where'],
    targets.map(({ name, limit, ratio, where }) => {
      const outcome = ratio <= limit ? 'met' : 'missed';
      return [name, limit.toFixed(2), ratio.toFixed(2), outcome, where];
    }),
  );
}

/** @param {Timed[]} rows */
function ratioTable(rows) {
  return table(
    ['', 'µs', 'ratio', 'less than ours'],
    rows.map(({ name, time, ratio, note = '' }) => [name, time.toFixed(2), ratio.toFixed(2), note]),
  );
}

/** A Markdown table that reads well in a terminal, too. @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  const widths = head.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  const padded = lines.map((line) => line.map((cell, index) => cell.padEnd(widths[index])));
  return padded.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
