import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const ROOT = new URL('../', import.meta.url);
const FOLDER = new URL('.github/workflows/', ROOT);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

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
    for (const [, path = ''] of run.matchAll(/\b(?:bash|node|jazzer) ((?:\.?\w+\/)+\S+)/g)) {
      expect(existsSync(new URL(path, ROOT)), path).toBe(true);
    }
    for (const [, script = ''] of run.matchAll(/npm run ([\w:]+)/g)) {
      expect(scripts).toHaveProperty([script]);
    }
  }
});

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
