import { inspect } from 'node:util';
import fc from 'fast-check';
import { test } from 'vitest';
import { anyBody } from './fuzz/bodies.js';
import { examine, PARSERS } from './fuzz/examine.js';
import { runs } from './fuzz/runs.js';

// RUNS=1000000 for more. For a fault, fast-check prints the seed and the path that replay it.
test('any body is refused with a NotificationError, or read without loss, and alike again', {
  timeout: 3_600_000,
}, () => {
  fc.assert(
    fc.property(anyBody, fc.constantFrom(...PARSERS), (body, safeParse) => {
      const fault = examine(body, safeParse);
      if (fault === null) return;
      const shown = Buffer.isBuffer(body) ? JSON.stringify(`${body}`) : inspect(body, { depth: 2 });
      throw new Error(`${safeParse.name}, a body ${fault}: ${shown}`);
    }),
    { numRuns: runs(2000) },
  );
});
