import { configDefaults, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { readPart } from './parts.js';

const { runs, tests, loadsAnew } = readPart();
const config = mergeConfig(base, { test: { env: { RUNS: `${runs}` } } });
// Only the tests of a part run against its mutants, and a test that loads its modules: if a mutant
// breaks the loading of a module, the files that import it have no tests, and Stryker counts tests.
// Not both: a test of src loaded anew needs modules that were loaded before Stryker's change.
config.test.include = loadsAnew ? tests : [...tests, 'test/imports.test.ts'];
config.test.exclude = configDefaults.exclude;
// It reads docblocks in our formatting. Stryker formats src anew, and copies the schemas that
// run.js has made.
config.test.globalSetup = [];
export default config;
