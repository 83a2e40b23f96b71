// Whether the package has to be built again.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What a build writes. */
const BUILT = ['dist', 'schemas', 'inspector.html'];
/** What a build depends on. */
const SOURCES = [
  ...['src', 'inspector', 'fixtures', 'scripts'],
  ...['tsup.config.ts', 'tsconfig.json', 'package.json'],
];

/** Whether a built file is missing, or the oldest is older than the newest source. */
export function isBuildOld() {
  const timesOf = (/** @type {string} */ path) =>
    // A file may be removed meanwhile.
    filesIn(join(ROOT, path)).map((file) => timeOf(file) ?? 0);
  if (!BUILT.every((path) => existsSync(join(ROOT, path)))) return true;
  return Math.min(...BUILT.flatMap(timesOf)) < Math.max(...SOURCES.flatMap(timesOf));
}

/** @param {string} path */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * Lists a path and, if it is a folder, everything in it. The folder itself is needed, because
 * removing a file changes only its time.
 *
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return [path, ...names.map((name) => join(path, name))];
}
