import { expect, test } from 'vitest';
import { answers, endpoint } from '../endpoint.js';
import { deposit } from '../sample-bodies.js';
import { command } from './terminal.js';

/** A clock that is this much later each time that it is asked. */
function clock(step: number): () => number {
  let time = 0;
  return () => {
    time += step;
    return time - step;
  };
}

/** Standard output and standard error of one terminal, in the order in which they are written. */
async function onTerminal(args: string[], step: number, stdin: string, showsProgress = true) {
  const written: string[] = [];
  const print = (text: string) => void written.push(text);
  const warn = (text: string) => void written.push(`<${text}>`);
  await command(args, { stdin, showsProgress, now: clock(step), print, warn });
  return written.map((text) => (text.startsWith('<') ? text : text.slice(0, 8)));
}

const lines = [deposit(), '{}', deposit()].join('\n');

test('after a second, a line says how many were inspected, and is cleared at the end', async () => {
  const shown = [1, 2, 3].map(
    (count) => `<\r${count} inspected, 1 a second, ${count === 1 ? 0 : 1} refused>`,
  );
  const cleared = expect.stringMatching(/^<\r {34}\r>$/);
  expect(await onTerminal(['inspect', '--quiet'], 1000, lines)).toStrictEqual([
    ...[shown[0], shown[1], cleared, '✗ standa'],
    ...[shown[2], cleared, '\n3 bodie'],
  ]);
});

test.each<[what: string, step: number, showsProgress: boolean, shown: number]>([
  ['within a second', 333, true, 0],
  ['every 200 ms after that', 100, true, 2],
  ['nowhere but on a terminal', 1000, false, 0],
])('it is shown %s', async (_, step, showsProgress, shown) => {
  const stdin = Array(step === 100 ? 12 : 3)
    .fill('{}')
    .join('\n');
  const written = await onTerminal(['inspect'], step, stdin, showsProgress);
  expect(written.filter((text) => text.includes('a second'))).toHaveLength(shown);
});

test('a shorter line covers a longer one', async () => {
  const times = [...Array(10).fill(0), 1000, 1_000_000];
  const written: string[] = [];
  const warn = (text: string) => void written.push(text);
  const now = () => times.shift() ?? 0;
  const stdin = `${deposit()}\n`.repeat(11);
  await command(['inspect', '--quiet'], { stdin, showsProgress: true, now, warn });
  expect(written.slice(0, 2)).toStrictEqual([
    '\r10 inspected, 10 a second, 0 refused',
    '\r11 inspected, 0 a second, 0 refused ',
  ]);
});

test('send counts what was sent and what failed, and clears the line before each answer', async () => {
  await using merchant = await endpoint(answers(500));
  const written = await onTerminal(['send', '-', '--to', merchant.url], 2000, lines);
  expect(written).toStrictEqual([
    ...['POST htt', '  ✗ 500 ', '<\r1 sent, 1 a second, 1 failed>'],
    ...[expect.stringMatching(/^<\r *\r>$/), '  ✗ 500 ', '<\r2 sent, 1 a second, 2 failed>'],
    ...[expect.stringMatching(/^<\r *\r>$/), '  ✗ 500 ', '<\r3 sent, 1 a second, 3 failed>'],
    ...[expect.stringMatching(/^<\r *\r>$/), '0 of 2 d'],
  ]);
});
