// Installs the examples with the package's one tarball, which is packed first where there is none; given the
// name of one that has a package.json of its own, only that: `node examples/install.js merchant`.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';

const EXAMPLES = new URL('./', import.meta.url);
const ROOT = new URL('../', import.meta.url);
const [workspace] = process.argv.slice(2).filter((name) => !name.startsWith('-'));

/** @param {string} what @param {URL} cwd @param {string} program @param {string[]} args */
function run(what, cwd, program, ...args) {
  const start = performance.now();
  process.stdout.write(`${what} ... `);
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
}

if (!existsSync(new URL('node_modules/tsup', ROOT)))
  run('Installing what builds the package', ROOT, 'npm', 'install');
const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const PACK = new URL('pack/', ROOT);
mkdirSync(PACK, { recursive: true });
run('Packing the package', ROOT, 'npm', 'pack', '--silent', '--pack-destination', 'pack');
// By a name without a version, under which package.json has it.
const tarball = new URL(`payment-notifications-${version}.tgz`, PACK);
copyFileSync(tarball, new URL('payment-notifications.tgz', PACK));
// npm would keep what an earlier tarball of the same version left.
rmSync(new URL('node_modules/payment-notifications', EXAMPLES), { recursive: true, force: true });
const manifest = new URL(workspace ? `${workspace}/package.json` : 'package.json', EXAMPLES);
const names = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies);
const only = workspace ? ['--workspace', workspace] : [];
const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
run(`Installing ${names.join(', ')}`, EXAMPLES, 'npm', 'install', ...only, ...quiet);
