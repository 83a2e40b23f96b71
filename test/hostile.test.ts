import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as tables from '../scripts/schemas/tables.js';
import { anyBody } from './fuzz/bodies.js';
import { createExamine, PARSER_COUNT } from './fuzz/examine.js';
import { runs } from './fuzz/random.js';

const examine = createExamine(tables);

// For millions of bodies: node test/fuzz/run.js.
test('any body is refused with a NotificationError, or read without loss, and equal after JSON', () => {
  fc.assert(
    fc.property(anyBody, fc.nat({ max: PARSER_COUNT - 1 }), (makeBody, parser) => {
      expect(examine(makeBody(), makeBody(), parser)).toBeNull();
    }),
    { numRuns: runs(2000) },
  );
});
