import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyBody } from './fuzz/bodies.js';
import { examine, PARSERS } from './fuzz/examine.js';
import { runs } from './fuzz/runs.js';

/** How many names are on the prototypes that every object shares. */
const namesOnPrototypes = () =>
  [Object, Array, Function, String].map(({ prototype }) => Reflect.ownKeys(prototype).length);

// RUNS=1000000 for more. For a fault, fast-check prints the seed and the path that replay it.
test('any body is refused with a NotificationError, or read without loss, and alike again', {
  timeout: 3_600_000,
}, () => {
  const untouched = namesOnPrototypes();
  fc.assert(
    fc.property(anyBody, fc.constantFrom(...PARSERS), (body, safeParse) => {
      const fault = examine(body, safeParse);
      if (fault !== null) throw new Error(`${safeParse.name}, a body ${fault}: ${show(body)}`);
    }),
    { numRuns: runs(2000) },
  );
  expect(namesOnPrototypes()).toStrictEqual(untouched);
});

function show(body: unknown): string {
  return Buffer.isBuffer(body)
    ? `${JSON.stringify(`${body}`)}, in base64 ${body.toString('base64')}`
    : inspect(body, { depth: 2 });
}
