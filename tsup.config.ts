import { defineConfig, type Options } from 'tsup';

const shared: Options = { target: 'es2022', splitting: true };

// Shortens statements, but keeps names and lines, so that a stack trace can be read. In the
// CommonJS build, a class would lose its name.
const shorten: Options['esbuildOptions'] = (options) => {
  options.minifySyntax = true;
};

// TypeScript 6 warns of an option that the declaration bundler still sets.
const dts = { compilerOptions: { ignoreDeprecations: '6.0' } };

// Entries that share chunks: there is one copy of the parser.
const entry = {
  index: 'src/index.ts',
  valibot: 'src/valibot.ts',
  inspect: 'src/inspect/index.ts',
  receiver: 'src/receiver/index.ts',
  store: 'src/store/index.ts',
  testing: 'src/testing/index.ts',
};

// Chunks of their own, so that a page that imports only these doesn't load decimal.js. The files of
// these names only export the chunks again: scripts/build.js removes them.
const chunks = {
  'chunks/enums': 'src/parser/enums.ts',
  'chunks/tx-address': 'src/parser/values/tx-address.ts',
};

// No build has `clean`: they run at once, and one would remove the declarations of another.
// scripts/build.js empties dist before.
export default defineConfig([
  {
    ...shared,
    entry: { ...entry, ...chunks, cli: 'src/cli/main.ts' },
    format: ['esm'],
    esbuildOptions: shorten,
  },
  { ...shared, entry, format: ['cjs'] },
  // scripts/build.js lets the declarations for `import` be the same.
  { ...shared, entry, format: ['cjs'], dts: { ...dts, only: true } },
]);
