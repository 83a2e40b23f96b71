// What package.json promises, and how old the files are that keep the promise.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Everything that a build depends on. */
export const SOURCES = [
  'src',
  'schemas',
  'scripts',
  'tsup.config.ts',
  'tsconfig.json',
  'package.json',
];

/** Packed whether or not `files` lists them. */
const ALWAYS_PACKED = ['package.json', 'README.md', 'LICENSE'];

/** @returns {any} */
export function readManifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

/** The paths that `files` lists and npm adds, `docs/*.md` as the files that it stands for. */
export function packedPaths() {
  /** @type {string[]} */
  const listed = [...readManifest().files, ...ALWAYS_PACKED];
  return listed.flatMap((path) => {
    const [folder = '', end] = path.split('/*');
    if (end === undefined) return path;
    const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(end));
    return names.map((name) => `${folder}/${name}`);
  });
}

/** Every path that an importer, a compiler or a shell reaches by package.json; `*` stands for a name. */
export function namedPaths() {
  const { main, module, types, typesVersions, exports, bin } = readManifest();
  const named = new Set([main, module, types, typesVersions, exports, bin].flatMap(textsOf));
  return [...named].map((path) => path.replace(/^\.\//, ''));
}

/**
 * The texts in a value of package.json, however deep they are in it.
 *
 * @param {unknown} value
 * @returns {string[]}
 */
function textsOf(value) {
  if (typeof value === 'string') return [value];
  return value ? Object.values(value).flatMap(textsOf) : [];
}

/** Fails, naming every path that package.json promises and that would not be in the tarball. */
export function checkFiles() {
  const listed = packedPaths();
  const packed = listed.flatMap((path) => filesIn(join(ROOT, path)));
  const files = packed.map((file) => relative(ROOT, file).replaceAll('\\', '/'));
  const missing = [...new Set([...namedPaths(), ...listed])].filter(
    (path) => !files.some((file) => matches(file, path)),
  );
  if (missing.length === 0) return;
  throw new Error(`package.json names what is not there to be packed: ${missing.join(', ')}`);
}

/**
 * @param {string} file
 * @param {string} path One of {@link namedPaths}.
 */
export function matches(file, path) {
  const [start = '', end] = path.split('*');
  return end === undefined ? file === path : file.startsWith(start) && file.endsWith(end);
}

/**
 * Whether the oldest file of a target is older than the newest of its sources, or isn't there at all.
 *
 * @param {string} target
 * @param {string[]} sources
 */
export function isOlder(target, sources) {
  const targets = filesIn(join(ROOT, target)).map(timeOf);
  const newest = sources.flatMap((source) => filesIn(join(ROOT, source))).map(timeOf);
  return targets.length === 0 || Math.min(...targets) < Math.max(...newest);
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

/** @param {string} path */
function timeOf(path) {
  return statSync(path).mtimeMs;
}
