import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { readPart } from './parts.js';

const config = mergeConfig(base, {
  test: { setupFiles: ['test/mutation/seed.ts'], env: { RUNS: '300' } },
});
// Each mutant of a part has that part's tests run against it, so what tests something else stays away.
config.test.include = readPart().tests;
export default config;
