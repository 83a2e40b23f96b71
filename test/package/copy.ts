import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { packedPaths } from '../../scripts/manifest.js';
import { ROOT } from './pack.js';

/** A copy of all that a build needs, and the fixtures, inside the project: there it finds its tools. */
export async function copyProject(name: string): Promise<string> {
  const folder = join(ROOT, 'pack', name);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  const paths = ['src', 'scripts', 'fixtures', 'tsup.config.ts', 'tsconfig.json', 'package.json'];
  for (const path of [...paths, ...packedPaths()]) {
    if (path !== 'dist') await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  return folder;
}
