import { defineConfig } from 'vitest/config';

/** The built command as a process: npm run test:package builds it first. */
export default defineConfig({
  // The limit is for what hangs: no test measures how long it takes by it.
  test: { include: ['test/process/**/*.test.ts'], testTimeout: 300_000 },
});
