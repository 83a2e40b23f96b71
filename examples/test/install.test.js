// What a newcomer waits for.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const EXAMPLES = fileURLToPath(new URL('../', import.meta.url));
/** @param {string} path @returns {any} */
const readJSON = (path) => JSON.parse(readFileSync(join(EXAMPLES, path), 'utf8'));

for (const name of ['merchant', 'pipeline']) {
  test(`npm run ${name} installs what it imports, and no framework`, async () => {
    assert.match(readJSON('../package.json').scripts[name], RegExp(`install.js ${name} && `));
    const files = readdirSync(join(EXAMPLES, name)).filter((file) => file.endsWith('.js'));
    const { metafile } = await build({
      entryPoints: files.map((file) => join(EXAMPLES, name, file)),
      outdir: 'unused',
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const packages = imports
      .filter(({ external, path }) => external && !path.startsWith('node:'))
      .map(({ path }) => path.replace(/^(@[^/]+\/[^/]+|[^/]+).*/, '$1'));
    const { dependencies } = readJSON(`${name}/package.json`);
    assert.deepEqual([...new Set(packages)].sort(), Object.keys(dependencies));
  });
}
