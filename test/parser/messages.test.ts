import { safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { quote } from '../../src/parser/messages.js';
import { deposit, errorOf, messagesOf } from '../sample-bodies.js';

test.each([
  ['"a\\b\n🧾"', '"\\"a\\\\b\\n🧾\\""'],
  ['\u0000\u001b[31m\u202e\u2066', '"\\u0000\\u001b[31m\\u202e\\u2066"'],
  ['\u2028\u2029\u0085\ud800', '"\\u2028\\u2029\\u0085\\ud800"'],
  ['\u3164\u034f\u{e0001}', '"\\u3164\\u034f\\udb40\\udc01"'],
  ['x'.repeat(40), `"${'x'.repeat(40)}"`],
  ['x'.repeat(41), `"${'x'.repeat(40)}…" (41 characters)`],
  [`${'x'.repeat(39)}\n`, `"${'x'.repeat(39)}…" (40 characters)`],
])('a quoted text is one printable line of limited length: %j', (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

test('a message shows a number of 40 characters whole, and cuts a longer one', () => {
  const [whole, longer] = [`${'9'.repeat(36)}e+99`, `${'9'.repeat(37)}e+99`];
  const wire = { actualDepositAmount: whole, settlementAmount: longer };
  expect(messagesOf(safeParseDepositReceived(deposit(wire)))).toStrictEqual([
    expect.stringMatching(/received 9{36}e\+99$/),
    expect.stringMatching(/received 9{37}e\+9… \(41 characters\)$/),
  ]);
});

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
