import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { expect, inject, test } from 'vitest';
import { install, run } from './command.js';

const installed = join(inject('consumer'), 'node_modules/payment-notifications');

test('the tarball holds these files and no others', () => {
  // A chunk's name ends in a hash of its content: nobody imports it, the exports map sees to that.
  const files = inject('files').map((file) => file.replace(/-[\w-]{8}(?=\.)/, '-<hash>'));
  expect(files.sort()).toStrictEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'dist/chunk-<hash>.cjs',
    'dist/chunk-<hash>.js',
    'dist/cli.js',
    'dist/deposit-received-<hash>.d.cts',
    'dist/deposit-received-<hash>.d.ts',
    'dist/index.cjs',
    'dist/index.d.cts',
    'dist/index.d.ts',
    'dist/index.js',
    'dist/testing.cjs',
    'dist/testing.d.cts',
    'dist/testing.d.ts',
    'dist/testing.js',
    'dist/valibot.cjs',
    'dist/valibot.d.cts',
    'dist/valibot.d.ts',
    'dist/valibot.js',
    'package.json',
  ]);
});

test('no file points at a source map, since none is shipped', async () => {
  for (const [file, text] of await dist()) {
    expect(text, file).not.toContain('sourceMappingURL');
  }
});

test('what is bundled from other packages comes with their licences', async () => {
  const texts = (await dist()).map(([, text]) => text).join('\n');
  const bundled = new Set(
    [...texts.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name),
  );
  expect([...bundled]).toStrictEqual(['lossless-json']);

  const notices = await readFile(join(installed, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  const licence = new URL('../../node_modules/lossless-json/LICENSE.md', import.meta.url);
  expect(notices).toContain((await readFile(licence, 'utf8')).trim());
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toStrictEqual([]);
});

test('every way of resolving an entry finds types that match the code', async () => {
  const folder = join(inject('folder'), 'attw');
  await mkdir(folder);
  // Not a devDependency: it brings a compiler of its own.
  await install(['@arethetypeswrong/cli@0.18.5'], folder);
  const { status, stdout } = await run(
    process.execPath,
    ['node_modules/@arethetypeswrong/cli/dist/index.js', inject('tarball'), '--format', 'json'],
    folder,
  );
  const { analysis, problems } = JSON.parse(stdout);
  expect(problems).toStrictEqual({});
  expect(Object.keys(analysis.entrypoints)).toStrictEqual([
    '.',
    './valibot',
    './testing',
    './package.json',
  ]);
  expect(status).toBe(0);
});

/** The name and text of every file in dist. */
async function dist(): Promise<[string, string][]> {
  const folder = join(installed, 'dist');
  const files = await readdir(folder);
  return Promise.all(
    files.map(
      async (file) => [file, await readFile(join(folder, file), 'utf8')] as [string, string],
    ),
  );
}
