// Packs what is in dist into the one tarball that is tested and published, and prints its sha256. Builds
// first if the sources are newer than dist; leaves a tarball alone that is as new as all that is in it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { checkFiles, isOlder, packedPaths, ROOT, SOURCES } from './manifest.js';
import { sha256OfTarball, TARBALL } from './tarball.js';

if (isOlder('dist', SOURCES)) {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.js'), '--silent'], {
    stdio: 'inherit',
  });
}
checkFiles();

if (isOlder(TARBALL, packedPaths())) {
  const folder = join(ROOT, dirname(TARBALL));
  rmSync(join(ROOT, TARBALL), { force: true });
  mkdirSync(folder, { recursive: true });
  // Without scripts: `prepack` would build again.
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const printed = execFileSync('npm', ['pack', ...options], { cwd: ROOT, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(printed);
  renameSync(join(folder, filename), join(ROOT, TARBALL));
}
console.log(`${sha256OfTarball()}  ${TARBALL}`);
