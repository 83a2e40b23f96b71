import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';

// Each mutant of the parser has these tests run against it, so what tests something else stays away.
export default mergeConfig(
  base,
  defineConfig({
    test: {
      exclude: ['cli/**', 'testing/**', 'readme.test.ts', 'regular-expressions.test.ts'].map(
        (pattern) => `test/${pattern}`,
      ),
    },
  }),
);
