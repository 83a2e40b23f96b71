import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

const SRC = new URL('../src/', import.meta.url);

/** The files of src that a file of src imports, types included, by their paths in it. */
function importsOf(path: string): string[] {
  const text = readFileSync(new URL(path, SRC), 'utf8');
  return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)\.js'/g)].map(([, to = '']) =>
    posix.join(posix.dirname(path), `${to}.ts`),
  );
}

test('imports point one way: no file imports itself by way of others', () => {
  const finished = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    expect(way).not.toContain(path);
    if (finished.has(path)) return;
    for (const next of importsOf(path)) visit(next, [...way, path]);
    finished.add(path);
  };
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  for (const path of files) if (path.endsWith('.ts')) visit(path.replaceAll('\\', '/'), []);
  expect(finished.size).toBeGreaterThan(20);
});
