import { defineConfig } from 'vitest/config';

/** The built command as a process: npm run test:cli builds it first. */
export default defineConfig({
  test: { include: ['test/process/**/*.test.ts'], testTimeout: 20_000 },
});
