import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = (name: string) => fileURLToPath(new URL(`./src/${name}.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^payment-notifications$/, replacement: source('index') },
      { find: /^payment-notifications\/valibot$/, replacement: source('valibot') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // They need the network, and have a configuration of their own.
    exclude: [...configDefaults.exclude, 'test/package/**'],
    typecheck: { include: ['test/**/*.test-d.ts'], tsconfig: './test/tsconfig.json' },
    coverage: {
      include: ['src/**'],
      reporter: ['text'],
      thresholds: { statements: 100, branches: 100, functions: 100, lines: 100 },
    },
  },
});
