// Installs and tests the examples, from a fresh clone.
import { execFileSync } from 'node:child_process';
import { installFromDebian, missingPackages, skipped } from './programs.js';

const EXAMPLES = new URL('../', import.meta.url);

await import('../install.js');
installFromDebian(missingPackages());

try {
  for (const script of ['typecheck', 'test']) {
    execFileSync('npm', ['run', '--silent', script], { cwd: EXAMPLES, stdio: 'inherit' });
  }
} catch {
  process.exitCode = 1; // what failed, has been printed
}
for (const reason of skipped()) console.log(`SKIPPED: ${reason}`);
if (skipped().length === 0) console.log('Nothing was skipped.');
