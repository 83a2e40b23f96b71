// Packs the package, installs the tarball with all that the examples import, and tests them.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';

const EXAMPLES = new URL('../', import.meta.url);
const ROOT = new URL('../../', import.meta.url);

/** @param {string} what @param {URL} cwd @param {string} program @param {string[]} args */
function run(what, cwd, program, ...args) {
  console.log(`${what} ...`);
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
mkdirSync(new URL('pack', ROOT), { recursive: true });
run('Packing the package', ROOT, 'npm', 'pack', '--silent', '--pack-destination', 'pack');
// By a name without a version, under which package.json has it.
const tarball = new URL(`pack/payment-notifications-${version}.tgz`, ROOT);
copyFileSync(tarball, new URL('pack/payment-notifications.tgz', ROOT));
// npm would keep what an earlier tarball of the same version left.
rmSync(new URL('node_modules/payment-notifications', EXAMPLES), { recursive: true, force: true });
run('Installing the packages', EXAMPLES, 'npm', 'install', '--no-audit', '--loglevel=error');
// It imports what has just been installed.
const { installDatabases } = await import('./programs.js');
installDatabases();

// The compiler between the oldest and ours is asked each night only.
const compilers = process.env.FULL === 'true' ? ['typecheck', 'typecheck:5.9'] : ['typecheck'];
try {
  for (const script of [...compilers, 'test']) {
    execFileSync('npm', ['run', '--silent', script], { cwd: EXAMPLES, stdio: 'inherit' });
  }
} catch {
  process.exitCode = 1; // what failed, has been printed
}
