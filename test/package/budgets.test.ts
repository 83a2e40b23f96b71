import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const PACKAGE = 'payment-notifications';
const consumer = inject('consumer');
const installed = join(consumer, 'node_modules', PACKAGE);

/** The size of a module after bundling, minifying and gzip, in bytes. */
async function sizeOf(contents: string, isOurs = false): Promise<number> {
  const { outputFiles } = await build({
    // From the sources, where our own code is told apart by its imports.
    stdin: { contents, resolveDir: isOurs ? SOURCE : consumer },
    packages: isOurs ? 'external' : 'bundle',
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
}

const parser = `export * from '${PACKAGE}';`;
const sizeOfFiles = (paths: string[]) => paths.reduce((sum, path) => sum + statSync(path).size, 0);
const code = inject('files').filter((file) => file.startsWith('dist/'));

// Each budget is a tenth over the size on the day it was set, room for a few new fields. A commit
// that raises one says what it is spent on.
test.each<[what: string, budget: number, measure: () => number | Promise<number>]>([
  [
    'reading a deposit, with dependencies',
    23_310,
    () => sizeOf(`export { parseDepositReceived } from '${PACKAGE}';`),
  ],
  [
    'reading a deposit, our own code',
    7_480,
    () => sizeOf("export { parseDepositReceived } from './index.ts';", true),
  ],
  // Without the parser and decimal.js.
  ['the statuses alone', 120, () => sizeOf(`export { WithdrawalStatus } from '${PACKAGE}';`)],
  ['addresses alone', 1_400, () => sizeOf(`export { splitToTxAddress } from '${PACKAGE}';`)],
  [
    'a receiver, added to the parser',
    7_680,
    async () =>
      (await sizeOf(`${parser} export * from '${PACKAGE}/receiver';`)) - (await sizeOf(parser)),
  ],
  ['the tarball', 288_000, () => sizeOfFiles([inject('tarball')])],
  ['its code, unpacked', 603_000, () => sizeOfFiles(code.map((file) => join(installed, file)))],
])('%s: at most %i bytes', async (_, budget, measure) => {
  const size = await measure();
  console.info(`${size} bytes of ${budget}`);
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThanOrEqual(budget);
});
