import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { readPart } from './parts.js';

const config = mergeConfig(base, {
  // Each run has a thread of its own anyway; to load src anew for each file would take most of the time.
  test: { isolate: false, setupFiles: ['test/mutation/seed.ts'], env: { RUNS: '300' } },
});
// Each mutant of a part has that part's tests run against it, so what tests something else stays away.
config.test.include = readPart().tests;
export default config;
