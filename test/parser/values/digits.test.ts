import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HAS_KNOWN_PARTS, toAmount } from '../../../src/parser/values/amount.js';
import { splitDouble } from '../../../src/parser/values/digits.js';
import { runs } from '../../fuzz/runs.js';
import { amountFault, decimalLiteral } from '../../fuzz/texts.js';

// For many more literals: RUNS=200000.
test('an amount has the same parts as a Decimal that decimal.js makes of the literal', () => {
  fc.assert(
    fc.property(decimalLiteral, (text) => {
      expect(amountFault(toAmount, text)).toBeNull();
    }),
    {
      numRuns: runs(3000),
      examples: [
        ...['999999999999999', '0.123456789012345', '1e-22', '-12345678.9', '10', '1000000'],
        `0.${'1'.repeat(78)}${'0'.repeat(20)}`,
      ].map((text) => [text]),
    },
  );
});

test('a double is read by arithmetic up to 15 digits and 22 decimals', () => {
  expect(HAS_KNOWN_PARTS).toBe(true);
  for (const value of [0, 999_999_999_999_999, 1e-22]) {
    expect(splitDouble(value)).toMatchObject({ s: 1, d: expect.any(Array) });
  }
  for (const value of [0.1 + 0.2, 1e15, 1e-23, 2 ** 53]) expect(splitDouble(value)).toBeNull();
});
