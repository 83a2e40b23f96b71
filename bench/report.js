import { cpus } from 'node:os';

/**
 * A Markdown table, aligned so that it reads well in a terminal too.
 *
 * @param {string[]} head
 * @param {string[][]} rows The first column is text, the others are figures.
 */
export function table(head, rows) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column].length)),
  );
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [head, rule, ...rows].map(line).join('\n');
}

/** Where and when the figures come from. */
export function machine() {
  const [{ model }] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ${date}.`;
}

export const ratio = (value) => value.toFixed(2);
export const spread = ({ low, high }) => `${ratio(low)} to ${ratio(high)}`;

/** @param {import('./run.js').Timings['sets'][number]} set */
export function bodyTable({ body, measured }) {
  return `### ${body.name}\n\n${table(
    ['', 'µs', 'ratio', 'half of the rounds', 'less than ours'],
    measured.map((one) => [
      one.name,
      one.time.toFixed(2),
      ratio(one.ratio.median),
      spread(one.ratio),
      one.note,
    ]),
  )}`;
}

export function targetTable(judged) {
  return table(
    ['target', 'at most', 'worst', '', 'where'],
    judged.map(({ name, limit, ratio: worst, what }) => [
      name,
      ratio(limit),
      ratio(worst),
      worst <= limit ? 'met' : 'missed',
      what,
    ]),
  );
}
