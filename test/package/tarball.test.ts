import { mkdir, readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { install, output, pinned } from './command.js';
import { ROOT } from './pack.js';

const installed = join(inject('consumer'), 'node_modules/payment-notifications');

test('the tarball holds what package.json names, what that imports, and nothing else', async () => {
  const files = inject('files');
  const list = async (folder: string, end: string) =>
    (await readdir(join(ROOT, folder)))
      .filter((file) => file.endsWith(end))
      .map((file) => `${folder}/${file}`);
  const documents = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'inspector.html',
    'package.json',
    'skills/payment-notifications/SKILL.md',
    ...(await list('docs', '.md')).filter((page) => page !== 'docs/index.md'), // the site's home
    ...(await list('docs/images', '')),
    ...(await list('examples/start', '')),
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
  for (const path of namedPaths(await manifest())) {
    const [start = '', end] = path.replace(/^\.\//, '').split('*');
    const named = files.filter((file) =>
      end === undefined ? file === start : file.startsWith(start) && file.endsWith(end),
    );
    expect(named, path).not.toStrictEqual([]);
    for (const file of named) await need(file);
  }
  expect([...files].sort()).toStrictEqual([...needed].sort());
  expect(files).toContain('dist/index.js');
});

/** README links to them, but only the repository has them. */
const IN_REPOSITORY = ['bench/README.md', 'CONTRIBUTING.md'];

test('every relative link of a page in the tarball leads to a file in it', async () => {
  const files = inject('files');
  const pages = files.filter((file) => file.endsWith('.md'));
  expect(pages).toContain('docs/errors.md');
  for (const page of pages) {
    const text = await readFile(join(installed, page), 'utf8');
    const links = [...text.matchAll(/(?<=\]\()(?!https?:|#)[^)#]+|(?<=src(?:set)?=")[^"]+/g)];
    const missing = links.filter(
      ([link]) => ![...files, ...IN_REPOSITORY].includes(join(dirname(page), link)),
    );
    expect(missing.flat(), page).toStrictEqual([]);
    if (page === 'README.md') expect(links.length).toBeGreaterThan(10);
  }
});

test('npm runs nothing when it installs the tarball: npm 11 refuses or reports what it would run', async () => {
  const { scripts } = await manifest();
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
    expect(scripts).not.toHaveProperty(name);
  }
});

test('no file points at a source map, since none is shipped', async () => {
  for (const [file, text] of await dist()) {
    expect(text, file).not.toContain('sourceMappingURL');
  }
});

test('the build has no code of another package, and imports only dependencies', async () => {
  const { dependencies } = await manifest();
  for (const [file, text] of await dist()) {
    // The build names each source in front of its code: without the names, nothing bundled would be
    // found.
    const sources = [...text.matchAll(/(?:^|;)\/\/ (\S+\.\w+)$/gm)].map(
      ([, source = '']) => source,
    );
    const others = sources.filter((source) => !/^(?:src|fixtures)\//.test(source));
    expect(others, file).toStrictEqual([]);
    if (/^(?:async )?function /m.test(text)) expect(sources, file).not.toStrictEqual([]);
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(fileName) ?? [];
      const isKnown = name === '.' || isBuiltin(name) || Object.hasOwn(Object(dependencies), name);
      expect(isKnown, `${file} imports ${fileName}`).toBe(true);
    }
  }
});

test('no class has a static block, which the bundler of React Native refuses', async () => {
  for (const [file, text] of await dist()) expect(text, file).not.toMatch(/\bstatic\s*\{/);
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toStrictEqual([]);
});

test('every way of resolving an entry finds types that match the code', async () => {
  const folder = join(inject('folder'), 'attw');
  await mkdir(folder);
  // Not a devDependency: it brings a compiler of its own.
  await install([pinned('@arethetypeswrong/cli')], folder);
  const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js';
  const args = [attw, inject('tarball'), '--format', 'json'];
  const { analysis, problems } = JSON.parse(await output(process.execPath, args, folder));
  expect(problems).toStrictEqual({});
  expect(Object.keys(analysis.entrypoints)).toStrictEqual([
    '.',
    './valibot',
    './inspect',
    './receiver',
    './store',
    './testing',
    './schemas/*.json',
    './package.json',
  ]);
});

async function manifest(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
}

/**
 * Every path that an importer, a compiler or a shell reaches by package.json; `*` stands for a
 * name.
 */
function namedPaths({ main, module, types, typesVersions, exports, bin }: Record<string, unknown>) {
  const textsIn = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsIn);
  return new Set(textsIn({ main, module, types, typesVersions, exports, bin }));
}

/**
 * What an import leads to: of a declaration file, the declarations beside the code that it names.
 */
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
