// The tables of the fields for the benchmark, which runs without a compiler: dist doesn't export them.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const bundle = await build({
  stdin: {
    contents: `export * from '../scripts/schemas/tables.ts';`,
    resolveDir: fileURLToPath(new URL('../../src', import.meta.url)),
  },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
const [{ text = '' } = {}] = bundle.outputFiles;

/** @type {typeof import('../../scripts/schemas/tables.js')} */
export const source = await import(`data:text/javascript,${encodeURIComponent(text)}`);
