import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/valibot.ts'],
  format: ['esm', 'cjs'],
  // The entries share their modules in either format, so that a schema is one object under both names.
  splitting: true,
  // TypeScript 6 warns of an option that the declaration bundler still sets.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  target: 'es2022',
  clean: true,
});
