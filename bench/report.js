// RESULTS.md, made of what results.json holds.

const INTRODUCTION = `Written by \`npm run bench\`. Each case is 2,000 bodies, each with digits of its own: a repeated body would
keep the text of its numbers in the engine's cache, which no real traffic has. All candidates run in one
process, in turns of half a millisecond, round after round; a process gives the median of its rounds, and of
its rounds' ratios to the first row of a table. The whole is repeated in 7 fresh processes, because the
compiler's decisions differ: the figure is the median process, the range its lowest and its highest. A time is
CPU time for one parse. Bytes are what one parse allocates: how far the heap grows over 200 parses without a collection.
Only ratios can be compared between machines.`;

const PEERS = `The peers stand for what their users write: the same fields, checked by the same rules; amounts become the same
Decimals, times dates, the address is split, and a field that nothing hangs on becomes null where it is
unreadable. TypeBox compiles checks only, so its users map the fields by hand. "Written by hand" uses no
library. With lossless-json, numbers come as LosslessNumbers. No peer gives warnings; whatever else one does
less than ours is said in the last column.`;

const FIXTURES = `How the peers take the fixtures that ours reads. Among those are a byte-order mark, repeated fields, numbers with
more digits than a double carries, and fields that are unreadable.`;

const MANY_SHAPES = `The tables above show code that has only seen bodies with the same fields in the same order, which suits those
who read a field by its name in the source. The first table again, after all have read every fixture, with
fields left out and added.`;

const GROWTH = "One body each: here the numbers' text may come from the cache.";

/** @param {import('./run.js').Results} results */
export function report({ machine, targets, cases, manyShapes, onFixtures, growth }) {
  const { cpu, cores, node, date } = machine;
  return `${[
    '# Benchmark results',
    `${cpu}, ${cores} cores, Node ${node}, ${date}.`,
    INTRODUCTION,
    '## Targets',
    targetTable(targets),
    '## Bodies',
    PEERS,
    ...cases.flatMap(({ name, rows }) => [`### ${name}`, caseTable(rows)]),
    '## Other bodies',
    FIXTURES,
    table(
      ['', 'fixtures', 'refused', 'read with a loss'],
      onFixtures.map(({ name, fixtures, refused, readOtherwise }) =>
        [name, fixtures, refused, readOtherwise].map(String),
      ),
    ),
    '## Bodies of many shapes',
    MANY_SHAPES,
    table(
      ['', 'ratio', 'after all fixtures', 'range'],
      manyShapes.map(({ name, ratio }, index) => [
        name,
        cases[0].rows[index].ratio.median.toFixed(2),
        ratio.median.toFixed(2),
        range(ratio),
      ]),
    ),
    '## Growth',
    GROWTH,
    table(
      ['deposit with', 'bytes', 'JSON.parse, µs', 'ours, µs', 'ours, ns a byte', 'ratio'],
      growth.map(({ what, bytes, rows: [native, ours] }) => [
        what,
        String(bytes),
        native.time.toFixed(2),
        ours.time.toFixed(2),
        ((ours.time * 1000) / bytes).toFixed(2),
        ours.ratio.median.toFixed(2),
      ]),
    ),
  ].join('\n\n')}\n`;
}

/** @param {import('./targets.js').Judged[]} targets */
export function targetTable(targets) {
  return table(
    ['target', 'at most', 'worst', '', 'where'],
    targets.map(({ name, limit, ratio, where }) => [
      name,
      limit.toFixed(2),
      ratio.toFixed(2),
      ratio <= limit ? 'met' : 'missed',
      where,
    ]),
  );
}

function caseTable(rows) {
  return table(
    ['', 'µs', 'ratio', 'range', 'bytes', 'less than ours'],
    rows.map(({ name, time, ratio, bytes, note }) => [
      name,
      time.toFixed(2),
      ratio.median.toFixed(2),
      range(ratio),
      String(bytes),
      note,
    ]),
  );
}

function range({ low, high }) {
  return `${low.toFixed(2)} – ${high.toFixed(2)}`;
}

/**
 * A Markdown table, aligned so that it reads well in a terminal too: words to the left, figures to the
 * right.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const columns = head.map((title, index) => {
    const cells = rows.map((row) => row[index]);
    const width = Math.max(3, ...[title, ...cells].map(({ length }) => length));
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
