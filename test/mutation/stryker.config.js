import { readPart } from './parts.js';

const { name, mutate, least } = readPart();

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
  // Half of the parser runs at import, as do the options of the command, and each of their mutants
  // would meet all tests. Only loaded-anew.test.ts and command-loaded-anew.test.ts meet them.
  ignoreStatic: name === 'parser' || name === 'cli',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: 'coverage/stryker',
  incrementalFile: `coverage/mutation-${name}.json`,
  thresholds: { high: 100, low: least, break: least },
};
