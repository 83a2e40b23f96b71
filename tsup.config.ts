import { defineConfig, type Options } from 'tsup';

const shared: Options = { target: 'es2022' };

// TypeScript 6 warns of an option that the declaration bundler still sets.
const dts = { compilerOptions: { ignoreDeprecations: '6.0' } };

// The inspector, the kit and the command are builds of their own: sharing chunks with them would cut the
// root into more files, and a cold import would pay for each. No build has `clean`, not even with a pattern:
// they run at once, and its declarations part would remove those of another. scripts/build.js empties dist
// before.
export default defineConfig([
  {
    ...shared,
    entry: { index: 'src/index.ts', valibot: 'src/valibot.ts' },
    format: ['esm', 'cjs'],
    // They share their modules in either format, so that a schema is one object under both names.
    splitting: true,
    dts,
  },
  { ...shared, entry: { inspect: 'src/inspect/index.ts' }, format: ['esm', 'cjs'], dts },
  { ...shared, entry: { testing: 'src/testing/index.ts' }, format: ['esm', 'cjs'], dts },
  { ...shared, entry: { cli: 'src/cli/main.ts' }, format: ['esm'] },
]);
