// Writes the schemas, builds the package into an empty dist, and writes the inspector. With
// --if-older, only if a source is newer.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isBuildOld, ROOT } from './dist.js';

if (!process.argv.includes('--if-older') || isBuildOld()) {
  // tsup's builds run at the same time: with its `clean`, each would remove what another has
  // written.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  // tsup and esbuild take the current folder for the project's, esbuild as soon as it is imported.
  process.chdir(ROOT);
  const { tsImport } = await import('tsx/esm/api');
  const { default: writeSchemas } = await tsImport('./schemas/write.ts', import.meta.url);
  writeSchemas();
  const { build } = await import('tsup');
  await build({ silent: process.argv.includes('--silent') });
  rmSync(join(ROOT, 'dist/chunks'), { recursive: true });
  const { writeInspector } = await tsImport('./inspector.ts', import.meta.url);
  await writeInspector();
}
