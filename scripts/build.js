// Builds the package into an empty dist, and writes the inspector. With --if-older, it does so only
// if a source is newer.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const BUILT = ['dist', 'inspector.html'];
const SOURCES = [
  ...['src', 'inspector', 'fixtures', 'scripts'],
  ...['tsup.config.ts', 'tsconfig.json', 'package.json'],
];

// tsup and esbuild take the current folder for the project's, esbuild as soon as it is imported.
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

if (!process.argv.includes('--if-older') || isBuildOld()) {
  // tsup's builds run at the same time: with its `clean`, each would remove what another has
  // written.
  rmSync('dist', { recursive: true, force: true });
  const { build } = await import('tsup');
  await build({ silent: process.argv.includes('--silent') });
  rmSync('dist/chunks', { recursive: true });
  exportWhereDeclared('d.ts', 'js');
  exportWhereDeclared('d.cts', 'cjs');
  const { tsImport } = await import('tsx/esm/api');
  const { writeInspector } = await tsImport('./inspector.ts', import.meta.url);
  await writeInspector();
}

/**
 * Moves the declarations of `index` to a file that exports its functions where they are declared.
 * Otherwise, editors look only at the first of their signatures, which is deprecated, and strike
 * through every import.
 *
 * @param {string} types The ending of the declarations.
 * @param {string} script The ending of the code.
 */
function exportWhereDeclared(types, script) {
  const text = readFileSync(`dist/index.${types}`, 'utf8');
  const functions = [...text.matchAll(/^declare function (\w+)/gm)].map(([, name]) => name);
  const lists = [...text.matchAll(/^export \{ (.+) \}/gm)].map(([, list]) => list);
  const names = lists.flatMap((list) => `${list}`.replace(/\w+ as /g, '').split(', '));
  const others = (/** @type {string} */ list) =>
    list.split(', ').filter((name) => !functions.includes(name));
  const declared = text
    .replace(/^declare function/gm, 'export declare function')
    .replace(/^export \{ (.+) \};/gm, (_, list) => `export { ${others(list).join(', ')} };`);
  writeFileSync(`dist/parse.${types}`, declared);
  writeFileSync(
    `dist/index.${types}`,
    `export { ${names.join(', ')} } from './parse.${script}';\n`,
  );
}

/** Whether a built file is missing, or the oldest is older than the newest source. */
function isBuildOld() {
  if (!BUILT.every((path) => existsSync(path))) return true;
  // A file may be removed meanwhile.
  const timesOf = (/** @type {string} */ path) =>
    filesIn(path).map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.min(...BUILT.flatMap(timesOf)) < Math.max(...SOURCES.flatMap(timesOf));
}

/**
 * Lists a path and, if it is a folder, everything in it. The folder itself is needed, because
 * removing a file changes only its time.
 *
 * @param {string} path
 */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return [path, ...names.map((name) => join(path, name))];
}
