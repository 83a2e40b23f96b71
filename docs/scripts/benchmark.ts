// The table of the benchmark's figures for a deposit, from what `npm run bench` has written.
import { readFileSync } from 'node:fs';

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
