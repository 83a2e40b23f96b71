// Packs dist, which it builds if a source is newer, into the one tarball that is tested and published, and prints its
// sha256. The same sources give the same sum.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { filesIn, packedPaths, ROOT, readManifest, sumOfTarball, TARBALL } from './manifest.js';
import { packedReadme, readRepository, withoutDeadLinks } from './repository.js';

const build = [join(ROOT, 'scripts/build.js'), '--if-older', '--silent'];
execFileSync(process.execPath, build, { stdio: 'inherit' });

const folder = join(ROOT, dirname(TARBALL));
const staged = join(folder, 'staged');
fs.rmSync(staged, { recursive: true, force: true });
const paths = packedPaths();
for (const path of paths) {
  fs.cpSync(join(ROOT, path), join(staged, path), { recursive: true });
}
const manifest = readManifest();
const repository = readRepository(manifest);
const homepage = repository?.homepage ?? manifest.homepage;
const packedManifest = JSON.stringify({ ...manifest, homepage }, null, 2);
fs.writeFileSync(join(staged, 'package.json'), `${packedManifest}\n`);
const has = (/** @type {string} */ path) => fs.existsSync(join(staged, path));
for (const page of paths.filter((path) => path.endsWith('.md'))) {
  const text = fs.readFileSync(join(ROOT, page), 'utf8');
  const packed =
    page === 'README.md'
      ? packedReadme(text, has, repository)
      : withoutDeadLinks(text, page, has, repository);
  fs.writeFileSync(join(staged, page), packed);
}
for (const path of filesIn(staged)) {
  // The tarball holds the modes, which come from the umask under which it was cloned and built.
  const isExecutable = (fs.statSync(path).mode & 0o100) !== 0;
  fs.chmodSync(path, isExecutable ? 0o755 : 0o644);
}

// Without scripts: `prepack` would build again.
const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
const printed = execFileSync('npm', ['pack', ...options], { cwd: staged, encoding: 'utf8' });
// npm 12 prints an object with the package's name as its key, earlier versions a list.
const [{ filename }] = Object.values(JSON.parse(printed));
fs.renameSync(join(folder, filename), join(ROOT, TARBALL));
fs.rmSync(staged, { recursive: true });
console.log(`${sumOfTarball('sha256', 'hex')}  ${TARBALL}`);
