// Builds the package into an empty dist, and fails if package.json names a file that isn't there then.
// With --if-older, only where dist is older than its sources.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { checkFiles, isOlder, ROOT, SOURCES } from './manifest.js';

if (!process.argv.includes('--if-older') || isOlder('dist', SOURCES)) {
  // Not by tsup's `clean`: its builds run at once, and each would remove what another has written.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  // tsup, and esbuild as soon as it is imported, take the current folder for the project's.
  process.chdir(ROOT);
  const { build } = await import('tsup');
  await build({ silent: process.argv.includes('--silent') });
}
// tsup sets it for some faults, which it has told of.
if (!process.exitCode) checkFiles();
