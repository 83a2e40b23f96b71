import { configDefaults, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { readPart } from './parts.js';

const { runs, tests } = readPart();
const config = mergeConfig(base, { test: { env: { RUNS: `${runs}` } } });
config.test.include = tests;
config.test.exclude = configDefaults.exclude;
// It reads docblocks in our formatting. Stryker formats src anew, and copies the schemas that
// run.js has made.
config.test.globalSetup = [];
export default config;
