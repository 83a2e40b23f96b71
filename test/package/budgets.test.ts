import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';

// Each is a tenth over the size on the day it was set, room for a few new fields. A commit that
// raises one says what it is spent on.
const WHOLE_JOB = 23_310;
const OWN_CODE = 7_480;
/** Names that a page in a browser imports, without the parser and decimal.js. */
const APART: [name: string, budget: number][] = [
  ['WithdrawalStatus', 120],
  ['splitToTxAddress', 1400],
];
/** The receiver, in a bundle that has the parser. */
const RECEIVER = 6_490;
const PACKED = 288_000;
/** Of dist. */
const CODE = 603_000;

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const consumer = inject('consumer');
const installed = join(consumer, 'node_modules/payment-notifications');

test(`reading a deposit takes at most ${WHOLE_JOB} bytes, dependencies and all`, async () => {
  const size = await sizeOf(deposit('payment-notifications'), consumer, 'bundle');
  console.info(`${size} bytes of ${WHOLE_JOB}`);
  expect(size).toBeLessThanOrEqual(WHOLE_JOB);
});

test(`reading a deposit takes at most ${OWN_CODE} bytes of our own code`, async () => {
  // From the source, where our own code is told apart by its imports.
  const size = await sizeOf(deposit('./index.ts'), SOURCE, 'external');
  console.info(`${size} bytes of ${OWN_CODE}`);
  expect(size).toBeLessThanOrEqual(OWN_CODE);
});

test.each(APART)('%s alone takes at most %i bytes, dependencies and all', async (name, budget) => {
  const size = await sizeOf(`export { ${name} } from 'payment-notifications';`, consumer, 'bundle');
  console.info(`${size} bytes of ${budget}`);
  expect(size).toBeLessThanOrEqual(budget);
});

test(`a receiver adds at most ${RECEIVER} bytes`, async () => {
  const parser = "export * from 'payment-notifications';";
  const receiver = "export * from 'payment-notifications/receiver';";
  const size =
    (await sizeOf(parser + receiver, consumer, 'bundle')) -
    (await sizeOf(parser, consumer, 'bundle'));
  console.info(`${size} bytes of ${RECEIVER}`);
  expect(size).toBeLessThanOrEqual(RECEIVER);
  expect(size).toBeGreaterThan(0);
});

test(`the package takes at most ${PACKED} bytes, and ${CODE} bytes of code once unpacked`, () => {
  const code = inject('files').filter((file) => file.startsWith('dist/'));
  const sizes = code.map((file) => sizeOfFile(join(installed, file)));
  expect(sizeOfFile(inject('tarball'))).toBeLessThanOrEqual(PACKED);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(CODE);
});

const sizeOfFile = (path: string) => statSync(path).size;

const deposit = (entry: string) => `export { parseDepositReceived } from '${entry}';`;

/** The size of a module after bundling, minifying and gzip, in bytes. */
async function sizeOf(
  contents: string,
  resolveDir: string,
  packages: 'bundle' | 'external',
): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    packages,
    write: false,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}
