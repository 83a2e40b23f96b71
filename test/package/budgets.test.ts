import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

// A kB is 1000 bytes. Whoever must raise a budget says in the commit what it is spent on.
const WHOLE_JOB = 19_000;
const OWN_CODE = 4_000;
const COLD_IMPORT = 1.25;
const ROUNDS = 15;

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const consumer = inject('consumer');

test(`reading a deposit takes at most ${WHOLE_JOB} bytes, dependencies and all`, async () => {
  const size = await sizeOf('payment-notifications', consumer, 'bundle');
  console.info(`${size} bytes of ${WHOLE_JOB}`);
  expect(size).toBeLessThanOrEqual(WHOLE_JOB);
});

test(`reading a deposit takes at most ${OWN_CODE} bytes of our own code`, async () => {
  // From the source: what is built holds lossless-json.
  const size = await sizeOf('./index.ts', SOURCE, 'external');
  console.info(`${size} bytes of ${OWN_CODE}`);
  expect(size).toBeLessThanOrEqual(OWN_CODE);
});

// A busy machine may slow down one measurement; a package that is too slow is so in all of them.
test(`a cold import takes at most ${COLD_IMPORT} times that of its dependencies`, {
  retry: 4,
}, async () => {
  await writeFile(join(consumer, 'dependencies.mjs'), `import 'valibot'; import 'decimal.js';`);
  await writeFile(join(consumer, 'package.mjs'), `import 'payment-notifications';`);
  const times: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push([await importTime('./dependencies.mjs'), await importTime('./package.mjs')]);
  }
  const dependencies = median(times.map(([time]) => time));
  const whole = median(times.map(([, time]) => time));
  const ratio = whole / dependencies;
  console.info(`${ratio.toFixed(2)} = ${whole.toFixed(1)} ms / ${dependencies.toFixed(1)} ms`);
  expect(ratio).toBeLessThanOrEqual(COLD_IMPORT);
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

/** Milliseconds that a fresh process takes to import a module. */
async function importTime(module: string): Promise<number> {
  const script = `const start = performance.now();
    await import('${module}');
    console.log(String(performance.now() - start));`;
  return Number(
    await output(process.execPath, ['--input-type=module', '--eval', script], consumer),
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
