import { expect, test } from 'vitest';

// Stryker counts the tests that fail. If a mutant breaks the loading of a module, the files that
// import the module have no tests, so only this one fails.
test.each([
  () => import('../../src/index.js'),
  () => import('../../src/valibot.js'),
  () => import('../../src/inspect/index.js'),
  () => import('../../src/receiver/index.js'),
  () => import('../../src/store/index.js'),
  () => import('../../src/testing/index.js'),
])('every entry loads', async (load) => {
  expect(await load()).toBeTypeOf('object');
});
