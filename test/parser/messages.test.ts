import { safeParseDepositReceived } from 'payment-notifications';
import { expect, test } from 'vitest';
import { quote } from '../../src/parser/messages.js';
import { deposit, errorOf } from '../sample-bodies.js';

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
  expect(errorOf(safeParseDepositReceived(deposit(wire))).issues).toMatchObject([
    { received: whole },
    { received: `${longer.slice(0, 40)}… (41 characters)` },
  ]);
});

const LONGEST = 'x'.repeat(128);

test.each([
  ['has 128 characters', LONGEST, LONGEST],
  ['has 129 characters', `${LONGEST}x`, undefined],
  ['is printable', 'a "b" \\c: заказ №7 🧾', 'a "b" \\c: заказ №7 🧾'],
  ['has a line break', 'a\nb', undefined],
  ['is a number', 5, undefined],
  ['is empty', '', undefined],
])('the reference has an identifier only if it is safe to print: one that %s', (_, id, shown) => {
  const fields = { status: '"X"', clientPaymentId: JSON.stringify(id) };
  const { reference } = errorOf(safeParseDepositReceived(deposit(fields)));
  expect(reference.clientPaymentId).toBe(shown);
  expect(reference).toHaveProperty('paymentId');
});
