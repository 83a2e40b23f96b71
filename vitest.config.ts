import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = (name: string) => fileURLToPath(new URL(`./src/${name}.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^payment-notifications$/, replacement: source('index') },
      { find: /^payment-notifications\/valibot$/, replacement: source('valibot') },
      { find: /^payment-notifications\/(\w+)$/, replacement: source('$1/index') },
    ],
  },
  test: {
    setupFiles: 'test/fuzz/seed.ts',
    include: ['test/**/*.test.ts'],
    // Of the built command and of the packed package: npm run test:package.
    exclude: [...configDefaults.exclude, 'test/package/**'],
    // By default, vitest leaves one processor idle: half of a machine with two.
    maxWorkers: '100%',
    // To load src again for each file took a third of the time. So a test restores what it changes.
    isolate: false,
    // For what hangs: no test measures how long it takes by it.
    testTimeout: 300_000,
    coverage: {
      include: ['src/**'],
      // Ties the command line to its process, which only a process can show: npm run test:package.
      exclude: ['src/cli/main.ts'],
      // Without files that only export again: no line of them runs.
      reporter: [['text', { skipEmpty: true }]],
      thresholds: { statements: 100, branches: 100, functions: 100, lines: 100 },
    },
  },
});
