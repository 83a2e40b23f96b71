import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly id?: string;
    readonly uses?: string;
    readonly run?: string;
  }[];
}

const ROOT = new URL('../', import.meta.url);
const FOLDER = new URL('.github/workflows/', ROOT);

const jobs = readdirSync(FOLDER).flatMap((file) => {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  // parse() leaves out the comment in which a pinned action names its version.
  const workflow: { jobs: Record<string, Job> } = parse(text.replaceAll(' # v', '#v'));
  return Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file}: ${name}`, ...job }));
});

test.each(jobs)('$name runs what there is, on pinned actions', ({ permissions, steps }) => {
  expect(permissions).toBeDefined();
  for (const { uses, run = '' } of steps) {
    if (uses) expect(uses).toMatch(/^[\w/-]+@[\da-f]{40}#v\d+\.\d+\.\d+$/);
    expectToExist(run);
  }
});

test('.ci/run runs what there is', () => {
  expectToExist(readFileSync(new URL('.ci/run', ROOT), 'utf8'));
});

test('the run of the examples calls scripts that they have', () => {
  const run = readFileSync(new URL('examples/test/run.js', ROOT), 'utf8');
  const called = [...run.matchAll(/runScript\('(.+?)'\)/g)].map(([, name = '']) => name);
  expect(called).toContain('test');
  expect(scriptsOf('examples/')).toStrictEqual(expect.arrayContaining(called));
});

/** Expects the scripts and programs of this repository that lines of a shell name. */
function expectToExist(lines: string): void {
  for (const [, path = ''] of lines.matchAll(/\b(?:bash|node) ((?:\.?\w+\/)+\S+)/g)) {
    expect(existsSync(new URL(path, ROOT)), path).toBe(true);
  }
  for (const [, script] of lines.matchAll(/npm run ([\w:.]+)/g)) {
    expect(scriptsOf('')).toContain(script);
  }
}

/** The names of the scripts of the package in a folder. */
function scriptsOf(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL(`${folder}package.json`, ROOT), 'utf8'));
  return Object.keys(scripts);
}

test('no job that may write to the registry or to the site installs anything', () => {
  const writing = jobs.filter(({ permissions }) => permissions?.['id-token'] === 'write');
  expect(writing.map(({ name }) => name)).toStrictEqual([
    'docs.yml: publish',
    'release.yml: publish',
  ]);
  for (const { run = '' } of writing.flatMap(({ steps }) => steps)) {
    expect(run).not.toMatch(/npm (?:ci|install|i)\b|npx/);
  }
});

test('one job alone publishes the package, after it has compared the sum of the packed file', () => {
  const found = jobs.filter(({ steps }) => steps.some(({ run }) => run?.includes('npm publish')));
  expect(found.map(({ name }) => name)).toStrictEqual(['release.yml: publish']);
  const lines = found.flatMap(({ steps }) => steps.map(({ run = '' }) => run));
  const compared = lines.findIndex((run) => run.startsWith('sha256sum --check'));
  expect(compared).toBeGreaterThan(-1);
  expect(lines.findIndex((run) => run.includes('npm publish'))).toBeGreaterThan(compared);
});

const CHANGESET = '---\n"payment-notifications": minor\n---\n\nA new field.\n';
const EMPTY_CHANGESET = '---\n---\n';

test.each<[step: string, state: { changelog?: string; tag?: string; changeset?: string }]>([
  ['publish', {}],
  ['publish', { changeset: EMPTY_CHANGESET }],
  ['publish', { changeset: CHANGESET }],
  ['publish', { tag: 'v1.1.0' }],
  ['none', { tag: 'v1.1.1' }],
  ['raise', { tag: 'v1.1.1', changeset: CHANGESET }],
  ['raise', { changelog: '## 1.1.0', changeset: CHANGESET }],
  ['none', { changelog: '## 1.1.10\n\n## 1x1.1' }],
])('of version 1.1.1, the next step of a release is %s if there is %j', (step, state) => {
  const { changelog = '## 1.1.1', tag, changeset } = state;
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...args], { cwd: folder });
  mkdirSync(join(folder, '.changeset'));
  writeFileSync(join(folder, '.changeset/config.json'), '{}');
  writeFileSync(join(folder, 'package.json'), '{ "version": "1.1.1" }');
  writeFileSync(join(folder, 'CHANGELOG.md'), `# payment-notifications\n\n${changelog}\n`);
  if (changeset !== undefined) writeFileSync(join(folder, '.changeset/brave.md'), changeset);
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'x');
  if (tag !== undefined) git('tag', tag);

  const output = join(folder, 'output');
  expect(dryRun('next', 'next', folder, { GITHUB_OUTPUT: output })).toMatchObject({ status: 0 });
  expect(readFileSync(output, 'utf8')).toBe(`step=${step}\n`);
});

test.each([
  ['{}', ' repository homepage'],
  ['{ "repository": "github:shop/callbacks" }', ' homepage'],
  ['{ "homepage": "https://shop.github.io/callbacks/" }', ' repository'],
  ['{ "repository": "github:shop/callbacks", "homepage": "https://x.example/" }', null],
])('a release packs nothing without the addresses of the project: %s', (manifest, missing) => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), manifest);
  const env = { GITHUB_REPOSITORY: 'shop/callbacks', GITHUB_REPOSITORY_OWNER: 'shop' };
  const { status, stderr } = dryRun('pack', 'addresses', folder, env);
  expect({ status, stderr }).toStrictEqual(
    missing === null
      ? { status: 0, stderr: '' }
      : {
          status: 1,
          stderr: `package.json lacks:${missing}. Write
  "repository": "github:shop/callbacks",
  "homepage": "https://shop.github.io/callbacks/",
`,
        },
  );
});

test('a release looks for the addresses before it packs', () => {
  const steps = jobs.find(({ name }) => name === 'release.yml: pack')?.steps ?? [];
  const addresses = steps.findIndex(({ id }) => id === 'addresses');
  const packs = steps.findIndex(({ run }) => run?.includes('.ci/run'));
  expect(packs).toBeGreaterThan(addresses);
});

/**
 * Runs a step of the release in a folder, as GitHub does in a container, which has its own shell.
 */
function dryRun(job: string, step: string, cwd: string, env: Readonly<Record<string, string>>) {
  const { steps } = jobs.find(({ name }) => name === `release.yml: ${job}`) ?? { steps: [] };
  const lines = steps.find(({ id }) => id === step)?.run ?? '';
  expect(lines).not.toBe('');
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  return spawnSync('sh', ['-e', '-c', lines], options);
}
