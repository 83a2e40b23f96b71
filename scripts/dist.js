// Whether dist has to be built again.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Everything that a build depends on. */
const SOURCES = ['src', 'fixtures', 'scripts', 'tsup.config.ts', 'tsconfig.json', 'package.json'];

/** Whether anything that a build depends on is newer than the oldest file of dist, or there is none. */
export function isDistOld() {
  const timeOf = (/** @type {string} */ path) => statSync(path).mtimeMs;
  const built = filesIn(join(ROOT, 'dist')).map(timeOf);
  const sources = SOURCES.flatMap((path) => filesIn(join(ROOT, path))).map(timeOf);
  return built.length === 0 || Math.min(...built) < Math.max(...sources);
}

/**
 * A path and, of a folder, all that is in it. The folders count: one is newer when a file has gone.
 *
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return [path, ...names.map((name) => join(path, name))];
}
