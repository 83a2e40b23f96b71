import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/valibot.ts'],
  format: ['esm', 'cjs'],
  // The entries share their modules in either format, so that a schema is one object under both names.
  splitting: true,
  // TypeScript 6 warns of an option that the declaration bundler still sets.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  target: 'es2022',
  // Loaded as files of its own, it would cost a cold import as much as decimal.js. Whatever is listed here
  // is a devDependency, and its licence stands in THIRD-PARTY-NOTICES.md.
  noExternal: ['lossless-json'],
  clean: true,
});
