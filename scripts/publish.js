// Publishes the one tarball, the one that the checks were run on (TARBALL_SHA256 is what they printed),
// unless the registry has this version already. With --tag, tags the commit after that.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT, readManifest } from './manifest.js';
import { sha256OfTarball, TARBALL } from './tarball.js';

const { name, version } = readManifest();
const sha256 = sha256OfTarball();
console.log(`${sha256}  ${TARBALL}`);
if (sha256 !== process.env.TARBALL_SHA256) {
  throw new Error(`the checks were run on another tarball: ${process.env.TARBALL_SHA256}`);
}
const text = execFileSync('tar', ['-xzOf', TARBALL, 'package/package.json'], { cwd: ROOT });
const packed = JSON.parse(text.toString());
if (packed.version !== version) {
  throw new Error(`${TARBALL} holds version ${packed.version}, the source is version ${version}`);
}

if (isPublished()) {
  console.log(`${name} ${version} is published already.`);
} else {
  // A path, not a name: npm publishes the file as it is, and runs no script of the package.
  const file = join(ROOT, TARBALL);
  execFileSync('npm', ['publish', file, '--access', 'public'], { stdio: 'inherit' });
}
if (process.argv.includes('--tag')) {
  execFileSync('npx', ['changeset', 'tag'], { cwd: ROOT, stdio: 'inherit' });
}

/** Whether the registry has this version; any answer but "there is none" is a failure. */
function isPublished() {
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version', '--json'], {
    encoding: 'utf8',
  });
  // Some versions of npm print nothing for a version that isn't there, others fail with a code.
  if (status === 0) return stdout.trim() !== '';
  if (JSON.parse(stdout).error?.code === 'E404') return false;
  throw new Error(`npm view: ${stdout}`);
}
