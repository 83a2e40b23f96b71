import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { packedPaths, TARBALL } from '../../scripts/manifest.js';
import { install, output } from './command.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder under the system's temporary one; all of it goes when the run ends. */
    readonly folder: string;
    /** A folder in there, in which the tarball is installed as a merchant would install it. */
    readonly consumer: string;
    /** The tarball that will be published. */
    readonly tarball: string;
    /** The tarball's files. */
    readonly files: readonly string[];
  }
}

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** Whether to run what takes long, too: `.ci/run --full`. */
export const isFull: boolean = process.env.FULL === 'true';

/** Copies of the project are inside it: there they find its tools. */
const COPIES: string = join(ROOT, 'pack/copies');

/** A copy of all that a build and a release need. */
export async function copyProject(name: string): Promise<string> {
  const folder = join(COPIES, name);
  const sources = ['src', 'scripts', 'fixtures', 'tsup.config.ts', 'tsconfig.json'];
  for (const path of [...sources, ...packedPaths(), '.gitignore', '.changeset/config.json']) {
    if (path !== 'dist') await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  return folder;
}

/** Gives a copy the built files; after its sources, so that it isn't built. */
export async function copyDist(folder: string): Promise<void> {
  await rm(join(folder, 'dist'), { recursive: true, force: true });
  await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
}

/** Installs the one tarball. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-notifications-'));
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(COPIES, { recursive: true, force: true });
  };
  try {
    console.info((await output(process.execPath, ['scripts/pack.js'], ROOT)).trim());
    const tarball = join(ROOT, TARBALL);
    const files = (await output('tar', ['-tzf', tarball], ROOT)).trim().split('\n');
    const consumer = join(folder, 'consumer');
    await mkdir(consumer);
    await writeFile(join(consumer, 'package.json'), '{ "private": true }');
    await install([tarball], consumer);

    project.provide('folder', folder);
    project.provide('consumer', consumer);
    project.provide('tarball', tarball);
    project.provide(
      'files',
      files.map((file) => file.replace(/^package\//, '')),
    );
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}
