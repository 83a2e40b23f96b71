/**
 * What is mutated, in parts that run one after the other: for each, the files, the tests that have to notice,
 * and how many mutants in a hundred they must.
 *
 * @type {Readonly<Record<string, { mutate: string[], tests: string[], least: number }>>}
 */
export const PARTS = {
  parser: {
    mutate: ['src/*.ts', 'src/internal/*.ts'],
    tests: [
      'test/*.test.ts',
      'test/internal/*.test.ts',
      'test/inspect/{index,quirks}.test.ts',
      '!test/{mirror,pages,regular-expressions,workflows}.test.ts',
    ],
    least: 96,
  },
  inspect: {
    mutate: ['src/inspect/*.ts', 'src/wire/*.ts'],
    tests: ['test/inspect/*.test.ts', 'test/testing/*.test.ts'],
    least: 90,
  },
  testing: { mutate: ['src/testing/*.ts'], tests: ['test/testing/*.test.ts'], least: 90 },
  cli: {
    // What ties the command to its process has no test within one.
    mutate: ['src/cli/*.ts', '!src/cli/main.ts'],
    tests: ['test/cli/*.test.ts'],
    least: 90,
  },
};

/** The part that the variable MUTATE names: it reaches the processes of Stryker, too. */
export function readPart() {
  const name = process.env.MUTATE ?? 'parser';
  const part = PARTS[name];
  if (part === undefined) {
    throw new Error(`MUTATE: expected ${Object.keys(PARTS).join(', ')}, received "${name}"`);
  }
  return { name, ...part };
}
