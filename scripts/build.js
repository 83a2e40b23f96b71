// Builds the package into an empty dist, and writes the inspector. With --if-older, it does so only
// if a source is newer.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
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
  const { tsImport } = await import('tsx/esm/api');
  const { writeInspector } = await tsImport('./inspector.ts', import.meta.url);
  await writeInspector();
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
