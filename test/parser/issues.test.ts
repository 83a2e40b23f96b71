import { safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { deposit, errorOf } from '../sample-bodies.js';

describe('a reference', () => {
  const LONG = 'x'.repeat(129);
  test.each([
    ['a line break', '"a\\nb"'],
    ['129 characters', JSON.stringify(LONG)],
    ['a number', '5'],
    ['an empty string', '""'],
  ])('leaves out an identifier with %s', (_, wire) => {
    const result = safeParseDepositReceived(deposit({ status: '"X"', clientPaymentId: wire }));
    expect(errorOf(result).reference).not.toHaveProperty('clientPaymentId');
    expect(errorOf(result).reference).toHaveProperty('paymentId');
  });

  test.each([LONG.slice(1), 'заказ №7 🧾', 'a "b" \\c'])('takes %s', (text) => {
    const wire = JSON.stringify(text);
    const result = safeParseDepositReceived(deposit({ status: '"X"', clientPaymentId: wire }));
    expect(errorOf(result).reference.clientPaymentId).toBe(text);
  });
});
