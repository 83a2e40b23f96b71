import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { TARBALL } from '../../scripts/manifest.js';
import { output, run } from './command.js';
import { copyProject } from './copy.js';
import { isFull, ROOT } from './pack.js';

test('every build gives the same files, whichever of its workers is slow', async () => {
  const plain = await sumsOfBuild('plain');
  expect(plain).toHaveProperty('testing.d.ts');
  // With `clean` in tsup.config.ts, a slow worker removes the declarations that another has written.
  const slowRoot = { SLOW: 'index', AFTER: 'dist/testing.d.cts' };
  expect(await sumsOfBuild('slow-root', slowRoot)).toStrictEqual(plain);
  if (!isFull) return;
  const slowKit = { SLOW: 'testing', AFTER: 'dist/index.d.cts' };
  expect(await sumsOfBuild('slow-kit', slowKit)).toStrictEqual(plain);
});

test('the homepage and the links of the README derive from the repository, once that is known', async () => {
  const folder = await copyProject('linked');
  const pack = async (manifest: object) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    // After the sources, so that it isn't built.
    await rm(join(folder, 'dist'), { recursive: true, force: true });
    await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
    await output(process.execPath, ['scripts/pack.js'], folder);
    const read = (file: string) => output('tar', ['-xzOf', TARBALL, `package/${file}`], folder);
    return { manifest: JSON.parse(await read('package.json')), readme: await read('README.md') };
  };
  const original = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const { repository: _, homepage: __, ...unknown } = original;
  const plain = await pack(unknown);
  expect(plain.manifest).toStrictEqual(unknown);

  const url = 'git+https://github.com/Owner/some.name.git';
  const known = { ...unknown, repository: { type: 'git', url } };
  const packed = await pack(known);
  const homepage = 'https://owner.github.io/some.name/';
  expect(packed.manifest).toStrictEqual({ ...known, homepage });

  const places = [
    [homepage, 'docs/'],
    ['https://github.com/Owner/some.name/blob/HEAD/', ''],
    ['https://raw.githubusercontent.com/Owner/some.name/HEAD/', ''],
  ] as const;
  expect(linksOf(packed.readme).filter((link) => !/^(?:https:|#)/.test(link))).toStrictEqual([]);
  const derived = linksOf(packed.readme).filter((link) => !linksOf(plain.readme).includes(link));
  // The pictures, too, which a page without a repository can't show.
  expect(derived.length).toBeGreaterThan(10);
  for (const link of derived) {
    const [start, source] = places.find(([place]) => link.startsWith(place)) ?? [];
    const [file = ''] = link.slice(start?.length).split('#');
    const path = `${source}${file}`.replace(/\.html$/, '.md');
    expect(existsSync(join(ROOT, path)), link).toBe(true);
  }
  expect(derived).toContain(`${homepage}handlers.html`);
});

function linksOf(readme: string): string[] {
  return [...readme.matchAll(/(?<=\]\()[^)]+/g)].map(([link]) => link);
}

/** The sha256 of every file that a build in a folder of its own leaves. */
async function sumsOfBuild(name: string, env: Record<string, string> = {}) {
  const folder = await copyProject(name);
  const slowWorker = pathToFileURL(join(import.meta.dirname, 'slow-worker.js'));
  // A build may be started from anywhere.
  const args = [join(folder, 'scripts/build.js'), '--silent'];
  const more = { NODE_OPTIONS: `--import=${slowWorker}`, ...env };
  expect(await run(process.execPath, args, tmpdir(), more)).toMatchObject({ status: 0 });
  const files = await readdir(join(folder, 'dist'));
  const sums = files.sort().map(async (file) => {
    const content = await readFile(join(folder, 'dist', file));
    return [file, createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(sums));
}
