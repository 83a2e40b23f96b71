// Packs the package, installs it with all that the examples import, and tests them.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { installDatabases } from './programs.js';

const EXAMPLES = new URL('../', import.meta.url);
const ROOT = new URL('../../', import.meta.url);

console.log('Packing the package ...');
// Not into pack/, where the file is that test/package tests, and that a release publishes.
const folder = new URL('pack/examples/', ROOT);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const pack = ['pack', '--silent', '--pack-destination', 'pack/examples'];
const tarball = execFileSync('npm', pack, { cwd: ROOT });
// It is installed from a folder, because package-lock.json would contain the digest of a tarball.
execFileSync('tar', ['-xzf', `${tarball}`.trim()], { cwd: folder });
// npm would keep what an earlier package of the same version left.
rmSync(new URL('node_modules/payment-notifications', EXAMPLES), { recursive: true, force: true });

console.log('Installing the packages and the databases ...');
// The development dependencies are Prisma, which is large, and other ORMs. With Drizzle, npm would
// keep Prisma, which is its optional peer.
const install = ['install', '--no-save', '--no-audit', '--loglevel=error'];
if (process.env.FULL !== 'true') {
  install.push('--omit=dev');
  console.log('Skipped: the adapters of Drizzle, Prisma and TypeORM, which FULL=true tests.');
}
// Prisma would download an engine that its client doesn't need.
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
await Promise.all([
  promisify(execFile)('npm', install, { cwd: EXAMPLES, env }),
  installDatabases(),
]);

// At the same time as the tests, which wait for much.
const checked = promisify(execFile)('npm', ['run', '--silent', 'typecheck'], {
  cwd: EXAMPLES,
}).catch(({ message, stdout }) => {
  process.exitCode = 1;
  return { stdout: `${message}\n${stdout}` };
});
const tests = spawn('npm', ['run', '--silent', 'test'], { cwd: EXAMPLES, stdio: 'inherit' });
const [code] = await once(tests, 'exit');
if (code !== 0) process.exitCode = 1;
console.log((await checked).stdout);
rmSync(new URL('pages-checked', EXAMPLES), { recursive: true });
