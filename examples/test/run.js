// Everything that the examples must hold, from a fresh clone. With --keep-results, RESULTS.md stays as
// it is.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { installFromDebian, missingPackages, skipped } from './programs.js';

const EXAMPLES = new URL('../', import.meta.url);
const { values } = parseArgs({ options: { 'keep-results': { type: 'boolean', default: false } } });

await import('../install.js');
installFromDebian(missingPackages());

const env = { ...process.env, ...(values['keep-results'] && { KEEP_RESULTS: '1' }) };
try {
  for (const script of ['typecheck', 'test']) {
    execFileSync('npm', ['run', '--silent', script], { cwd: EXAMPLES, env, stdio: 'inherit' });
  }
} catch {
  process.exitCode = 1; // what failed, has been printed
}
for (const reason of skipped()) console.log(`SKIPPED: ${reason}`);
if (skipped().length === 0) console.log('Nothing was skipped.');
