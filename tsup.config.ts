import { defineConfig } from 'tsup';

export default defineConfig([
  {
    entry: {
      index: 'src/index.ts',
      valibot: 'src/valibot.ts',
      // Shares nothing but types with the root, so that nothing of it is in the root's chunks.
      testing: 'src/testing/index.ts',
    },
    format: ['esm', 'cjs'],
    // The entries share their modules in either format, so that a schema is one object under both names.
    splitting: true,
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
    target: 'es2022',
  },
]);
