// Fails if src or schemas differ from main and no changeset says why. Only the branch that raises the version needs
// none: its changesets have become the changelog.
import { execFileSync, spawnSync } from 'node:child_process';
import process from 'node:process';
import { ROOT, readManifest } from './manifest.js';

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

// A checkout of a pull request knows no other main than origin's.
const branches = ['refs/remotes/origin/main', 'refs/heads/main'];
const [main = ''] = git(
  'for-each-ref',
  '--sort=-refname',
  '--format=%(refname)',
  ...branches,
).split('\n');
if (main === '') throw new Error('there is no main to compare with: git fetch origin main');
const { version } = JSON.parse(git('show', `${main}:package.json`));
if (version === readManifest().version) {
  const args = ['changeset', 'status', `--since=${main}`];
  process.exitCode = spawnSync('npx', args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}
