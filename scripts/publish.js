// Publishes the one tarball, the one that the checks were run on (TARBALL_SHA256 is what they printed), unless the
// registry has this version already; then tags the commit, in origin too. Installs nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT, readManifest, sumOfTarball, TARBALL } from './manifest.js';

const { name, version, repository } = readManifest();
const sha256 = sumOfTarball('sha256', 'hex');
console.log(`${sha256}  ${TARBALL}`);
const reason = reasonNotTo();
if (reason !== null) {
  console.error(`Nothing is published: ${reason}.`);
  process.exit(1);
}

const published = publishedIntegrity();
if (published === '') {
  // A path, not a name: npm publishes the file as it is, and runs no script of the package.
  const file = join(ROOT, TARBALL);
  execFileSync('npm', ['publish', file, '--access', 'public'], { stdio: 'inherit' });
} else {
  console.log(`${name} ${version} is published already.`);
}
const tag = `v${version}`;
const isOurs = published === '' || published.includes(sumOfTarball('sha512', 'base64'));
if (isOurs && git('ls-remote', '--tags', 'origin', tag) === '') {
  git('tag', '--force', tag);
  git('push', '--quiet', 'origin', tag);
}

/** Why this must not be published; null if it may. */
function reasonNotTo() {
  const pending = readdirSync(join(ROOT, '.changeset')).filter((file) => file.endsWith('.md'));
  if (version === '0.0.0') return 'version 0.0.0 is not a release';
  if (pending.length > 0) return `changesets are pending (${pending.join(', ')})`;
  if (!repository) return 'package.json names no repository, without which npm has no provenance';
  if (git('status', '--porcelain') !== '') return 'the working tree differs from the commit';
  if (sha256 !== process.env.TARBALL_SHA256) return 'the checks printed another sum, or none';
  const manifest = execFileSync('tar', ['-xzOf', TARBALL, 'package/package.json'], { cwd: ROOT });
  const packed = JSON.parse(manifest.toString());
  return packed.version === version ? null : `the tarball holds version ${packed.version}`;
}

/** The sum that the registry has of this version; empty if it doesn't have it. Any other answer is a failure. */
function publishedIntegrity() {
  const args = ['view', `${name}@${version}`, 'dist.integrity', '--json'];
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8' });
  // Some versions of npm print nothing for a version that isn't there, others fail with a code.
  if (status === 0) return stdout.trim();
  if (JSON.parse(stdout).error?.code === 'E404') return '';
  throw new Error(`npm view: ${stdout}`);
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}
