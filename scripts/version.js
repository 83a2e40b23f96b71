// Raises the version by the changesets, which the release workflow commits, and writes the schemas anew: the
// OpenAPI document holds the version.
import { execFileSync } from 'node:child_process';
import { ROOT } from './manifest.js';

for (const command of [
  ['changeset', 'version'],
  ['tsx', 'scripts/schemas/write.ts'],
]) {
  execFileSync('npx', command, { cwd: ROOT, stdio: 'inherit' });
}
