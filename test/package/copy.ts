import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { packedPaths } from '../../scripts/manifest.js';
import { COPIES, ROOT } from './pack.js';

/** A copy of all that a build and a release need. */
export async function copyProject(name: string): Promise<string> {
  const folder = join(COPIES, name);
  const sources = ['src', 'scripts', 'fixtures', 'tsup.config.ts', 'tsconfig.json'];
  for (const path of [...sources, ...packedPaths(), '.gitignore', '.changeset/config.json']) {
    if (path !== 'dist') await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  return folder;
}
