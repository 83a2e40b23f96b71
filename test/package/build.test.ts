import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type Outcome, run } from './command.js';
import { copyProject } from './copy.js';

test('every build gives the same files, whichever of its workers is slow', async () => {
  const plain = await sumsOfBuild('plain');
  expect(plain).toHaveProperty('testing.d.ts');
  // With `clean` in tsup.config.ts, a slow worker removes the declarations that another has written.
  const slowRoot = { SLOW: 'index', AFTER: 'dist/testing.d.cts' };
  expect(await sumsOfBuild('slow-root', slowRoot)).toStrictEqual(plain);
  const slowKit = { SLOW: 'testing', AFTER: 'dist/index.d.cts' };
  expect(await sumsOfBuild('slow-kit', slowKit)).toStrictEqual(plain);
});

test('a build without a file that package.json names fails, and names the file', async () => {
  const folder = await copyProject('unfinished');
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  manifest.exports['./extra'] = './dist/extra.js';
  manifest.exports['./extra/*.json'] = './dist/extra/*.json';
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const { status, stderr } = await build(folder);
  expect(status).not.toBe(0);
  expect(stderr).toContain('dist/extra.js, dist/extra/*.json');
});

test('what lost a file after the build is not packed', async () => {
  const folder = await copyProject('damaged');
  expect(await build(folder)).toMatchObject({ status: 0 });
  await rm(join(folder, 'dist/testing.d.ts'));
  const { status, stderr } = await run(process.execPath, ['scripts/pack.js'], folder);
  expect(status).not.toBe(0);
  expect(stderr).toContain('dist/testing.d.ts');
  expect(await readdir(folder)).not.toContain('pack');
});

function build(folder: string, env: Record<string, string> = {}): Promise<Outcome> {
  const slowWorker = pathToFileURL(join(import.meta.dirname, 'slow-worker.js'));
  // A build may be started from anywhere.
  return run(process.execPath, [join(folder, 'scripts/build.js'), '--silent'], tmpdir(), {
    NODE_OPTIONS: `--import=${slowWorker}`,
    ...env,
  });
}

/** The sha256 of every file that a build in a folder of its own leaves. */
async function sumsOfBuild(
  name: string,
  env?: Record<string, string>,
): Promise<Record<string, string>> {
  const folder = await copyProject(name);
  expect(await build(folder, env)).toMatchObject({ status: 0 });
  const files = await readdir(join(folder, 'dist'));
  const sums = files.sort().map(async (file) => {
    const content = await readFile(join(folder, 'dist', file));
    return [file, createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(sums));
}
