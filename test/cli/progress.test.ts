import { expect, test } from 'vitest';
import { endpoint } from '../endpoint.js';
import { deposit } from '../sample-bodies.js';
import { command } from './terminal.js';

const THREE = [deposit(), '{}', deposit()].join('\n');

/**
 * What a terminal gets, in order: the start of what is printed, and in angle brackets what is
 * written to standard error. `times` are those of a clock, each time that it is asked.
 */
async function onTerminal(line: string, times: number[], stdin: string, showsProgress = true) {
  const written: string[] = [];
  const print = (text: string) => void written.push(text.slice(0, 8));
  const warn = (text: string) => void written.push(`<${text}>`);
  const now = () => times.shift() ?? Number.NaN;
  await command(line, { stdin, showsProgress, now, print, warn });
  return written;
}
const every = (milliseconds: number) =>
  Array.from({ length: 20 }, (_, n) => 5000 + n * milliseconds);
const cleared = expect.stringMatching(/^<\r *\r>$/);

test('after a second, a line says how many were inspected, and is cleared at the end', async () => {
  expect(await onTerminal('inspect --quiet', every(1000), THREE)).toStrictEqual([
    ...['<\r1 inspected, 1 a second, 0 refused>', '<\r2 inspected, 1 a second, 1 refused>'],
    ...[`<\r${' '.repeat(34)}\r>`, '✗ standa', '<\r3 inspected, 1 a second, 1 refused>'],
    ...[cleared, '\n3 bodie'],
  ]);
});

test.each<[what: string, times: number[], bodies: number, showsProgress: boolean, shown: number]>([
  ['within a second', every(333), 3, true, 0],
  ['every 200 ms after that', every(100), 12, true, 2],
  ['nowhere but on a terminal', every(1000), 3, false, 0],
])('it is shown %s', async (_, times, bodies, showsProgress, shown) => {
  const written = await onTerminal('inspect', times, '{}\n'.repeat(bodies), showsProgress);
  expect(written.filter((text) => text.includes('a second'))).toHaveLength(shown);
});

test('a shorter line covers a longer one', async () => {
  const times = [...Array(10).fill(0), 1000, 1_000_000];
  const written = await onTerminal('inspect --quiet', times, `${deposit()}\n`.repeat(11));
  expect(written.slice(0, 2)).toStrictEqual([
    '<\r10 inspected, 10 a second, 0 refused>',
    '<\r11 inspected, 0 a second, 0 refused >',
  ]);
});

test('send counts what was sent and what failed, and clears the line before each answer', async () => {
  await using merchant = await endpoint((response, _, n) => {
    response.writeHead([0, 200, 400, 500, 500][n] ?? 0).end();
  });
  const line = `send - --to ${merchant.url}`;
  expect(await onTerminal(line, every(2000), `${THREE}\n{}`)).toStrictEqual([
    'POST htt',
    ...['<\r1 sent, 1 a second, 0 failed>', '<\r2 sent, 1 a second, 0 failed>'],
    ...[cleared, '  ✗ 500 ', '<\r3 sent, 1 a second, 1 failed>'],
    ...[cleared, '  ✗ 500 ', '<\r4 sent, 1 a second, 2 failed>', cleared, '1 of 2 d'],
  ]);
});
