// The results in README.md.
import { cpus } from 'node:os';
import { cases } from './cases.js';

/**
 * @import { Timed } from './measure.js'
 *
 * @param {import('./targets.js').Judged[]} targets
 * @param {Timed[][]} bodies One list a case.
 */
export function report(targets, bodies) {
  const date = new Date().toISOString().slice(0, 10);
  const rows = cases.map((one, index) => ({ ...one, timed: bodies[index] }));
  return `${[
    `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ${date}.`,
    '### Targets',
    targetTable(targets),
    '### Bodies that are read',
    'The time of the floor in µs, and all other times divided by it.',
    ratioTable(rows.filter(({ isRefused }) => !isRefused)),
    '### Bodies that are refused',
    'Our time for a valid deposit in µs, and all other times divided by it.',
    ratioTable(rows.filter(({ isRefused }) => isRefused)),
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

/** A row for each case, a column for each candidate. */
function ratioTable(/** @type {{ name: string, timed: Timed[] }[]} */ rows) {
  const names = [...new Set(rows.flatMap(({ timed }) => timed.map(({ name }) => name)))];
  const [base, ...others] = names;
  return table(
    ['', `${base}, µs`, ...others],
    rows.map(({ name, timed: [floor, ...timed] }) => [
      name,
      floor.time.toFixed(2),
      ...others.map((other) => {
        const { ratio, note } = timed.find((one) => one.name === other) ?? {};
        return [ratio?.toFixed(2), note].filter(Boolean).join(', ');
      }),
    ]),
  );
}

/**
 * A Markdown table that also reads well in a terminal.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  const widths = head.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  const padded = lines.map((line) => line.map((cell, index) => cell.padEnd(widths[index])));
  return padded.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
