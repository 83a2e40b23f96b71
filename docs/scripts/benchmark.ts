// The benchmark's figures of a deposit, as a table and as a picture, from what `npm run bench` has written.
import { readFileSync } from 'node:fs';

export const CHART = 'docs/images/time-deposit.svg';

const OURS = 'this package';

interface Row {
  readonly name: string;
  readonly ratio: number;
  readonly keepsDigits: boolean;
}

const results = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');

/** The candidates for a deposit, the fastest first. */
function readRows(): Row[] {
  const [, table = ''] = /^### deposit\n\n((?:\|.*\n)+)/m.exec(results) ?? [];
  const [head = [], , ...lines] = table
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const column = head.indexOf('ratio');
  const rows = lines.flatMap((cells) => toRow(cells[1] ?? '', Number(cells[column])));
  if (rows.length === 0) throw new Error('RESULTS.md has no ratios of a deposit');
  return rows.sort((a, b) => a.ratio - b.ratio);
}

function toRow(name: string, ratio: number): Row[] {
  if (!Number.isFinite(ratio) || name.startsWith('floor') || name.includes('bytes')) return [];
  if (name.startsWith('ours')) return [{ name: OURS, ratio, keepsDigits: true }];
  return [{ name, ratio, keepsDigits: name.includes('lossless') }];
}

export function benchmarkTable(): string {
  const [, machine = ''] = /^# .*\n\n(.*)$/m.exec(results) ?? [];
  const lines = readRows().map(({ name, ratio, keepsDigits }) => {
    const label = name === OURS ? `**${name}**` : name;
    return `| ${label} | ${ratio.toFixed(2)} | ${keepsDigits ? 'yes' : 'no'} |`;
  });
  const head = '| a deposit with | × floor | keeps all digits |\n| --- | ---: | --- |';
  return `${head}\n${lines.join('\n')}\n\nMeasured on ${machine}`;
}

const WIDTH = 440;
const LINE = 38;
const TOP = 62;
const BAR_START = 16;
const BAR_WIDTH = WIDTH - BAR_START - 64;

/**
 * A picture with its own background, as narrow as a telephone: each name is above its bar, so that the text
 * can be large.
 */
export function drawChart(): string {
  const rows = readRows();
  const largest = Math.max(...rows.map(({ ratio }) => ratio));
  const height = TOP + rows.length * LINE + 12;
  const x = (ratio: number) => Math.round(BAR_START + (ratio / largest) * BAR_WIDTH);
  const bars = rows.map(({ name, ratio, keepsDigits }, index) => {
    const y = TOP + index * LINE;
    const fill = name === OURS ? '#1d4ed8' : keepsDigits ? '#5b8a72' : '#9aa1ab';
    const weight = name === OURS ? ' font-weight="700"' : '';
    const note = keepsDigits ? '' : ' (loses digits)';
    return `<text x="${BAR_START}" y="${y + 13}"${weight}>${name}${note}</text>
<rect x="${BAR_START}" y="${y + 18}" width="${x(ratio) - BAR_START}" height="12" rx="2" fill="${fill}"/>
<text x="${x(ratio) + 6}" y="${y + 29}"${weight}>${ratio.toFixed(2)}</text>`;
  });
  const title = 'Time to read a deposit';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="14" fill="#1f2328" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
<text x="${BAR_START}" y="28" font-size="16" font-weight="700">${title}</text>
<text x="${BAR_START}" y="48" fill="#57606a">JSON.parse and a new Decimal of each amount = 1</text>
${bars.join('\n')}
</svg>
`;
}
