import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { deposit, type Wire, withdrawal } from '../sample-bodies.js';

const withMore = (body: string, fields: string) => body.replace(/\}$/, `, ${fields}}`);
type Row = [fields: Record<string, Wire>, ...sentences: string[]];

const unexpected = { expectedDepositAmount: 'null', expectedDisplayAmount: 'null' };
const WORTH = 'worth 950.25 EUR, exactly what was expected.';
const UNKNOWN = 'worth 950.25 EUR. The expected amount is unknown.';

const DEPOSITS: Row[] = [
  [{ actualDepositAmount: '1.5230e-2' }, `0.01523 BTC arrived, ${WORTH}`],
  [
    { actualDepositAmount: '0.0152' },
    '0.0152 BTC arrived, 0.00003 BTC less than the 0.01523 BTC expected.',
    `It is ${WORTH}`,
  ],
  [
    { actualDepositAmount: '0.02', actualDisplayAmount: '"1247.870"' },
    '0.02 BTC arrived, 0.00477 BTC more than the 0.01523 BTC expected.',
    'It is worth 1247.87 EUR, 297.62 EUR more than the 950.25 EUR expected.',
  ],
  [
    { actualDisplayAmount: '940.00', rateType: '"FLOATING"' },
    '0.01523 BTC arrived, exactly what was expected.',
    'It is worth 940 EUR, 10.25 EUR less than the 950.25 EUR expected.',
  ],
  [
    { expectedDepositAmount: '"x"' },
    `0.01523 BTC arrived. It is ${WORTH} Check 1 warning: expectedDepositAmount.`,
  ],
  [
    { actualDepositAmount: '"0.00"', ...unexpected },
    `a deposit arrived, but its amount is 0 BTC, ${UNKNOWN}`,
  ],
  [
    { paymentReceivedAt: '1790008640' },
    `0.01523 BTC arrived 84 min after the link expired, ${WORTH}`,
  ],
];

test.each(DEPOSITS)('a deposit with %j', (fields, ...sentences) => {
  const { summary } = inspectBody(deposit(fields));
  expect(summary).toBe(`Order order-10042: ${sentences.join(' ')}`);
});

const TO = 'rExampleXrpAddress111111111111111 with the tag 48291';
const WAIT = `Don't return the amount to the customer's balance \
until the service confirms that nothing was sent.`;
const FORM = 'Check the destination tag, because the address has an unusual form.';

const WITHDRAWALS: Row[] = [
  [{ txAddressOwner: 'null' }, `completed: 480.73 XRP to ${TO}.`],
  [{ toTxAddress: '"bc1q"', withdrawCurrency: '"BTC"' }, 'completed: 480.73 BTC to bc1q.'],
  [{ toTxAddress: '"rEx:495"' }, `completed: 480.73 XRP to "rEx:495". ${FORM}`],
  [{ actualWithdrawAmount: '0.00' }, `completed, but the body reports 0 XRP as sent to ${TO}.`],
  [
    { actualWithdrawAmount: undefined },
    `completed, but the amount sent is unknown. The estimate was 480.76923077 XRP to ${TO}.`,
    "Don't debit the estimate. Ask the service which amount was sent.",
  ],
  [
    { status: '"FAILED"', actualWithdrawAmount: 'null' },
    `failed. It was for an estimated 480.76923077 XRP to ${TO}. ${WAIT}`,
  ],
  [
    { status: '"FAILED"', withdrawCurrency: 'null' },
    `failed, and the body reports 480.73 of an unknown currency as sent to ${TO}. ${WAIT}`,
  ],
  [
    { status: '"BLOCKED"', actualWithdrawAmount: 'null', estimatedWithdrawAmount: 'null' },
    `was blocked. ${WAIT} Check 1 warning: estimatedWithdrawAmount.`,
  ],
  [
    { status: '"FAILED"', toTxAddress: 'null' },
    `failed, and the body reports 480.73 XRP as sent. ${WAIT}`,
  ],
];

test.each(WITHDRAWALS)('a withdrawal with %j', (fields, ...sentences) => {
  const { summary } = inspectBody(withdrawal(fields));
  expect(summary).toBe(`Withdrawal payout-7731 ${sentences.join(' ')}`);
});

test('at most three fields of one sort are named', () => {
  const names = ['\\u202e', 'b', 'c', 'd', 'e'];
  const twice = names.map((name) => `"${name}": 1, "${name}": 1`).join();
  expect(inspectBody(withMore(withdrawal(), twice)).summary).toContain(
    `${TO}. Sent more than once: "\\u202e", b, c and 2 more. The last value counts.`,
  );
  const fees = ['displayServiceFee', 'settlementServiceFee', 'onChainFee'];
  const losses = ['displayRateDepegLossAmount', 'settlementRateDepegLossAmount'];
  const unreadable = deposit(Object.fromEntries([...fees, ...losses].map((name) => [name, '"x"'])));
  expect(inspectBody(unreadable).summary).toContain(
    `Check 5 warnings: ${fees.join(', ')} and 2 more.`,
  );
});

const ASK = 'Ask the service about it. The endpoint should answer 400 and store the body.';
const ASK_IF = `If the service sent it like this, ask${ASK.slice('Ask'.length)}`;

test.each<[body: string, ...sentences: string[]]>([
  [
    deposit({ settlementAmount: undefined }),
    ` of order order-10042 is refused: settlementAmount has no value. ${ASK}`,
  ],
  [
    withdrawal({ status: '"NEW"', withdrawalId: '"x"', clientWithdrawalId: '5' }),
    ' of withdrawal x is refused for 3 faults. The first:',
    `status should be "COMPLETED" or "FAILED" or "BLOCKED", but is "NEW". ${ASK}`,
  ],
  [
    deposit({ clientPaymentId: undefined, depositId: '"x"' }),
    ' of deposit x is refused for 2 faults. The first:',
    `depositId should be a UUID, but is a string of length 1. ${ASK}`,
  ],
  [
    withMore(deposit(), '"withdrawalId": "x"'),
    ' of order order-10042 and withdrawal x is refused:',
    `it should have either a depositId or a withdrawalId, but has both. ${ASK}`,
  ],
  ['[]', ` is refused: it should be a JSON object, but is an array. ${ASK_IF}`],
  [
    'x'.repeat(70_000),
    ' is refused: it has more than 65536 bytes.',
    'Ask the service about it. The endpoint should answer 413 and store its start.',
  ],
])('a refused body: %.60s', (body, ...sentences) => {
  expect(inspectBody(body).summary).toBe(`The body${sentences.join(' ')}`);
});

test('a body of the other type at an endpoint', () => {
  expect(inspectBody(withdrawal(), { as: 'deposit.received' }).summary).toBe(
    'The body of withdrawal payout-7731 is refused: ' +
      'it should be a deposit.received body, but is a withdrawal.broadcast body. ' +
      'Check whether the callback URLs are swapped. ' +
      'The endpoint should answer 400 and store the body.',
  );
});

test('of a saved body, nothing is said about the answer of the endpoint', () => {
  for (const body of ['{}', '[]', deposit({ status: 'null' }), 'x'.repeat(70_000), deposit()]) {
    const { summary } = inspectBody(body, { isSaved: true });
    expect(summary).not.toContain('endpoint');
    expect(inspectBody(body).summary.startsWith(summary)).toBe(true);
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
