import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TARBALL } from '../../scripts/manifest.js';
import { output } from './command.js';
import { copyDist, copyProject, ROOT } from './pack.js';

test('every build gives the same files, whatever its folder', async () => {
  const folder = await copyProject('built');
  // A build may be started from anywhere.
  await output(process.execPath, [join(folder, 'scripts/build.js'), '--silent'], tmpdir());
  // But for comments on where the code of others comes from.
  const args = ['--recursive', '--ignore-matching-lines=^// .*node_modules/', join(ROOT, 'dist')];
  expect(await output('diff', [...args, join(folder, 'dist')], ROOT)).toBe('');
});

test('the homepage and the links of the README derive from the repository, once that is known', async () => {
  const folder = await copyProject('linked');
  const pack = async (manifest: object) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await copyDist(folder);
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
    ['https://github.com/Owner/some.name/raw/HEAD/', ''],
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
