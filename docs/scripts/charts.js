// The benchmark's figures as pictures, for light and for dark, and as a table. Nothing here is written by
// hand: all of it comes from what `npm run bench` has written.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

const RESULTS = new URL('../../bench/RESULTS.md', import.meta.url);
const IMAGES = new URL('../images/', import.meta.url);
const GENERATED = new URL('../generated/', import.meta.url);

/** Those of which every candidate reads the same fields; the others are in the results. */
const BODIES = ['deposit', 'withdrawal, strings', 'withdrawal, numbers'];

const OURS = 'this package';
const SCHEMES = {
  light: { text: '#1f2328', grid: '#57606a', ours: '#1d4ed8', exact: '#5b8a72', lossy: '#9aa1ab' },
  dark: { text: '#e6edf3', grid: '#9aa4af', ours: '#7aa2ff', exact: '#7fc49d', lossy: '#6e7681' },
};

/** @typedef {{ name: string, ratio: number, kind: 'ours' | 'exact' | 'lossy' }} Row */

/** What was measured on which machine, and the rows of each body, fastest first. */
function readResults() {
  const text = readFileSync(RESULTS, 'utf8');
  const [, machine = ''] = /^# .*\n\n(.*)$/m.exec(text) ?? [];
  const bodies = [...text.matchAll(/^### (.*)\n\n((?:\|.*\n)+)/gm)].flatMap(
    ([, name = '', table = '']) => {
      const [head = [], , ...lines] = table
        .trim()
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim()));
      const column = head.indexOf('ratio');
      const rows = lines.map((cells) => toRow(cells[1] ?? '', Number(cells[column])));
      return [{ name, rows: rows.filter((row) => row !== null).sort((a, b) => a.ratio - b.ratio) }];
    },
  );
  const found = bodies.filter(({ name, rows }) => BODIES.includes(name) && rows.length > 0);
  if (machine === '' || found.length !== BODIES.length) {
    throw new Error(`RESULTS.md lacks the machine, or the table of one of: ${BODIES.join('; ')}`);
  }
  return { machine, bodies: found };
}

/** @param {string} label @param {number} ratio @returns {Row | null} */
function toRow(label, ratio) {
  if (!Number.isFinite(ratio) || label.startsWith('floor') || label.includes('bytes')) return null;
  if (label.startsWith('ours')) return { name: OURS, ratio, kind: 'ours' };
  return { name: label, ratio, kind: label.includes('lossless') ? 'exact' : 'lossy' };
}

/** @param {Row[]} rows @param {typeof SCHEMES.light} colours */
function draw(rows, colours) {
  const { document } = parseHTML('<html><body></body></html>');
  const svg = Plot.plot({
    document,
    width: 750,
    height: rows.length * 26 + 66,
    marginLeft: 290,
    marginRight: 48,
    marginTop: 8,
    marginBottom: 50,
    style: {
      color: colours.text,
      background: 'transparent',
      fontFamily: 'system-ui, sans-serif',
      fontSize: '13px',
    },
    x: {
      label: 'times JSON.parse and the construction of the Decimals; grey: digits are lost',
      labelArrow: 'none',
    },
    y: { label: null, domain: rows.map(({ name }) => name), tickSize: 0 },
    marks: [
      Plot.gridX({ stroke: colours.grid, strokeOpacity: 0.25 }),
      Plot.barX(rows, {
        x: 'ratio',
        y: 'name',
        fill: (/** @type {Row} */ { kind }) => colours[kind],
        rx: 2,
      }),
      Plot.text(rows, {
        x: 'ratio',
        y: 'name',
        text: (/** @type {Row} */ { ratio }) => ratio.toFixed(2),
        textAnchor: 'start',
        dx: 5,
        fill: colours.text,
      }),
      Plot.ruleX([1], { stroke: colours.text, strokeDasharray: '3,3' }),
    ],
  });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return `${svg.outerHTML.replaceAll('currentColor', colours.text)}\n`;
}

export function writeCharts() {
  mkdirSync(IMAGES, { recursive: true });
  const { machine, bodies } = readResults();
  const parts = bodies.map(({ name, rows }) => {
    const id = name.toLowerCase().replace(/\W+/g, '-');
    for (const [scheme, colours] of Object.entries(SCHEMES)) {
      writeFileSync(new URL(`time-${id}-${scheme}.svg`, IMAGES), draw(rows, colours));
    }
    const pictures = Object.keys(SCHEMES).map(
      (scheme) =>
        `<img class="only-${scheme}" src="./images/time-${id}-${scheme}.svg" alt="The table below as bars: times to read a ${name}">`,
    );
    const table = rows.map(
      ({ name: label, ratio, kind }) =>
        `| ${kind === 'ours' ? `**${label}**` : label} | ${ratio.toFixed(2)} | ${kind === 'lossy' ? 'no' : 'yes'} |`,
    );
    return [
      `## ${name[0]?.toUpperCase()}${name.slice(1)}`,
      pictures.join('\n'),
      `| | × floor | keeps all digits |\n| --- | ---: | --- |\n${table.join('\n')}`.replace(
        '| |',
        '| how |',
      ),
    ].join('\n\n');
  });
  const text = [`Measured on ${machine}`, ...parts].join('\n\n');
  writeFileSync(new URL('benchmark.md', GENERATED), `${text}\n`);
}
