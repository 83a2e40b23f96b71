import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyBody } from './fuzz/bodies.js';
import { examine, PARSER_COUNT } from './fuzz/examine.js';
import { runs } from './fuzz/random.js';

// For millions of bodies: node test/fuzz/run.js.
test('any body is refused with a NotificationError, or read without loss, and equal after JSON', () => {
  fc.assert(
    fc.property(anyBody, fc.nat({ max: PARSER_COUNT - 1 }), (makeBody, parser) => {
      expect(examine(makeBody(), makeBody(), parser)).toBeNull();
    }),
    { numRuns: runs(2000) },
  );
});
