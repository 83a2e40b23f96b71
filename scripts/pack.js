// Packs dist, which it builds if a source is newer, into the one tarball that is tested and published, and prints its
// sha256. The same sources give the same sum.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { filesIn, packedPaths, ROOT, readManifest, sumOfTarball, TARBALL } from './manifest.js';
import { packedReadme, readRepository, withoutDeadLinks } from './repository.js';

const build = [join(ROOT, 'scripts/build.js'), '--if-older', '--silent'];
execFileSync(process.execPath, build, { stdio: 'inherit' });

const folder = join(ROOT, dirname(TARBALL));
const staged = join(folder, 'staged');
rmSync(staged, { recursive: true, force: true });
const paths = packedPaths();
for (const path of paths) {
  cpSync(join(ROOT, path), join(staged, path), { recursive: true });
}
const manifest = readManifest();
const repository = readRepository(manifest);
if (repository) {
  const { homepage } = repository;
  const text = JSON.stringify({ ...manifest, homepage }, null, 2);
  writeFileSync(join(staged, 'package.json'), `${text}\n`);
}
const has = (/** @type {string} */ path) => existsSync(join(staged, path));
for (const page of paths.filter((path) => path.endsWith('.md'))) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const packed =
    page === 'README.md'
      ? packedReadme(text, has, repository)
      : withoutDeadLinks(text, page, has, repository);
  writeFileSync(join(staged, page), packed);
}
for (const path of filesIn(staged)) {
  // The tarball holds the modes, which come from the umask of whoever cloned or built.
  const isExecutable = (statSync(path).mode & 0o100) !== 0;
  chmodSync(path, isExecutable ? 0o755 : 0o644);
}

// Without scripts: `prepack` would build again.
const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
const printed = execFileSync('npm', ['pack', ...options], { cwd: staged, encoding: 'utf8' });
// npm 12 prints an object with the package's name as its key, earlier versions a list.
const [{ filename }] = Object.values(JSON.parse(printed));
renameSync(join(folder, filename), join(ROOT, TARBALL));
rmSync(staged, { recursive: true });
console.log(`${sumOfTarball('sha256', 'hex')}  ${TARBALL}`);
