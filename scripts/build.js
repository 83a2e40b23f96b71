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
  exportWhereDeclared();
  for (const file of readdirSync('dist').filter((name) => name.endsWith('.d.cts'))) {
    if (existsSync(join('dist', file.replace('.d.cts', '.js')))) shareDeclarations(file);
  }
  const { tsImport } = await import('tsx/esm/api');
  const { writeInspector } = await tsImport('./inspector.ts', import.meta.url);
  await writeInspector();
}

/**
 * Moves the declarations of `index` to a file that exports its functions where they are declared.
 * Otherwise, editors look only at the first of their signatures, which is deprecated, and strike
 * through every import.
 */
function exportWhereDeclared() {
  const text = readFileSync('dist/index.d.cts', 'utf8');
  const functions = [...text.matchAll(/^declare function (\w+)/gm)].map(([, name]) => name);
  const declared = text
    .replace(/^declare function/gm, 'export declare function')
    .replace(/^export \{ (.+) \};/gm, (_, list) => {
      const others = list
        .split(', ')
        .filter((/** @type {string} */ name) => !functions.includes(name));
      return `export { ${others.join(', ')} };`;
    });
  writeFileSync('dist/parse.d.cts', declared);
  writeFileSync('dist/index.d.cts', `export { ${namesIn(text)} } from './parse.cjs';\n`);
}

/**
 * Lets the declarations for `import` be those for `require`, which may be imported from both. A
 * second copy would be a tenth of the tarball.
 *
 * @param {string} file
 */
function shareDeclarations(file) {
  const names = namesIn(readFileSync(`dist/${file}`, 'utf8'));
  const text = `export { ${names} } from './${file.replace('.d.cts', '.cjs')}';\n`;
  writeFileSync(`dist/${file.replace('.d.cts', '.d.ts')}`, text);
}

/** The names that declarations export, as a list. @param {string} text */
function namesIn(text) {
  const lists = [...text.matchAll(/^export \{ (.+) \}/gm)].map(([, list]) => list);
  return lists.join(', ').replace(/\w+ as /g, '');
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
