// Everything that the examples must hold, from a fresh clone. With --keep-results, RESULTS.md stays as
// it is.
import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { skipped, whyNoChromium, whyNoPostgres } from './programs.js';

const EXAMPLES = new URL('../', import.meta.url);
const { values } = parseArgs({ options: { 'keep-results': { type: 'boolean', default: false } } });

await import('../install.js');
if (whyNoPostgres()) installFromDebian('postgresql-15');
if (whyNoChromium()) installFromDebian('chromium');

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

/** Where this may: as root on Debian, which is what a container of CI is. @param {string} name */
function installFromDebian(name) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return;
  console.log(`Installing ${name} for the tests.`);
  const install = `apt-get update -qq && apt-get install -qq -y --no-install-recommends ${name}`;
  spawnSync('bash', ['-c', install], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
