import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';

// Each is a tenth over the size on the day it was set, room for a few new fields. A commit that raises one says
// what it is spent on.
const WHOLE_JOB = 21_310;
const OWN_CODE = 6_110;

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const consumer = inject('consumer');

test(`reading a deposit takes at most ${WHOLE_JOB} bytes, dependencies and all`, async () => {
  const size = await sizeOf('payment-notifications', consumer, 'bundle');
  console.info(`${size} bytes of ${WHOLE_JOB}`);
  expect(size).toBeLessThanOrEqual(WHOLE_JOB);
});

test(`reading a deposit takes at most ${OWN_CODE} bytes of our own code`, async () => {
  // From the source, where our own code is told apart by its imports.
  const size = await sizeOf('./index.ts', SOURCE, 'external');
  console.info(`${size} bytes of ${OWN_CODE}`);
  expect(size).toBeLessThanOrEqual(OWN_CODE);
});

/** The size of `parseDepositReceived` after bundling, minifying and gzip, in bytes. */
async function sizeOf(
  entry: string,
  resolveDir: string,
  packages: 'bundle' | 'external',
): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export { parseDepositReceived } from '${entry}';`, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    packages,
    write: false,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}
