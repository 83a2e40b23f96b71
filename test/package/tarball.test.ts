import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { matches, namedPaths } from '../../scripts/manifest.js';
import { install, run } from './command.js';

const installed = join(inject('consumer'), 'node_modules/payment-notifications');

test('the tarball holds what package.json names, what that imports, and nothing else', async () => {
  const files = inject('files');
  const documents = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'package.json',
  ];
  const needed = new Set(documents);
  const need = async (file: string): Promise<void> => {
    if (needed.has(file)) return;
    needed.add(file);
    if (!/[jt]s$/.test(file)) return;
    const text = await readFile(join(installed, file), 'utf8');
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (fileName.startsWith('.')) await need(inTarball(join(dirname(file), fileName), file));
    }
  };
  for (const path of namedPaths()) {
    for (const file of files.filter((name) => matches(name, path))) await need(file);
  }
  expect([...files].sort()).toStrictEqual([...needed].sort());
  expect(files).toContain('dist/index.js');
});

test('no file points at a source map, since none is shipped', async () => {
  for (const [file, text] of await dist()) {
    expect(text, file).not.toContain('sourceMappingURL');
  }
});

test('what is bundled from other packages comes with their licences', async () => {
  const texts = (await dist()).map(([, text]) => text).join('\n');
  const folders = new Set(
    [...texts.matchAll(/^\/\/ (node_modules\/.*?)\/[^/]+\.js$/gm)].map(([, folder]) => folder),
  );
  expect(
    [...folders].map((folder) => folder?.replace(/.*node_modules\//, '')).sort(),
  ).toStrictEqual(['ansi-regex', 'get-east-asian-width', 'leven', 'string-width', 'strip-ansi']);

  const notices = await readFile(join(installed, 'THIRD-PARTY-NOTICES.md'), 'utf8');
  for (const folder of folders) {
    const licence = new URL(`../../${folder}/license`, import.meta.url);
    expect(notices, folder).toContain((await readFile(licence, 'utf8')).trim());
  }
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
    './inspect',
    './testing',
    './schemas/*.json',
    './package.json',
  ]);
  expect(status).toBe(0);
});

/** What an import leads to: of a declaration file, the declarations beside the code that it names. */
function inTarball(path: string, from: string): string {
  return /\.d\.[cm]?ts$/.test(from) ? path.replace(/\.([cm]?)js$/, '.d.$1ts') : path;
}

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
