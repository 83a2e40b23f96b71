import { defineConfig } from 'tsup';

// Loaded as files of its own, it would cost a cold import as much as decimal.js. Whatever is listed here
// is a devDependency, and its licence stands in THIRD-PARTY-NOTICES.md.
const noExternal = ['lossless-json'];

export default defineConfig([
  {
    entry: {
      index: 'src/index.ts',
      valibot: 'src/valibot.ts',
      // Shares nothing with the root but types and the exact reader.
      testing: 'src/testing/index.ts',
    },
    format: ['esm', 'cjs'],
    // The entries share their modules in either format, so that a schema is one object under both names.
    splitting: true,
    noExternal,
    // TypeScript 6 warns of an option that the declaration bundler still sets.
    dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
    target: 'es2022',
    // Both builds run at once: neither may remove what the other wrote.
    clean: ['!cli.js'],
  },
  {
    // Of one piece: its share of the package must not cut the root into other chunks.
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    splitting: false,
    noExternal,
    target: 'es2022',
  },
]);
