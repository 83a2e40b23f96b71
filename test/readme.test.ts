import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const README = readFileSync(new URL('README.md', ROOT), 'utf8');
const sourceOf = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');
const scriptsIn = (folder: string) =>
  readdirSync(new URL(folder, ROOT)).map((file) => `${folder}/${file}`);

test('the README is short enough to be read', () => {
  expect(new TextEncoder().encode(README).length).toBeLessThanOrEqual(10_000);
});

test('the snippets of the README are files that are run, here and in the examples', () => {
  const snippets = [...README.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, text]) => text);
  const files = [...scriptsIn('test/readme'), 'examples/start/server.mjs'];
  expect(snippets.sort()).toStrictEqual(files.map(sourceOf).sort());
});

test('the page of handlers shows that of every framework', () => {
  const page = sourceOf('docs/handlers.md');
  const handlers = readdirSync(new URL('examples/frameworks', ROOT), {
    recursive: true,
    encoding: 'utf8',
  }).filter((file) =>
    /^(?!.*(node_modules|\.next\/|config|bundle|next-env|next\/merchant)).*\.[jt]s$/.test(file),
  );
  expect(handlers).toContain('next/app/callbacks/route.ts');
  for (const file of handlers) expect(page).toContain(`<<< ../examples/frameworks/${file}`);
});

describe.each([...scriptsIn('test/readme'), ...scriptsIn('docs/snippets')])('%s', (file) => {
  afterEach(() => vi.restoreAllMocks());

  test('prints what its comments say', async () => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((value) => {
      printed.push(typeof value === 'string' ? value : inspect(value));
    });
    vi.spyOn(console, 'info').mockImplementation(() => {});
    await import(fileURLToPath(new URL(file, ROOT)));
    const promised = [...sourceOf(file).matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(
      ([, output]) => output,
    );
    expect(promised.length).toBeGreaterThan(1);
    expect(printed).toStrictEqual(promised);
  });
});
