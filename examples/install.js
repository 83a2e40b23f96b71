// Installs the examples with the package's one tarball, which is packed first where there is none.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';

const EXAMPLES = new URL('./', import.meta.url);
const ROOT = new URL('../', import.meta.url);

/** @param {URL} cwd @param {string[]} args */
function npm(cwd, ...args) {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

if (!existsSync(new URL('node_modules/tsup', ROOT))) npm(ROOT, 'install');
execFileSync(process.execPath, ['scripts/pack.js'], {
  cwd: ROOT,
  stdio: ['ignore', 'ignore', 'inherit'],
});
// npm would keep what an earlier tarball of the same version left.
rmSync(new URL('node_modules/payment-notifications', EXAMPLES), { recursive: true, force: true });
npm(EXAMPLES, 'install', '--loglevel=error', '--no-audit', '--no-fund');
