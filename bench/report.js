import { cpus } from 'node:os';
import { bodies } from './bodies.js';
import { lengths, sizes } from './growth.js';
import { searchCost, searched } from './look-ahead.js';

const INTRODUCTION = `Written by \`npm run bench\`. All candidates run in one process, in turns of half a millisecond, round after
round; a process gives the median of its rounds, and of its rounds' ratios to the first row of a table. The
whole is repeated in 7 fresh processes, because the compiler's decisions differ: the figure is the median
process, the range its lowest and its highest. A time is for one parse. Bytes are what one parse allocates:
how far the heap grows over 200 parses without a collection. Only ratios can be compared between machines.`;

const PEERS = `zod, valibot, arktype and typebox stand for what their users write: every field of the notification is
checked by the same rules, amounts become the same Decimals, times dates, the address is split, and unknown
fields stay where they were. TypeBox compiles checks only, so its users map the fields by hand. "Written by
hand" uses no library, and drops unknown fields. Behind lossless-json, numbers come as LosslessNumbers.
Every pipeline has given the same values as ours, here and for each valid fixture, and has refused each
invalid one; what it does less is said in the last column.`;

const MANY_SHAPES = `The tables above show code that has only seen bodies with the same fields in the same order, which suits
those who read a field by its name in the source. The same deposit once more, after every pipeline has
parsed every fixture, with fields left out and added.`;

/**
 * @param {Record<string, Sets>} timings What timing.js measures.
 * @param {import('./targets.js').Judged[]} judged
 * @param {number[][]} memory Bytes of each candidate on each body.
 *
 * @typedef {import('./measure.js').Measured[][]} Sets
 */
export function report(timings, judged, memory) {
  return `${[
    '# Benchmark results',
    machine(),
    INTRODUCTION,
    '## Targets',
    targetTable(judged),
    '## Bodies',
    PEERS,
    ...bodies.flatMap(({ name }, index) => [
      `### ${name}`,
      bodyTable(timings.parses[index], memory[index]),
    ]),
    '## Bodies of many shapes',
    MANY_SHAPES,
    shapesTable(timings.parses[0], timings.manyShapes[0]),
    '## Search for long literals',
    'What it costs to look for numbers that a double may not carry, on bodies without one.',
    searchTable(timings.searches),
    '## Growth',
    'A deposit filled up with unknown fields, 32 characters each. 64 KiB is the most that is read.',
    growthTable('body', sizes, timings.sizes),
    'A deposit whose 8 numbers are so many characters long. From 16 on, the exact reader takes over.',
    growthTable('characters', lengths, timings.lengths),
  ].join('\n\n')}\n`;
}

/** @param {import('./targets.js').Judged[]} judged */
export function targetTable(judged) {
  return table(
    ['target', 'at most', 'worst', '', 'where'],
    judged.map(({ name, limit, ratio, where }) => [
      name,
      limit.toFixed(2),
      ratio.toFixed(2),
      ratio <= limit ? 'met' : 'missed',
      where,
    ]),
  );
}

function machine() {
  const [{ model }] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ${date}.`;
}

const range = ({ low, high }) => `${low.toFixed(2)} – ${high.toFixed(2)}`;

function bodyTable(measured, bytes) {
  return table(
    ['', 'µs', 'ratio', 'range', 'bytes', 'less than ours'],
    measured.map(({ name, time, ratio, note }, index) => [
      name,
      time.toFixed(2),
      ratio.median.toFixed(2),
      range(ratio),
      bytes[index].toFixed(0),
      note,
    ]),
  );
}

function shapesTable(measured, later) {
  return table(
    ['', 'ratio', 'after all fixtures', 'range'],
    measured.map(({ name, ratio }, index) => [
      name,
      ratio.median.toFixed(2),
      later[index].ratio.median.toFixed(2),
      range(later[index].ratio),
    ]),
  );
}

function searchTable(searches) {
  return table(
    ['', 'floor, µs', 'JSON.parse', 'with the search', 'search ÷ floor'],
    searches.map((measured, index) => [
      searched[index].name,
      ...measured.map(({ time }) => time.toFixed(2)),
      searchCost(measured).toFixed(2),
    ]),
  );
}

function growthTable(unit, grown, sets) {
  return table(
    [
      unit,
      'bytes',
      'JSON.parse, µs',
      'ours, µs',
      'JSON.parse, ns a byte',
      'ours, ns a byte',
      'ratio',
    ],
    grown.map(({ name, bytes }, index) => [
      name,
      String(bytes),
      ...sets[index].map(({ time }) => time.toFixed(2)),
      ...sets[index].map(({ time }) => ((time * 1000) / bytes).toFixed(2)),
      sets[index][1].ratio.median.toFixed(2),
    ]),
  );
}

/**
 * A Markdown table, aligned so that it reads well in a terminal too: words to the left, figures to the
 * right.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const columns = head.map((_, index) => {
    const cells = rows.map((row) => row[index]);
    const width = Math.max(3, ...[head[index], ...cells].map(({ length }) => length));
    return { width, isFigure: index > 0 && cells.every((cell) => /^[\d. –]+$/.test(cell)) };
  });
  const rule = columns.map(({ width, isFigure }) =>
    isFigure ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  const pad = (cell, index) => {
    const { width, isFigure } = columns[index];
    return isFigure ? cell.padStart(width) : cell.padEnd(width);
  };
  return [head, rule, ...rows].map((row) => `| ${row.map(pad).join(' | ')} |`).join('\n');
}
