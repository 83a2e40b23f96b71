import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { fixture, fixtures } from '../../fixtures/index.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const TYPES = {
  either: undefined,
  deposit: 'deposit.received',
  withdrawal: 'withdrawal.broadcast',
} as const;

const SUMMARIES: Readonly<Record<string, string>> = {
  'deposit-received/sample':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/all-amounts-as-strings':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/all-optional-null':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR. The expected amount is missing or unreadable.',
  'deposit-received/byte-order-mark':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/compact':
    'Order order-10042: 0.01523 LTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/depeg-losses':
    'Order order-10042: 0.01523 USDT arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/depeg-losses-absent':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/duplicate-key':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/eighteen-decimals':
    'Order order-10042: 0.123456789012345678 ETH arrived, 0.000000000000000001 ETH less than the 0.123456789012345679 ETH expected. It is worth 950.25 EUR, exactly what was expected.',
  'deposit-received/empty-strings':
    'Order order-10042: 0.01523 BTC arrived. It is worth 950.25 EUR, exactly what was expected.',
  'deposit-received/empty-withdrawal-id':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/expected-amount-as-string':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/exponent':
    'Order order-10042: 0.00000001 BTC arrived, 0.01522999 BTC less than the 0.01523 BTC expected. It is worth 950.25 EUR, exactly what was expected.',
  'deposit-received/floating-rate':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/large-amount':
    'Order order-10042: 123456789012345678901234567890.123456789 SHIB arrived, 123456789012345678901234567890.108226789 SHIB more than the 0.01523 SHIB expected. It is worth 950.25 EUR, exactly what was expected.',
  'deposit-received/one-satoshi':
    'Order order-10042: 0.00000001 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/overpaid':
    'Order order-10042: 0.02 BTC arrived, 0.00477 BTC more than the 0.01523 BTC expected. It is worth 1247.87 EUR, 297.62 EUR more than the 950.25 EUR expected.',
  'deposit-received/rate-type-as-number':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected. Review a warning: rateType.',
  'deposit-received/required-only':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR. The expected amount is missing or unreadable.',
  'deposit-received/rfc-3339-times':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/shared-endpoint':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/timestamps-in-milliseconds':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/unicode-text':
    'Order "заказ-10042 🧾": 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/unknown-fields':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'deposit-received/unlisted-rate-type':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected. Review a warning: rateType.',
  'deposit-received/unreadable-fields':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR. The expected amount is missing or unreadable. Review 10 warnings: expectedDepositAmount, expectedDisplayAmount, displayServiceFee and 7 more.',
  'deposit-received/unreadable-times':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected. Review 3 warnings: paymentRequestedAt, paymentReceivedAt, expirationTime.',
  'deposit-received/upper-case-ids':
    'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.',
  'withdrawal-broadcast/sample':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/amounts-as-numbers':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/amounts-mixed':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/blocked':
    'Withdrawal payout-7731 was blocked: an estimated 480.76923077 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Before you refund it, ask the service whether it moved money.',
  'withdrawal-broadcast/blocked-with-empty-address':
    'Withdrawal payout-7731 was blocked: an estimated 480.76923077 XRP. Before you refund it, ask the service whether it moved money. Review a warning: toTxAddress.',
  'withdrawal-broadcast/both-spellings':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/both-spellings-one-null':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/conflicting-spellings':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review a warning: deductedSettlementAmount.',
  'withdrawal-broadcast/deduced-spelling':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/depeg-losses-absent':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/depeg-losses-null':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/eighteen-decimals':
    'Withdrawal payout-7731 completed: 0.999999999999999999 ETH to 0x00000000000000000000000000000000000e4a3b.',
  'withdrawal-broadcast/empty-tag':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111.',
  'withdrawal-broadcast/empty-transaction-id':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/failed':
    'Withdrawal payout-7731 failed: an estimated 480.76923077 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Before you refund it, ask the service whether it moved money.',
  'withdrawal-broadcast/failed-with-unreadable-address':
    'Withdrawal payout-7731 failed: an estimated 480.76923077 XRP. Before you refund it, ask the service whether it moved money. Review a warning: toTxAddress.',
  'withdrawal-broadcast/failed-without-address':
    'Withdrawal payout-7731 failed: an estimated 480.76923077 XRP. Before you refund it, ask the service whether it moved money. Review a warning: toTxAddress.',
  'withdrawal-broadcast/negative-actual-amount':
    "Withdrawal payout-7731 completed: an estimated 480.76923077 XRP to rExampleXrpAddress111111111111111 with the tag 48291. The actual amount is missing or unreadable: don't debit the estimate. Review a warning: actualWithdrawAmount.",
  'withdrawal-broadcast/no-tag':
    'Withdrawal payout-7731 completed: 480.73 BTC to bc1qexamplepayoutaddress00000000000000000.',
  'withdrawal-broadcast/owner-absent':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review a warning: txAddressOwner.',
  'withdrawal-broadcast/owner-as-text':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review a warning: txAddressOwner.',
  'withdrawal-broadcast/owner-name-null':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review a warning: txAddressOwner.name.',
  'withdrawal-broadcast/owner-null':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review a warning: txAddressOwner.',
  'withdrawal-broadcast/owner-with-unknown-field':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/owner-without-category':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review 2 warnings: txAddressOwner.name, txAddressOwner.category.',
  'withdrawal-broadcast/shared-endpoint':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291.',
  'withdrawal-broadcast/tag-with-leading-zeros':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 00482.',
  'withdrawal-broadcast/text-memo':
    'Withdrawal payout-7731 completed: 480.73 XLM to GEXAMPLESTELLARADDRESS00000000000000000000000000000000000 with the tag "memo%20of%20Ann?dt=1".',
  'withdrawal-broadcast/unreadable-spelling':
    'Withdrawal payout-7731 completed: 480.73 XRP to rExampleXrpAddress111111111111111 with the tag 48291. Review a warning: deductedSettlementAmount.',
  'invalid/address-empty':
    'The body of withdrawal payout-7731 is refused: toTxAddress should be an address, alone or followed by ?dt=<tag>, but is a tag without an address. Answer 400, store the body, and ask the service.',
  'invalid/amount-beyond-limits':
    'The body of order order-10042 is refused for 3 faults. The first: actualDepositAmount should be a decimal number of at most 160 characters, 78 digits and a magnitude within 1e±78, but is 1e400. Answer 400, store the body, and ask the service.',
  'invalid/amount-hexadecimal':
    'The body of order order-10042 is refused: settlementAmount should be a decimal number, but is "0x10". Answer 400, store the body, and ask the service.',
  'invalid/amount-infinity':
    'The body of order order-10042 is refused: settlementAmount should be a decimal number, but is "Infinity". Answer 400, store the body, and ask the service.',
  'invalid/amount-nan':
    'The body of order order-10042 is refused: settlementAmount should be a decimal number, but is "NaN". Answer 400, store the body, and ask the service.',
  'invalid/amount-of-another-type':
    'The body of order order-10042 is refused for 3 faults. The first: actualDepositAmount should be a decimal number, but is true. Answer 400, store the body, and ask the service.',
  'invalid/amount-with-comma':
    'The body of order order-10042 is refused: actualDepositAmount should be a decimal number, but is "12,5". Answer 400, store the body, and ask the service.',
  'invalid/amount-with-plus':
    'The body of order order-10042 is refused: settlementAmount should be a decimal number, but is "+1". Answer 400, store the body, and ask the service.',
  'invalid/amount-with-space':
    'The body of order order-10042 is refused: settlementAmount should be a decimal number, but is " 1". Answer 400, store the body, and ask the service.',
  'invalid/amount-with-underscore':
    'The body of order order-10042 is refused: settlementAmount should be a decimal number, but is "1_000". Answer 400, store the body, and ask the service.',
  'invalid/array':
    'The body is refused: it should be a JSON object, but is an array. Answer 400, store the body, and ask the service.',
  'invalid/base64':
    'The body is refused: it should be a JSON object, but is base64 text. Decode it first. Answer 400 and store the body.',
  'invalid/both-ids':
    'The body is refused: it should have either a depositId or a withdrawalId, but has both. Answer 400, store the body, and ask the service.',
  'invalid/cut-off':
    'The body is refused: it should be a JSON object, but is incomplete JSON of 300 characters. Answer 400, store the body, and ask the service.',
  'invalid/deposit-status':
    'The body of order order-10042 is refused: status should be "CONFIRMED", but is "PENDING". Answer 400, store the body, and ask the service.',
  'invalid/empty-address':
    'The body of withdrawal payout-7731 is refused: toTxAddress should be an address, alone or followed by ?dt=<tag>, but is an empty string. Answer 400, store the body, and ask the service.',
  'invalid/empty-body':
    'The body is refused: it should be a JSON object, but is an empty body. Check whether something else read it first. Answer 400 and store the body.',
  'invalid/empty-object':
    'The body is refused for 10 faults. The first: status should be "CONFIRMED", but is missing. Answer 400, store the body, and ask the service.',
  'invalid/empty-strings':
    'The body of order order-10042 is refused for 4 faults. The first: status should be "CONFIRMED", but is an empty string. Answer 400, store the body, and ask the service.',
  'invalid/empty-text':
    'The body of deposit 0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11 is refused: clientPaymentId should be a non-empty string, but is an empty string. Answer 400, store the body, and ask the service.',
  'invalid/encoded-twice':
    'The body is refused: it should be a JSON object, but is a JSON string. Check whether the body was encoded twice. Answer 400 and store the body.',
  'invalid/form-encoded':
    'The body is refused: it should be a JSON object, but is form-encoded text. The service posts JSON. Answer 400 and store the body.',
  'invalid/id-as-number':
    'The body of order order-10042 is refused: depositId should be a UUID, but is a number. Answer 400, store the body, and ask the service.',
  'invalid/ids':
    'The body of order order-10042 is refused for 2 faults. The first: depositId should be a UUID, but is a string of length 5. Answer 400, store the body, and ask the service.',
  'invalid/json-null':
    'The body is refused: it should be a JSON object, but is null. Answer 400, store the body, and ask the service.',
  'invalid/log-injection':
    'The body of deposit 0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11 is refused for 2 faults. The first: status should be "CONFIRMED", but is "CONFIRMED\\"\\n2026-11-21 INFO deposit cre…" (45 characters). Answer 400, store the body, and ask the service.',
  'invalid/lone-surrogate':
    'The body of deposit 0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11 is refused: clientPaymentId should be a non-empty string, but is a string of length 7 with a lone surrogate. Answer 400, store the body, and ask the service.',
  'invalid/many-faults':
    'The body of order order-10042 is refused for 4 faults. The first: status should be "CONFIRMED", but is null. Answer 400, store the body, and ask the service.',
  'invalid/missing-address':
    'The body of withdrawal payout-7731 is refused: toTxAddress should be an address, alone or followed by ?dt=<tag>, but is null. Answer 400, store the body, and ask the service.',
  'invalid/missing-fields':
    'The body of deposit 0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11 is refused for 2 faults. The first: clientPaymentId should be a non-empty string, but is null. Answer 400, store the body, and ask the service.',
  'invalid/negative-deposit':
    'The body of order order-10042 is refused for 2 faults. The first: actualDepositAmount should be zero or more, but is -0.00000001. Answer 400, store the body, and ask the service.',
  'invalid/negative-withdrawal':
    'The body of withdrawal payout-7731 is refused for 2 faults. The first: estimatedWithdrawAmount should be zero or more, but is "-480.76923077". Answer 400, store the body, and ask the service.',
  'invalid/neither-id':
    'The body is refused: it should have either a depositId or a withdrawalId, but has neither. Answer 400, store the body, and ask the service.',
  'invalid/nested-deeply':
    'The body is refused for 9 faults. The first: status should be "CONFIRMED", but is missing. Answer 400, store the body, and ask the service.',
  'invalid/not-utf-8':
    'The body is refused: it should be a JSON object, but is 50 bytes that are not UTF-8. Answer 400, store the body, and ask the service.',
  'invalid/notification-json':
    'The body is refused: it should be the body of a callback, but is the JSON of a notification. Read it with notificationFromJSON. Answer 400 and store the body.',
  'invalid/object-object':
    'The body is refused: it should be a JSON object, but is the name of an object. Pass the body itself, not String(body). Answer 400 and store the body.',
  'invalid/shared-endpoint-fault':
    'The body of withdrawal payout-7731 is refused: businessId should be a UUID, but is a string of length 4. Answer 400, store the body, and ask the service.',
  'invalid/too-large':
    'The body is refused: it has more than 65536 bytes. Answer 413, store its start, and ask the service.',
  'invalid/trailing-comma':
    'The body is refused: it should be a JSON object, but is 24 characters that are not JSON. Answer 400, store the body, and ask the service.',
  'invalid/withdrawal-at-deposit-endpoint':
    'The body is refused: it should be a deposit.received body, but is a withdrawal.broadcast body. Check whether the callback URLs are swapped. Answer 400 and store the body.',
  'invalid/withdrawal-status':
    'The body of withdrawal payout-7731 is refused: status should be "COMPLETED" or "FAILED" or "BLOCKED", but is "completed". Answer 400, store the body, and ask the service.',
};

test('every fixture has a summary', () => {
  expect(Object.keys(SUMMARIES)).toStrictEqual(fixtures.map(({ id }) => id));
});

test.each(Object.entries(SUMMARIES))('%s', (id, summary) => {
  const { body, endpoint } = fixture(id);
  expect(inspectBody(body, { as: TYPES[endpoint] }).summary).toBe(summary);
});

describe('a summary', () => {
  const dep = 'Order order-10042: 0.01523 BTC arrived';
  const sent = 'Withdrawal payout-7731 completed: 480.73 XRP';
  const to = 'to rExampleXrpAddress111111111111111 with the tag 48291';
  const ask = 'Before you refund it, ask the service whether it moved money.';
  const refused = 'The body is refused: it should be a JSON object, but is';
  const answer = 'Answer 400, store the body, and ask the service.';

  test.each<[string, string, string]>([
    [
      'compares coins alone, if the value was not stated',
      deposit({ expectedDisplayAmount: 'null' }),
      `${dep}, exactly what was expected. It is worth 950.25 EUR.`,
    ],
    [
      'says that coins are missing',
      deposit({ expectedDepositAmount: '"0.01623"', expectedDisplayAmount: undefined }),
      `${dep}, 0.001 BTC less than the 0.01623 BTC expected. It is worth 950.25 EUR.`,
    ],
    [
      'says that the rate changed',
      deposit({ actualDisplayAmount: '940.00', rateType: '"FLOATING"' }),
      `${dep}, exactly what was expected. It is worth 940 EUR, 10.25 EUR less than the 950.25 EUR expected.`,
    ],
    [
      'compares values alone, if the expected coins are unreadable',
      deposit({ expectedDepositAmount: '"many"', actualDisplayAmount: '950.26' }),
      `${dep}. It is worth 950.26 EUR, 0.01 EUR more than the 950.25 EUR expected. Review a warning: expectedDepositAmount.`,
    ],
    [
      'compares numbers, not text',
      deposit({ actualDepositAmount: '1.5230e-2', actualDisplayAmount: '"950.250"' }),
      `${dep}, worth 950.25 EUR, exactly what was expected.`,
    ],
    [
      'shows the difference of the largest and the smallest amount',
      deposit({ actualDepositAmount: '1e78', expectedDepositAmount: '1e-78' }),
      `Order order-10042: 1${'0'.repeat(78)} BTC arrived, ${'9'.repeat(78)}.${'9'.repeat(78)} BTC more than the 0.${'0'.repeat(77)}1 BTC expected. It is worth 950.25 EUR, exactly what was expected.`,
    ],
    [
      'says that nothing arrived',
      deposit({ actualDepositAmount: '0', actualDisplayAmount: '-0' }),
      'Order order-10042: 0 BTC arrived, 0.01523 BTC less than the 0.01523 BTC expected. It is worth 0 EUR, 950.25 EUR less than the 950.25 EUR expected.',
    ],
    [
      'says that a completed withdrawal has no amount',
      withdrawal({ actualWithdrawAmount: undefined }),
      `Withdrawal payout-7731 completed: an estimated 480.76923077 XRP ${to}. The actual amount is missing or unreadable: don't debit the estimate.`,
    ],
    [
      'says that a failed withdrawal has an amount',
      withdrawal({ status: '"FAILED"' }),
      `Withdrawal payout-7731 failed, but the body reports 480.73 XRP as sent ${to}. ${ask}`,
    ],
    [
      'says that a blocked withdrawal has an amount, and no address',
      withdrawal({ status: '"BLOCKED"', toTxAddress: 'null' }),
      `Withdrawal payout-7731 was blocked, but the body reports 480.73 XRP as sent. ${ask} Review a warning: toTxAddress.`,
    ],
    [
      'names a refused body by what is known',
      withdrawal({ clientWithdrawalId: '""' }),
      `The body of withdrawal 3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44 is refused: clientWithdrawalId should be a non-empty string, but is an empty string. ${answer}`,
    ],
    ['knows HTML', ' <!DOCTYPE html><p>', `${refused} an HTML page. ${answer}`],
    ['knows XML', '<?xml version="1.0"?>', `${refused} XML. ${answer}`],
    [
      'knows a UUID',
      '3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44\n',
      `${refused} a UUID alone. ${answer}`,
    ],
    ['knows a transaction', 'c0ffee25'.repeat(8), `${refused} a transaction ID alone. ${answer}`],
    ['knows a URL', 'https://example.com/callbacks', `${refused} a URL. ${answer}`],
    [
      'knows percent-encoding',
      encodeURIComponent(deposit()),
      `${refused} percent-encoded text. Decode it first. Answer 400 and store the body.`,
    ],
    [
      'knows HTML entities',
      deposit().replaceAll('"', '&quot;'),
      `${refused} text with HTML entities. Decode it first. Answer 400 and store the body.`,
    ],
    [
      'knows what Node.js prints',
      "{\n  depositId: '3d6c",
      `${refused} an object that was printed, and not JSON. ${answer}`,
    ],
    [
      'knows what Python prints',
      "{'depositId': None}",
      `${refused} an object that was printed, and not JSON. ${answer}`,
    ],
  ])('%s', (_, body, summary) => {
    expect(inspectBody(body).summary).toBe(summary);
  });

  test('of bytes is that of their text', () => {
    for (const text of ['<html>', deposit(), 'x']) {
      expect(inspectBody(Buffer.from(text)).summary).toBe(inspectBody(text).summary);
    }
  });

  const long = 'x'.repeat(129);
  test.each<[string, string]>([
    ['r\u202e\u3164', '"r\\u202e\\u3164"'],
    ['a\nb', '"a\\nb"'],
    ['x: 5 BTC arrived.', '"x: 5 BTC arrived."'],
    ['"', '"\\""'],
    ['<b>', '"<b>"'],
    ['заказ', '"заказ"'],
    [long, `"${'x'.repeat(40)}…" (129 characters)`],
    [long.slice(1), long.slice(1)],
  ])('can not be forged with %j', (value, shown) => {
    const wire = JSON.stringify(value);
    const of = (body: string) => inspectBody(body).summary;
    expect(of(deposit({ clientPaymentId: wire }))).toContain(`Order ${shown}: 0.01523 BTC`);
    expect(of(deposit({ depositCurrency: wire }))).toContain(`: 0.01523 ${shown} arrived, `);
    expect(of(deposit({ displayCurrency: wire }))).toContain(`worth 950.25 ${shown}, exactly`);
    expect(of(withdrawal({ clientWithdrawalId: wire }))).toContain(`Withdrawal ${shown} completed`);
    expect(of(withdrawal({ withdrawCurrency: wire }))).toContain(`480.73 ${shown} to r`);
    const address = JSON.stringify(`${value}?dt=${value}`);
    expect(of(withdrawal({ toTxAddress: address }))).toBe(
      `${sent} to ${shown} with the tag ${shown}.`,
    );
  });
});
