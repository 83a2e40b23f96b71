import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { fixture, fixtures } from '../../fixtures/index.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const TO = 'rExampleXrpAddress111111111111111 with the tag 48291';
const WAIT =
  "Don't return the amount to the customer's balance until the service confirms that nothing was sent.";
const ASK = 'Ask the service about it. The endpoint should answer 400 and store the body.';
const ASK_IF = `If the service sent it like this, ask${ASK.slice('Ask'.length)}`;

const late = (seconds: number) => deposit({ paymentReceivedAt: `${1790003600 + seconds}` });
const withMore = (body: string, fields: string) => body.replace(/\}$/, `, ${fields}}`);
const twice = ['\\u202e', 'b', 'c', 'd', 'e'].map((name) => `"${name}": 1, "${name}": 1`).join();
const unexpected = { expectedDepositAmount: 'null', expectedDisplayAmount: 'null' };
const failed = { status: '"FAILED"' };

test.each<[what: string, body: string | Buffer, summary: string]>([
  [
    'as expected',
    deposit({ actualDepositAmount: '1.5230e-2', actualDisplayAmount: '"950.250"' }),
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  ],
  [
    'too few coins',
    deposit({ actualDepositAmount: '0.0152' }),
    'Order order-10042: 0.0152 BTC arrived, 0.00003 BTC less than the 0.01523 BTC expected. It is worth 950.25 EUR, exactly what was expected.',
  ],
  [
    'too much',
    fixture('deposit-received/overpaid').body,
    'Order order-10042: 0.02 BTC arrived, 0.00477 BTC more than the 0.01523 BTC expected. It is worth 1247.87 EUR, 297.62 EUR more than the 950.25 EUR expected.',
  ],
  [
    'another rate',
    deposit({ actualDisplayAmount: '940.00', rateType: '"FLOATING"' }),
    'Order order-10042: 0.01523 BTC arrived, exactly what was expected. It is worth 940 EUR, 10.25 EUR less than the 950.25 EUR expected.',
  ],
  [
    'only values can be compared',
    deposit({ expectedDepositAmount: '"x"' }),
    'Order order-10042: 0.01523 BTC arrived. It is worth 950.25 EUR, exactly what was expected. Check 1 warning: expectedDepositAmount.',
  ],
  [
    'nothing arrived',
    deposit({ actualDepositAmount: '"0.00"', ...unexpected }),
    'Order order-10042: a deposit arrived, but its amount is 0 BTC, worth 950.25 EUR. The expected amount is unknown.',
  ],
  [
    'late',
    late(5040),
    'Order order-10042: 0.01523 BTC arrived 84 min after the link expired, worth 950.25 EUR, exactly what was expected.',
  ],
  [
    'many warnings',
    fixture('deposit-received/unreadable-fields').body,
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR. The expected amount is unknown. Check 6 warnings: expectedDepositAmount, expectedDisplayAmount, displayServiceFee and 3 more.',
  ],
  [
    'fields sent twice, and a warning that changes nothing',
    withMore(withdrawal({ txAddressOwner: 'null' }), twice),
    `Withdrawal payout-7731 completed: 480.73 XRP to ${TO}. Sent more than once: "\\u202e", b, c and 2 more. The last value counts.`,
  ],
  [
    'no tag',
    withdrawal({ toTxAddress: '"bc1qexample"', withdrawCurrency: '"BTC"' }),
    'Withdrawal payout-7731 completed: 480.73 BTC to bc1qexample.',
  ],
  [
    'a tag in another form',
    withdrawal({ toTxAddress: '"rExample:495"' }),
    'Withdrawal payout-7731 completed: 480.73 XRP to "rExample:495". Check the destination tag, because the address has an unusual form.',
  ],
  [
    'nothing was sent',
    withdrawal({ actualWithdrawAmount: '0.00' }),
    `Withdrawal payout-7731 completed, but the body reports 0 XRP as sent to ${TO}.`,
  ],
  [
    'completed without an amount',
    withdrawal({ actualWithdrawAmount: undefined }),
    `Withdrawal payout-7731 completed, but the amount sent is unknown. The estimate was 480.76923077 XRP to ${TO}. Don't debit the estimate. Ask the service which amount was sent.`,
  ],
  [
    'failed',
    fixture('withdrawal-broadcast/failed').body,
    `Withdrawal payout-7731 failed. It was for an estimated 480.76923077 XRP to ${TO}. ${WAIT}`,
  ],
  [
    'failed with an amount, without a currency',
    withdrawal({ ...failed, withdrawCurrency: 'null' }),
    `Withdrawal payout-7731 failed, and the body reports 480.73 of an unknown currency as sent to ${TO}. ${WAIT}`,
  ],
  [
    'blocked, without an amount or an address',
    withdrawal({
      ...{ status: '"BLOCKED"', toTxAddress: 'null' },
      ...{ actualWithdrawAmount: 'null', estimatedWithdrawAmount: 'null' },
    }),
    `Withdrawal payout-7731 was blocked. ${WAIT} Check 1 warning: estimatedWithdrawAmount.`,
  ],
  [
    'a field is missing',
    deposit({ settlementAmount: undefined }),
    `The body of order order-10042 is refused: settlementAmount has no value. ${ASK}`,
  ],
  [
    'a field is wrong, and several others',
    withdrawal({ status: '"NEW"', withdrawalId: '"x"', clientWithdrawalId: '5' }),
    `The body of withdrawal x is refused for 3 faults. The first: status should be "COMPLETED" or "FAILED" or "BLOCKED", but is "NEW". ${ASK}`,
  ],
  [
    'both identifiers',
    withMore(deposit(), '"withdrawalId": "x"'),
    `The body of order order-10042 and withdrawal x is refused: it should have either a depositId or a withdrawalId, but has both. ${ASK}`,
  ],
  ['a list', '[]', `The body is refused: it should be a JSON object, but is an array. ${ASK_IF}`],
  [
    'too large',
    JSON.stringify(Array.from({ length: 99 }, () => deposit())),
    'The body is refused: it has more than 65536 bytes. Ask the service about it. The endpoint should answer 413 and store its start.',
  ],
])('%s', (_, body, summary) => {
  expect(inspectBody(body).summary).toBe(summary);
});

test('a body of the other endpoint: the callback URLs may be swapped', () => {
  const { summary } = inspectBody(withdrawal(), { as: 'deposit.received' });
  expect(summary).toBe(
    'The body of withdrawal payout-7731 is refused: it should be a deposit.received body, but is a withdrawal.broadcast body. Check whether the callback URLs are swapped. The endpoint should answer 400 and store the body.',
  );
});

test('of a saved body, nothing is said about the answer of the endpoint', () => {
  for (const body of ['{}', '[]', deposit({ status: 'null' }), 'x'.repeat(70_000), deposit()]) {
    const { summary } = inspectBody(body, { isSaved: true });
    expect(summary).not.toContain('endpoint');
    expect(inspectBody(body).summary.startsWith(summary)).toBe(true);
  }
});

test('every fixture has one printable line, without what is unknown', () => {
  for (const { id, body } of fixtures) {
    const { summary } = inspectBody(body);
    expect(summary, id).toMatch(/^(?:Order|Withdrawal|The body) [^\p{C}\p{Zl}\p{Zp}]+\.$/u);
    expect(summary, id).not.toMatch(/undefined|null |\.\.| {2}/);
  }
});

test.each(['500', '.5'])('a currency that does not begin with a letter is quoted: %s', (code) => {
  const { summary } = inspectBody(deposit({ depositCurrency: `"${code}"` }));
  expect(summary).toContain(`: 0.01523 "${code}" arrived`);
});

const LONG = 'x'.repeat(129);

test.each<[string, string]>([
  ['r\u202e\u3164', '"r\\u202e\\u3164"'],
  ['a\nb', '"a\\nb"'],
  ['a:b', '"a:b"'],
  ['a.', '"a."'],
  [`a:${'x'.repeat(60)}`, `"a:${'x'.repeat(60)}"`],
  ['заказ', '"заказ"'],
  [LONG, `"${'x'.repeat(40)}…" (129 characters)`],
  [LONG.slice(1), LONG.slice(1)],
])('a summary can not be forged with %j', (value, shown) => {
  const wire = JSON.stringify(value);
  const of = (body: string) => inspectBody(body).summary;
  expect(of(deposit({ clientPaymentId: wire }))).toContain(`Order ${shown}: 0.01523 BTC`);
  expect(of(deposit({ depositCurrency: wire }))).toContain(`: 0.01523 ${shown} arrived, `);
  expect(of(deposit({ displayCurrency: wire }))).toContain(`worth 950.25 ${shown}, exactly`);
  expect(of(withdrawal({ clientWithdrawalId: wire }))).toContain(`Withdrawal ${shown} completed`);
  expect(of(withdrawal({ withdrawCurrency: wire }))).toContain(`480.73 ${shown} to r`);
  const toTxAddress = JSON.stringify(`${value}?dt=${value}`);
  // An address is truncated later.
  const address = value === LONG ? `"${LONG.slice(1)}…" (129 characters)` : shown;
  expect(of(withdrawal({ toTxAddress }))).toBe(
    `Withdrawal payout-7731 completed: 480.73 XRP to ${address} with the tag ${shown}.`,
  );
});
