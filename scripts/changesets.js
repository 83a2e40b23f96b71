// Fails if src or scripts/schemas differ from main and no changeset says why. Only the branch that raises the version needs
// none: its changesets have become the changelog.
import { execFileSync, spawnSync } from 'node:child_process';
import process from 'node:process';
import { ROOT, readManifest } from './manifest.js';

// A checkout of a pull request knows no other main than origin's.
const main = ['origin/main', 'main'].find((ref) => {
  return spawnSync('git', ['rev-parse', '--verify', '--quiet', ref], { cwd: ROOT }).status === 0;
});
if (!main) throw new Error('there is no main to compare with: git fetch origin main');
const shown = execFileSync('git', ['show', `${main}:package.json`], { cwd: ROOT });
const { version } = JSON.parse(shown.toString());
if (version === readManifest().version) {
  const args = ['changeset', 'status', `--since=${main}`];
  process.exitCode = spawnSync('npx', args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}
