import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './pack.ts',
    // One after another: budgets.test.ts takes times, and the others start programs of their own.
    fileParallelism: false,
    // For what hangs: no test measures how long it takes by these.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Names each test, and says of a skipped one why.
    reporters: ['verbose'],
  },
});
