import { readPart } from './parts.js';

const { name, mutate, tests, least } = readPart();

// See run.js. Paths are from the root, where Stryker runs.
export default {
  testRunner: 'vitest',
  // parts.js lists the tests: with those related to a file, all tests would run for each mutant.
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  mutate,
  // No test checks types, and a disabled check would change a file that a test reads.
  disableTypeChecks: false,
  ignorePatterns: ['bench', 'examples/node_modules', 'dist', 'coverage'],
  coverageAnalysis: 'perTest',
  // If much of a part runs at import, only its test of src loaded anew meets those mutants.
  // Otherwise, each of them would meet all tests.
  ignoreStatic: tests.some((test) => test.endsWith('-loaded-anew.test.ts')),
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: 'coverage/stryker',
  incrementalFile: `coverage/mutation-${name}.json`,
  thresholds: { high: 100, low: least, break: least },
};
