import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const FOLDER = new URL('.github/workflows/', ROOT);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

/** Each workflow's jobs, as text. */
const jobs = readdirSync(FOLDER).flatMap((file) => {
  const [, text = ''] = readFileSync(new URL(file, FOLDER), 'utf8').split(/^jobs:\n/m);
  const found = text.split(/^(?= {2}[\w-]+:\n)/m).filter((job) => /^ {2}[\w-]+:\n/.test(job));
  return found.map((job) => ({ name: `${file}: ${job.split(':')[0]?.trim()}`, job }));
});

test.each(jobs)('$name runs what there is, on pinned actions', ({ job }) => {
  expect(job).toMatch(/^ {4}permissions:\n( {6}[\w-]+: (?:read|write).*\n)+/m);
  for (const [, action] of job.matchAll(/uses: (.*)/g)) {
    expect(action).toMatch(/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  }
  for (const [, path = ''] of job.matchAll(/\b(?:bash|node|jazzer) ((?:\.?\w+\/)+\S+)/g)) {
    expect(existsSync(new URL(path, ROOT)), path).toBe(true);
  }
  for (const [, script = ''] of job.matchAll(/npm run ([\w:]+)/g)) {
    expect(scripts).toHaveProperty([script]);
  }
});

test('no job that may write to the registry or to a site installs anything', () => {
  const writing = jobs.filter(({ job }) => job.includes('id-token: write'));
  expect(writing.map(({ name }) => name)).toStrictEqual([
    'docs.yml: publish',
    'release.yml: publish',
  ]);
  for (const { name, job } of writing) expect(job, name).not.toMatch(/npm (?:ci|install|i)\b|npx/);
});
