import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.test.ts'],
    globalSetup: './pack.ts',
    // Most of the time goes to programs that the tests start, one core each.
    maxWorkers: '100%',
    maxConcurrency: availableParallelism(),
    // For what hangs: no test measures how long it takes by these.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Names each test, and says of a skipped one why.
    reporters: ['verbose'],
  },
});
