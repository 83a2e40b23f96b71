import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

const SRC = new URL('../src/', import.meta.url);
const CONTRIBUTING = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8');

/** What each file of src imports, by the paths inside src. */
const imports = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(new URL(path, SRC), 'utf8');
      const found = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, to = '']) =>
        posix.join(posix.dirname(path), `${to}.ts`),
      );
      return [path, found] as const;
    }),
);

test('no file imports itself by way of others', () => {
  const finished = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    expect(way).not.toContain(file);
    if (finished.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(finished.size).toBeGreaterThan(40);
});

test('the picture of the modules shows all of them, each above whatever it imports', () => {
  const rows = picture('modules').map((line) => line.split(/ {4,}/)[0]?.split(/ +/) ?? []);
  const rowOf = (path: string) => {
    const names = [path.replace(/\.ts$/, ''), path.replace(/[^/]*$/, '')];
    const found = rows.flatMap((row, index) =>
      names.some((name) => row.includes(name)) ? [index] : [],
    );
    expect(found, path).toHaveLength(1);
    return Number(found[0]);
  };
  for (const [file, imported] of imports) {
    for (const other of imported) {
      const isNeighbour = file.includes('/') && posix.dirname(file) === posix.dirname(other);
      if (!isNeighbour || file.startsWith('internal/')) {
        expect(rowOf(other), `${file} imports ${other}`).toBeGreaterThan(rowOf(file));
      }
    }
  }
  const paths = [...imports.keys()];
  for (const name of rows.flat()) {
    const isThere = paths.some((path) =>
      name.endsWith('/') ? path.startsWith(name) : path === `${name}.ts`,
    );
    expect(isThere, name).toBe(true);
  }
});

test("the picture of a body's way follows calls from file to file", () => {
  const steps = picture('way').flatMap((line) => {
    const [, name, file] = /^│ +(\w+) +(\S+)/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, file: `${file}.ts` }];
  });
  expect(steps.length).toBeGreaterThan(4);
  const reached = new Set(['parse.ts']);
  for (const { name, file } of steps) {
    const text = readFileSync(new URL(file, SRC), 'utf8');
    expect(text).toMatch(new RegExp(`^export (function|const) ${name}\\b`, 'm'));
    expect(
      [...reached].some((from) => imports.get(from)?.includes(file)),
      file,
    ).toBe(true);
    reached.add(file);
  }
});

/** The lines of the text block behind a mark in CONTRIBUTING.md. */
function picture(mark: string): string[] {
  const [, text = ''] =
    new RegExp(`<!-- ${mark} -->\\n\\n\`\`\`text\\n(.*?)\\n\`\`\``, 's').exec(CONTRIBUTING) ?? [];
  return text.split('\n');
}
