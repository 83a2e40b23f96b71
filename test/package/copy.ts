import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COPIES, ROOT } from './pack.js';

/** A copy of all that a build and a release need. */
export async function copyProject(name: string): Promise<string> {
  const folder = join(COPIES, name);
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const sources = ['src', 'scripts', 'fixtures', 'tsup.config.ts', 'tsconfig.json', 'package.json'];
  for (const path of [...sources, ...files, 'README.md', 'LICENSE', '.gitignore']) {
    if (path !== 'dist') await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  await cp(join(ROOT, '.changeset/config.json'), join(folder, '.changeset/config.json'));
  return folder;
}
