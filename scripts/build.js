// Writes the schemas, and builds the package into an empty dist. With --if-older, only where dist is older than its sources.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isDistOld, ROOT } from './manifest.js';

if (!process.argv.includes('--if-older') || isDistOld()) {
  // Not by tsup's `clean`: its builds run at once, and each would remove what another has written.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  // tsup, and esbuild as soon as it is imported, take the current folder for the project's.
  process.chdir(ROOT);
  const { tsImport } = await import('tsx/esm/api');
  const { default: writeSchemas } = await tsImport('./schemas/write.ts', import.meta.url);
  writeSchemas();
  const { build } = await import('tsup');
  await build({ silent: process.argv.includes('--silent') });
}
