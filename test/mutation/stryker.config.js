import { readPart } from './parts.js';

const { name, mutate, least } = readPart();

// See run.js. Paths are from the root, where Stryker runs.
export default {
  testRunner: 'vitest',
  // The tests of a part are listed: with those that are related to a file, all of them would run for each mutant.
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  mutate,
  // Nothing checks types here, and a test compares a file with what the site shows of it.
  disableTypeChecks: false,
  ignorePatterns: ['bench', 'examples/node_modules', 'dist', 'coverage'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: 'coverage/stryker',
  incrementalFile: `coverage/mutation-${name}.json`,
  thresholds: { high: 100, low: least, break: least },
};
