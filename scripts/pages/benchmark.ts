// The table of docs/benchmark.md, from what `npm run bench` has written.
import { readFileSync } from 'node:fs';

const RESULTS = new URL('../../bench/RESULTS.md', import.meta.url);

/** The rows of RESULTS.md that are columns here. */
const CASES = ['deposit', 'deposit, 18 decimals'];

export function benchmarkTable(): string {
  const results = readFileSync(RESULTS, 'utf8');
  const rows = [...results.matchAll(/^\|(.*)\|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  const names = rows.find(([, base]) => base?.startsWith('floor'));
  const columns = CASES.map((name) => rows.find(([first]) => first === name));
  const [, machine] = /^# .*\n\n(.*)$/m.exec(results) ?? [];
  if (names === undefined || columns.includes(undefined)) throw new Error('RESULTS.md: no deposit');
  const lines = names.flatMap((name, at) => {
    if (at < 2 || name.includes('bytes')) return [];
    const label = name === 'ours' ? '**this package**' : name;
    return `| ${[label, ...columns.map((cells) => cells?.[at])].join(' | ')} |`;
  });
  const head = '| × floor | a deposit | with 18 decimals in each amount |\n| --- | ---: | ---: |';
  return `${head}\n${lines.join('\n')}\n\nMeasured on ${machine}`;
}
