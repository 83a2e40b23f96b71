import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './pack.ts',
    // One after another: budgets.test.ts takes times, and the others start programs of their own.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Names each test, and says of a skipped one why.
    reporters: ['verbose'],
  },
});
