import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test, vi } from 'vitest';
import { faultyBody } from './readme/bodies.js';
import { errorOf } from './wire.js';

const FOLDER = new URL('./readme/', import.meta.url);
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const FRAMEWORKS = new URL('../examples/frameworks/', import.meta.url);
/** What snippets import. */
const SUPPORT = ['bodies.ts', 'merchant.ts', 'server.ts'];
const files = readdirSync(FOLDER).filter((file) => !SUPPORT.includes(file));
const sourceOf = (file: string, folder = FOLDER) => readFileSync(new URL(file, folder), 'utf8');

test('the snippets of the README are files that are run, here and in the examples', () => {
  const snippets = [...README.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, text]) => text);
  const shown = [
    'express.js',
    'fastify.js',
    'hono.js',
    'next/app/callbacks/route.ts',
    'merchant.js',
  ];
  const sources = [
    ...files.map((file) => sourceOf(file)),
    ...shown.map((file) => sourceOf(file, FRAMEWORKS)),
  ];
  expect(snippets.sort()).toStrictEqual(sources.sort());
});

test('the README leads to the handler of every framework', () => {
  const handlers = readdirSync(FRAMEWORKS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!.*(node_modules|\.next\/|config|bundle|next-env)).*\.[jt]s$/.test(file),
  );
  expect(handlers).toContain('next/app/callbacks/route.ts');
  for (const file of handlers) expect(README).toContain(`](examples/frameworks/${file})`);
});

test('the message in the README is the one that is thrown', () => {
  const [, message = ''] = /^```text\n(deposit.received refused: .*)\n```$/m.exec(README) ?? [];
  expect(errorOf(safeParseDepositReceived(faultyBody)).message).toBe(message);
});

const SCRIPTS = ['problem.ts', 'use.ts', 'amounts.ts', 'errors.ts', 'schemas.ts', 'testing.ts'];

describe.each(SCRIPTS)('%s', (file) => {
  test('prints what its comments say', async () => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((value) => {
      printed.push(typeof value === 'string' ? value : inspect(value));
    });
    vi.spyOn(console, 'info').mockImplementation(() => {});
    await import(fileURLToPath(new URL(file, FOLDER)));
    const promised = [...sourceOf(file).matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)];
    expect(promised.length).toBeGreaterThan(1);
    expect(printed).toStrictEqual(promised.map(([, output]) => output));
    vi.restoreAllMocks();
  });
});
