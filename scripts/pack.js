// Packs what is in dist into the one tarball that is tested and published, and prints its sha256. Builds
// first if the sources are newer than dist; leaves a tarball alone that is as new as all that is in it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { checkFiles, isOlder, packedPaths, ROOT, readManifest, SOURCES } from './manifest.js';
import { packedReadme, readRepository, withoutDeadLinks } from './repository.js';
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
  const staged = stage(join(folder, 'staged'));
  // Without scripts: `prepack` would build again.
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const printed = execFileSync('npm', ['pack', ...options], { cwd: staged, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(printed);
  renameSync(join(folder, filename), join(ROOT, TARBALL));
  rmSync(staged, { recursive: true });
}
console.log(`${sha256OfTarball()}  ${TARBALL}`);

/**
 * Copies what is packed into a folder, with the homepage and the links that derive from the repository.
 *
 * @param {string} folder
 */
function stage(folder) {
  rmSync(folder, { recursive: true, force: true });
  const paths = packedPaths();
  for (const path of paths) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  const manifest = readManifest();
  const repository = readRepository(manifest);
  if (repository) {
    const { homepage } = repository;
    const text = JSON.stringify({ ...manifest, homepage }, null, 2);
    writeFileSync(join(folder, 'package.json'), `${text}\n`);
  }
  const has = (/** @type {string} */ path) => existsSync(join(folder, path));
  for (const page of paths.filter((path) => path.endsWith('.md'))) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const packed =
      page === 'README.md'
        ? packedReadme(text, has, repository)
        : withoutDeadLinks(text, page, has, repository);
    writeFileSync(join(folder, page), packed);
  }
  return folder;
}
