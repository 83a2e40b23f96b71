// Packs the package, installs the tarball with all that the examples import, and tests them.
import { execFileSync, spawnSync } from 'node:child_process';
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

/** @param {string} name In examples/package.json. */
function runScript(name) {
  const { status } = spawnSync('npm', ['run', '--silent', name], {
    cwd: EXAMPLES,
    stdio: 'inherit',
  });
  if (status === 0) return;
  // A script that doesn't exist prints nothing.
  console.error(`npm run --prefix examples ${name} failed`);
  process.exit(1);
}

runScript('typecheck');
// The compiler between the oldest and ours runs each night only.
if (process.env.FULL === 'true') runScript('typecheck:5.9');
runScript('test');
