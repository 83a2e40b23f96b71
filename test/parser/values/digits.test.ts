import { Decimal as HostDecimal } from 'decimal.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HAS_KNOWN_PARTS, toAmount } from '../../../src/parser/values/amount.js';
import { splitDouble } from '../../../src/parser/values/digits.js';
import { runs } from '../../fuzz/runs.js';
import { decimalLiteral } from '../../fuzz/texts.js';

const EXAMPLES = [
  ...['999999999999999', '0.123456789012345', '1e-22', '-12345678.9', '10', '1000000'],
  `0.${'1'.repeat(78)}${'0'.repeat(20)}`,
];

/** The sign, the exponent and every word. -0 becomes 0. */
const partsOf = (decimal: HostDecimal | null) =>
  decimal && [decimal.isZero() ? 1 : decimal.s, decimal.e, decimal.d];

// For many more literals: RUNS=200000.
test('an amount has the same parts as a Decimal that decimal.js makes of it', () => {
  const literal = decimalLiteral.filter((text) => text.length <= 160);
  fc.assert(
    fc.property(literal, (text) => {
      for (const value of [text, Number(text)]) {
        const exact = new HostDecimal(value);
        const isWithinLimits = exact.precision() <= 78 && Math.abs(exact.e) <= 78;
        expect(partsOf(toAmount(value))).toStrictEqual(isWithinLimits ? partsOf(exact) : null);
      }
    }),
    { numRuns: runs(3000), examples: EXAMPLES.map((text) => [text]) },
  );
});

test('a double is read by arithmetic up to 15 digits and 22 decimals', () => {
  expect(HAS_KNOWN_PARTS).toBe(true);
  for (const value of [0, 999_999_999_999_999, 1e-22]) {
    expect(splitDouble(value)).toMatchObject({ s: 1, d: expect.any(Array) });
  }
  for (const value of [0.1 + 0.2, 1e15, 1e-23, 2 ** 53]) expect(splitDouble(value)).toBeNull();
});
