import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { install, output, pinned } from './command.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder under the system's temporary one; all of it goes when the run ends. */
    readonly folder: string;
    /** A folder in there, in which the tarball is installed as a merchant would install it. */
    readonly consumer: string;
    /** The tarball, as `npm pack` makes it. */
    readonly tarball: string;
    /** The tarball's files. */
    readonly files: readonly string[];
  }
}

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the package as a release does, and installs it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-notifications-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(join(ROOT, 'pack'), { recursive: true });
    await output('npm', ['pack', '--silent', '--pack-destination', 'pack'], ROOT);
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const tarball = join(ROOT, `pack/payment-notifications-${version}.tgz`);
    const files = (await output('tar', ['-tzf', tarball], ROOT)).trim().split('\n');
    const consumer = join(folder, 'consumer');
    await mkdir(consumer);
    await writeFile(join(consumer, 'package.json'), '{ "private": true }');
    // Node's types as well: later, they would change the folder under a test that runs at the same
    // time.
    await install([tarball, pinned('@types/node')], consumer);

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
