import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { blocksOn, slug, withoutCode } from '../scripts/pages/code.js';
import { withTables } from '../scripts/pages/tables.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PAGES = [
  'README.md',
  'skills/payment-notifications/SKILL.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const ENTRIES = ['', '/inspect', '/receiver', '/store', '/testing', '/valibot'];

const blocks = PAGES.flatMap((page) => blocksOn(page).map((block) => ({ page, ...block })));

// Within the project, whose settings and packages they use.
mkdirSync(join(ROOT, 'coverage'), { recursive: true });
const FOLDER = mkdtempSync(join(ROOT, 'coverage/pages-'));
for (const { mark, page, argument: name, code } of blocks) {
  if (mark !== 'file') continue;
  const path = join(FOLDER, page.replace(/\.md$/, ''), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}
afterAll(() => rmSync(FOLDER, { recursive: true }));

test('tables are as their sources are', async () => {
  for (const page of PAGES) {
    const text = withTables(readFileSync(join(ROOT, page), 'utf8'));
    await expect(text).toMatchFileSnapshot(join(ROOT, page));
  }
});

test('every relative link leads to a file, and its anchor to a heading', () => {
  const others = ['CHANGELOG.md', 'CONTRIBUTING.md', '.github/SECURITY.md'];
  const inFolders = ['examples/README.md', 'fixtures/README.md'];
  const links = [...PAGES, ...others, ...inFolders].flatMap((page) =>
    [...proseOf(page).matchAll(/(?<=\]\()(?!https?:)[^)]+/g)].map(([link]) => ({ page, link })),
  );
  const dead = links.filter(({ page, link }) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(join(ROOT, target))) return true;
    if (anchor === undefined) return false;
    const headings = proseOf(target).matchAll(/^#+ (.+)$/gm);
    return ![...headings].some(([, heading = '']) => slug(heading) === anchor);
  });
  expect(dead).toStrictEqual([]);
  expect(links.length).toBeGreaterThan(50);
});

test('every block of code is a file of its own, part of a file, or says why it is not run', () => {
  const code = blocks.filter(({ language }) => /^(?:[cm]?[jt]sx?|sql)$/.test(language));
  const unmarked = code.filter(({ mark }) => mark === undefined);
  expect(unmarked).toStrictEqual([]);
  expect(code.length).toBeGreaterThan(30);
});

test('what is quoted from a file is in it', () => {
  for (const { mark, page, argument, code } of blocks) {
    if (mark !== 'from') continue;
    const source = readFileSync(join(ROOT, posix.join(posix.dirname(page), argument)), 'utf8');
    // The end of a text in it is no end of a line.
    expect(source, `${page} quotes ${argument}`).toContain(code.trimEnd());
  }
});

test('the runbook says what to do for each reason of the files to copy', () => {
  const [runbook = '', ...files] = [
    'docs/runbook.md',
    ...['settle', 'mysql', 'sqlite'].map((name) => `examples/start/${name}.mjs`),
  ].map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const settle = files.join('\n');
  const reasons = [...settle.matchAll(/NeedsReview\(['`](.*?)['`]\)/g)].map(([, reason = '']) =>
    reason.replace(/\$\{\w+\}/, 'FAILED'),
  );
  expect(reasons.length).toBeGreaterThan(4);
  expect(reasons.filter((reason) => !runbook.includes(`\`${reason}\``))).toStrictEqual([]);
});

test('the list of public names has every exported value, and nothing else', async () => {
  const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
  const sections = page.split(/^## payment-notifications/m).slice(1);
  const names = sections.map((section): [string, string[]] => {
    const [entry = ''] = /^\/\w+/.exec(section) ?? [];
    const listed = [...section.matchAll(/^- (`.*?):/gm)].map(([, cell]) =>
      cell?.match(/(?<=`)\w+/g),
    );
    return [entry, listed.flatMap((found) => found ?? [])];
  });
  expect(names.map(([entry]) => entry).sort()).toStrictEqual(ENTRIES);
  for (const [entry, listed] of names) {
    const values = Object.keys(await import(`payment-notifications${entry}`));
    expect(listed.sort(), entry).toStrictEqual(values.sort());
  }
});

test('the code is formatted and linted as all code is', () => {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const options = ['--error-on-warnings', '--vcs-enabled=false', '--config-path', ROOT];
  const args = [biome, 'check', ...options, FOLDER];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});

function proseOf(page: string): string {
  return withoutCode(readFileSync(join(ROOT, page), 'utf8'));
}
