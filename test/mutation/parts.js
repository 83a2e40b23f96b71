/**
 * Loads every entry. If a mutant breaks the loading of a module, the files that import it have no
 * tests, and Stryker counts tests. In the parts of command and kit, the test of src loaded anew
 * notices that instead: it compares with modules that were loaded before Stryker's change, and this
 * test would load them again after it.
 */
const IMPORTS = 'test/imports.test.ts';

/**
 * What is mutated, in parts that run one after the other: the files, the tests that must notice a
 * mutant, the least percentage of mutants that they notice, and how often a property is tried.
 *
 * @typedef {{ mutate: string[], tests: string[], least: number, runs?: number }} Part
 *
 * @type {Readonly<Record<string, Part>>}
 */
export const PARTS = {
  parser: {
    mutate: ['src/*.ts', 'src/parser/**/*.ts'],
    tests: [
      'test/{hostile,valibot}.test.ts',
      'test/parser/**/*.test.ts',
      'test/mutation/parser-loaded-anew.test.ts',
      IMPORTS,
    ],
    least: 97,
    runs: 20,
  },
  inspect: {
    mutate: ['src/inspect/*.ts', '!src/inspect/display.ts'],
    tests: ['test/{inspect,inspector}/*.test.ts', IMPORTS],
    least: 90,
    runs: 20,
  },
  receiver: {
    mutate: ['src/receiver/*.ts', 'src/shared/{deadline,options,thrown}.ts'],
    tests: ['test/receiver/*.test.ts', IMPORTS],
    least: 95,
  },
  store: {
    mutate: ['src/store/*.ts'],
    tests: ['test/store/*.test.ts', IMPORTS],
    least: 95,
  },
  testing: {
    mutate: ['src/testing/**/*.ts', 'src/shared/{members,sample}.ts'],
    tests: ['test/testing/**/*.test.ts', 'test/mutation/kit-loaded-anew.test.ts'],
    least: 90,
  },
  cli: {
    // Only test/package/process.test.ts can test main.ts.
    mutate: ['src/cli/*.ts', '!src/cli/main.ts', 'src/inspect/display.ts', 'src/shared/redact.ts'],
    tests: [
      'test/{cli,inspector}/*.test.ts',
      'test/testing/deliver.test.ts',
      'test/mutation/command-loaded-anew.test.ts',
    ],
    least: 90,
  },
};

/** The part that the variable MUTATE names, which Stryker's processes inherit. */
export function readPart() {
  const name = process.env.MUTATE ?? 'parser';
  const part = PARTS[name];
  if (part === undefined) {
    throw new Error(`MUTATE: expected ${Object.keys(PARTS).join(', ')}, received "${name}"`);
  }
  return { name, runs: 300, ...part };
}
