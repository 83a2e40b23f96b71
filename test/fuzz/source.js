// What the fuzzer needs of the package's inside: dist doesn't export it.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const bundle = await build({
  stdin: {
    contents: `
      export { toAmount } from './amount.js';
      export { findLiterals } from './internal/json.js';
      export * from '../scripts/schemas/tables.ts';
    `,
    resolveDir: fileURLToPath(new URL('../../src', import.meta.url)),
  },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
const [{ text = '' } = {}] = bundle.outputFiles;

/** @type {typeof import('../../src/amount.js') & typeof import('../../scripts/schemas/tables.js') & typeof import('../../src/internal/json.js')} */
export const source = await import(`data:text/javascript,${encodeURIComponent(text)}`);
