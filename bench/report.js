import { cpus } from 'node:os';
import { searchCost } from './look-ahead.js';

const INTRODUCTION = `Written by \`npm run bench\`. All candidates run in one process, in turns of a millisecond, round after
round. A time is the median of the rounds, for one parse. A ratio is the median of the rounds' own ratios
to the first row of its table; half of the rounds lie within the quartiles. Bytes are what one parse
allocates: how far the heap grows over 200 parses without a collection. Only ratios can be compared
between machines.`;

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
 * @param {object} results
 * @param {import('./run.js').Timings} results.timings
 * @param {import('./targets.js').Judged[]} results.judged
 * @param {import('./measure.js').Measured[]} results.manyShapes The first body once more, later.
 * @param {{ sizes: Grown[], lengths: Grown[] }} results.growth
 * @param {number[][]} results.memory Bytes of each candidate on each body.
 *
 * @typedef {object} Grown
 * @property {string} name
 * @property {number} bytes Of the body.
 * @property {import('./measure.js').Measured[]} measured JSON.parse and ours.
 */
export function report({ timings, judged, manyShapes, growth, memory }) {
  return `${[
    '# Benchmark results',
    machine(),
    INTRODUCTION,
    '## Targets',
    targetTable(judged),
    '## Bodies',
    PEERS,
    ...timings.parses.flatMap((timed, index) => [
      `### ${timed.body.name}`,
      bodyTable(timed, memory[index]),
    ]),
    '## Bodies of many shapes',
    MANY_SHAPES,
    shapesTable(timings.parses[0], manyShapes),
    '## Search for long literals',
    'What it costs to look for numbers that a double may not carry, on bodies without one.',
    searchTable(timings.searches),
    '## Growth',
    'A deposit filled up with unknown fields, 32 characters each. 64 KiB is the most that is read.',
    growthTable('body', growth.sizes),
    'A deposit whose 8 numbers are so many characters long. From 16 on, the exact reader takes over.',
    growthTable('characters', growth.lengths),
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

const quartiles = ({ low, high }) => `${low.toFixed(2)} – ${high.toFixed(2)}`;

function bodyTable({ measured }, bytes) {
  return table(
    ['', 'µs', 'ratio', 'quartiles', 'bytes', 'less than ours'],
    measured.map(({ name, time, ratio, note }, index) => [
      name,
      time.toFixed(2),
      ratio.median.toFixed(2),
      quartiles(ratio),
      bytes[index].toFixed(0),
      note,
    ]),
  );
}

function shapesTable({ measured }, later) {
  return table(
    ['', 'ratio', 'after all fixtures', 'quartiles'],
    measured.map(({ name, ratio }, index) => [
      name,
      ratio.median.toFixed(2),
      later[index].ratio.median.toFixed(2),
      quartiles(later[index].ratio),
    ]),
  );
}

function searchTable(searches) {
  return table(
    ['', 'floor, µs', 'JSON.parse', 'with the search', 'search ÷ floor'],
    searches.map(({ body, measured }) => [
      body.name,
      ...measured.map(({ time }) => time.toFixed(2)),
      searchCost(measured).toFixed(2),
    ]),
  );
}

/** @param {Grown[]} rows */
function growthTable(unit, rows) {
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
    rows.map(({ name, bytes, measured }) => [
      name,
      String(bytes),
      ...measured.map(({ time }) => time.toFixed(2)),
      ...measured.map(({ time }) => ((time * 1000) / bytes).toFixed(2)),
      measured[1].ratio.median.toFixed(2),
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
