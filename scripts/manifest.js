// package.json, and the files that a build and a release are made of.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The one tarball that is tested and published: no test and no workflow packs another. */
export const TARBALL = 'pack/payment-notifications.tgz';

/** Everything that a build depends on. */
const SOURCES = ['src', 'fixtures', 'scripts', 'tsup.config.ts', 'tsconfig.json', 'package.json'];

/** @returns {any} */
export function readManifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

/** The paths that go into the tarball: those that `files` lists, with `docs/*.md` resolved, and those that npm adds. */
export function packedPaths() {
  /** @type {string[]} */
  const listed = [...readManifest().files, 'package.json', 'README.md', 'LICENSE'];
  return listed.flatMap((path) => {
    const [folder = '', end] = path.split('/*');
    if (end === undefined) return path;
    const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(end));
    return names.map((name) => `${folder}/${name}`);
  });
}

/** @param {'sha256' | 'sha512'} algorithm @param {'hex' | 'base64'} encoding */
export function sumOfTarball(algorithm, encoding) {
  const tarball = readFileSync(join(ROOT, TARBALL));
  return createHash(algorithm).update(tarball).digest(encoding);
}

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
export function filesIn(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return [path, ...names.map((name) => join(path, name))];
}
