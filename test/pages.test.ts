import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { filledFiles } from '../docs/scripts/fill.js';

const ROOT = new URL('../', import.meta.url);
const sourceOf = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');
const scriptsIn = (folder: string) =>
  readdirSync(new URL(folder, ROOT)).map((file) => `${folder}/${file}`);

test('the README and the pages show snippets and tables as their sources are', async () => {
  for (const [file, text] of await filledFiles()) {
    expect(sourceOf(file), `${file} is stale: npx tsx docs/scripts/fill.ts`).toBe(text);
  }
});

test.each(['README.md', 'skills/payment-notifications/SKILL.md'])(
  'every block of TypeScript and JavaScript in %s is a file that is run',
  (page) => {
    const [blocks, filled] = [/^```(?:ts|js)$/gm, /^<!-- fill: file .*\.(?:ts|m?js)/gm].map(
      (pattern) => sourceOf(page).match(pattern)?.length,
    );
    expect(blocks).toBe(filled);
  },
);

test('the page of handlers shows that of every framework', () => {
  const page = sourceOf('docs/handlers.md');
  const handlers = readdirSync(new URL('examples/frameworks', ROOT), {
    recursive: true,
    encoding: 'utf8',
  }).filter((file) =>
    /^(?!.*(node_modules|\.next\/|config|bundle|next-env|next\/merchant)).*\.[jt]s$/.test(file),
  );
  expect(handlers).toContain('next/app/callbacks/route.ts');
  for (const file of handlers) expect(page).toContain(`fill: file ../examples/frameworks/${file}`);
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
