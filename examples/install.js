// Packs the package as it would be published, and installs the examples with it.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';

const EXAMPLES = new URL('./', import.meta.url);
const ROOT = new URL('../', import.meta.url);
const TARBALL = /^payment-notifications-\d.*\.tgz$/;

/** @param {URL} cwd @param {string[]} args */
function npm(cwd, ...args) {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

if (!existsSync(new URL('node_modules/tsup', ROOT))) npm(ROOT, 'install');
npm(ROOT, 'pack', '--silent', '--pack-destination', EXAMPLES.pathname);
const packed = readdirSync(EXAMPLES).find((name) => TARBALL.test(name));
if (packed === undefined) throw new Error('npm pack left no tarball');
renameSync(new URL(packed, EXAMPLES), new URL('payment-notifications.tgz', EXAMPLES));
// npm would keep what an earlier tarball of the same version left.
rmSync(new URL('node_modules/payment-notifications', EXAMPLES), { recursive: true, force: true });
npm(EXAMPLES, 'install', '--loglevel=error');
