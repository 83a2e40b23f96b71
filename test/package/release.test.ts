import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the next release gets a version, and every changeset its line in the changelog', async () => {
  const folder = join(inject('folder'), 'release');
  await mkdir(folder);
  for (const name of ['package.json', 'CHANGELOG.md', '.changeset']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
  const changesets = (await readdir(join(folder, '.changeset'))).filter((name) =>
    /\.md$/.test(name),
  );
  const sentences = await Promise.all(
    changesets.map(async (name) =>
      (await readFile(join(folder, '.changeset', name), 'utf8')).split('---').at(-1)?.trim(),
    ),
  );
  const { version: before } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

  await output('git', ['init', '--quiet'], folder);
  const changeset = join(ROOT, 'node_modules/@changesets/cli/bin.js');
  await output(process.execPath, [changeset, 'version'], folder);

  const { version: after } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
  // Right after a release there is no changeset.
  expect(after !== before).toBe(changesets.length > 0);
  for (const sentence of sentences) expect(changelog).toContain(sentence);
});
