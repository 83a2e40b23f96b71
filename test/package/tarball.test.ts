import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { expect, inject, test } from 'vitest';
import { withoutCode } from '../../scripts/pages/code.js';
import { install, output, pinned } from './command.js';
import { ROOT } from './pack.js';

const consumer = inject('consumer');
const installed = join(consumer, 'node_modules/payment-notifications');
const files = inject('files');
const textOf = (file: string) => readFile(join(installed, file), 'utf8');

test('the tarball has the build, the pages and the files to copy, and nothing else', async () => {
  const list = async (folder: string) =>
    (await readdir(join(ROOT, folder))).map((file) => `${folder}/${file}`);
  const pages = (await list('docs')).filter((page) => page.endsWith('.md'));
  expect(
    files.filter((file) => !/^dist\/[\w-]+\.(?:c?js|d\.c?ts)$/.test(file)).sort(),
  ).toStrictEqual(
    [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'inspector.html', 'package.json'],
      'skills/payment-notifications/SKILL.md',
      ...pages,
      ...(await list('examples/start')),
    ].sort(),
  );
});

test('every relative link of a page in the tarball leads to a file in it', async () => {
  for (const page of files.filter((file) => file.endsWith('.md'))) {
    const text = withoutCode(await textOf(page));
    // The sites of GitHub and npm take a picture from the repository.
    const links = [...text.matchAll(/(?<=(?<!!\[[^\]]*)\]\()(?!https?:|#)[^)#]+/g)];
    const missing = links.filter(([link]) => !files.includes(join(dirname(page), link)));
    expect(missing.flat(), page).toStrictEqual([]);
    if (page === 'README.md') expect(links.length).toBeGreaterThan(10);
  }
});

test('the build has no code of another package, and no source map', async () => {
  for (const file of files.filter((name) => /^dist\/.*js$/.test(name))) {
    // The build names each source in front of its code.
    expect(await textOf(file), file).not.toMatch(/^\/\/ node_modules\/|sourceMappingURL/m);
  }
});

// Bundled with its dependencies, minified and compressed. The budget is a tenth over the size on the
// day it was set, room for a few new fields. A commit that raises it says what it is spent on.
test('reading a deposit takes at most 23,310 bytes', async () => {
  const contents = "export { parseDepositReceived } from 'payment-notifications';";
  const stdin = { contents, resolveDir: consumer };
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const { outputFiles } = await build({ stdin, ...options });
  const [size = 0] = outputFiles.map((file) => gzipSync(file.contents).length);
  console.info(`${size} bytes`);
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThanOrEqual(23_310);
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toStrictEqual([]);
});

test('every way of resolving an entry finds types that match the code', async () => {
  const folder = join(inject('folder'), 'attw');
  await mkdir(folder);
  // Not a devDependency: it brings its own compiler.
  await install([pinned('@arethetypeswrong/cli')], folder);
  const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js';
  const args = [attw, inject('tarball'), '--format', 'json'];
  const { analysis, problems } = JSON.parse(await output(process.execPath, args, folder));
  expect(problems).toStrictEqual({});
  expect(Object.keys(analysis.entrypoints)).toContain('./receiver');
});
