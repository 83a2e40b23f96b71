import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const TYPES = {
  either: undefined,
  deposit: 'deposit.received',
  withdrawal: 'withdrawal.broadcast',
} as const;

test('the summary of every fixture is as agreed on', async () => {
  const summaries = fixtures.map(({ id, body, endpoint }) => {
    const { summary } = inspectBody(body, { as: TYPES[endpoint] });
    return `${id}\n  ${summary}\n`;
  });
  // For a change that is meant: npm run update, and a review of what it did to this file.
  await expect(summaries.join('')).toMatchFileSnapshot('summaries.txt');
});

describe('a summary', () => {
  const dep = 'Order order-10042: 0.01523 BTC arrived';
  const sent = 'Withdrawal payout-7731 completed: 480.73 XRP';
  const to = 'to rExampleXrpAddress111111111111111 with the tag 48291';
  const ask =
    "Don't return the amount to the customer's balance until the service confirms that nothing was sent.";
  const refused = 'The body is refused: it should be a JSON object, but is';
  const store = 'The endpoint should answer 400 and store the body.';
  const answer = `Ask the service about it. ${store}`;
  const credit = `The body reports 0.01523 BTC, but don't credit it. ${answer}`;
  const faulty = deposit({ actualDepositAmount: '0,02' }).replace(/.{80}/g, '$&\n');

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
      `${dep}. It is worth 950.26 EUR, 0.01 EUR more than the 950.25 EUR expected. Check a warning: expectedDepositAmount.`,
    ],
    [
      'compares numbers, not text',
      deposit({ actualDepositAmount: '1.5230e-2', actualDisplayAmount: '"950.250"' }),
      `${dep}, worth 950.25 EUR, exactly what was expected.`,
    ],
    [
      'shows the difference of the largest and the smallest amount',
      deposit({ actualDepositAmount: '1e78', expectedDepositAmount: '1e-78' }),
      `Order order-10042: 1${'0'.repeat(78)} BTC arrived, ${'9'.repeat(78)}.${'9'.repeat(78)} BTC more than the 0.${'0'.repeat(77)}1 BTC expected, but its value of 950.25 EUR is exactly what was expected.`,
    ],
    [
      'says that nothing arrived',
      deposit({ actualDepositAmount: '0', actualDisplayAmount: '-0' }),
      'Order order-10042: a deposit arrived, but its amount is 0 BTC, 0.01523 BTC less than the 0.01523 BTC expected. It is worth 0 EUR, 950.25 EUR less than the 950.25 EUR expected.',
    ],
    [
      'says that nothing arrived, as expected',
      deposit({ actualDepositAmount: '"0.00"', expectedDepositAmount: '0' }),
      'Order order-10042: a deposit arrived, but its amount is 0 BTC, worth 950.25 EUR, exactly what was expected.',
    ],
    ...(
      [
        ['0.25', 'less than 1 s'],
        ['1', '1 s'],
        ['119', '119 s'],
        ['5040', '84 min'],
        ['7200', '2 h'],
        ['259200', '3 days'],
      ] as const
    ).map(([seconds, duration]): [string, string, string] => [
      `says that a deposit is late: ${seconds} s`,
      deposit({ paymentReceivedAt: `${1790003600 + Number(seconds)}` }),
      `${dep} ${duration} after the link expired, worth 950.25 EUR, exactly what was expected.`,
    ]),
    [
      'says that a late deposit is not what was expected',
      deposit({ paymentReceivedAt: '1790008640', actualDepositAmount: '0.02' }),
      'Order order-10042: 0.02 BTC arrived 84 min after the link expired, 0.00477 BTC more than the 0.01523 BTC expected, but its value of 950.25 EUR is exactly what was expected.',
    ],
    ...['1790003600', '1790003599.999', 'null', '"today"'].map(
      (paymentReceivedAt): [string, string, string] => [
        `does not say that a deposit is late: ${paymentReceivedAt}`,
        deposit({ paymentReceivedAt }),
        `${dep}, worth 950.25 EUR, exactly what was expected.${paymentReceivedAt === '"today"' ? ' Check a warning: paymentReceivedAt.' : ''}`,
      ],
    ),
    [
      'does not say that a deposit is late if the link has no time',
      deposit({ paymentReceivedAt: '1790008640', expirationTime: 'null' }),
      `${dep}, worth 950.25 EUR, exactly what was expected.`,
    ],
    [
      'says that a completed withdrawal sent nothing',
      withdrawal({ actualWithdrawAmount: '0.00' }),
      `Withdrawal payout-7731 completed, but the body reports 0 XRP as sent ${to}.`,
    ],
    [
      'names three fields that were sent more than once, in printable form, before the warnings',
      `${withdrawal({ txAddressOwner: 'null' }).slice(0, -1)}, ${['\\u202e', 'b', 'c', 'd', 'e'].map((name) => `"${name}": 1, "${name}": 1`)}}`,
      `${sent} ${to}. Sent more than once: "\\u202e", b, c and 2 more. The last value counts. A warning: txAddressOwner.`,
    ],
    [
      'says that a required field is missing',
      deposit({ settlementAmount: undefined }),
      `The body of order order-10042 is refused: settlementAmount is missing. ${credit}`,
    ],
    [
      'quotes the text null',
      deposit({ status: '"null"' }),
      `The body of order order-10042 is refused: status should be "CONFIRMED", but is "null". ${credit}`,
    ],
    [
      'says what a refused body reports, in plain digits, also an amount of 0',
      withdrawal({ status: '"NEW"', actualWithdrawAmount: '0e-9', withdrawCurrency: '"X: 5"' }),
      `The body of withdrawal payout-7731 is refused: status should be "COMPLETED" or "FAILED" or "BLOCKED", but is "NEW". The body reports 0 "X: 5", but don't debit it. ${answer}`,
    ],
    [
      'says no amount of a refused body without a currency',
      deposit({ depositCurrency: 'null' }),
      `The body of order order-10042 is refused: depositCurrency is null. ${answer}`,
    ],
    [
      'says no estimate of a refused body',
      withdrawal({ status: '"NEW"', actualWithdrawAmount: undefined }),
      `The body of withdrawal payout-7731 is refused: status should be "COMPLETED" or "FAILED" or "BLOCKED", but is "NEW". ${answer}`,
    ],
    [
      'says no amount of a refused body that sent several',
      `${deposit({ status: '"NEW"' }).slice(0, -1)}, "actualDepositAmount": 1}`,
      `The body of order order-10042 is refused: status should be "CONFIRMED", but is "NEW". ${answer}`,
    ],
    [
      'says no amount of a refused body that sent several currencies',
      `${withdrawal({ status: '"NEW"' }).slice(0, -1)}, "withdrawCurrency": "BTC"}`,
      `The body of withdrawal payout-7731 is refused: status should be "COMPLETED" or "FAILED" or "BLOCKED", but is "NEW". ${answer}`,
    ],
    [
      'says that a completed withdrawal has no amount',
      withdrawal({ actualWithdrawAmount: undefined }),
      `Withdrawal payout-7731 completed, but the body doesn't say which amount was sent. The estimate was 480.76923077 XRP ${to}. Don't debit the estimate. Ask the service which amount was sent.`,
    ],
    [
      'says that the expected coins are unreadable',
      deposit({ expectedDepositAmount: '"many"', expectedDisplayAmount: 'null' }),
      `${dep}, worth 950.25 EUR. The expected amount can't be read. Check a warning: expectedDepositAmount.`,
    ],
    [
      'says that the expected value is unreadable',
      deposit({ expectedDepositAmount: 'null', expectedDisplayAmount: '"many"' }),
      `${dep}, worth 950.25 EUR. The expected amount can't be read. Check a warning: expectedDisplayAmount.`,
    ],
    [
      'says that a failed withdrawal has an amount',
      withdrawal({ status: '"FAILED"' }),
      `Withdrawal payout-7731 failed, and the body reports 480.73 XRP as sent ${to}. ${ask}`,
    ],
    [
      'says that a blocked withdrawal has an amount, and no address',
      withdrawal({ status: '"BLOCKED"', toTxAddress: 'null' }),
      `Withdrawal payout-7731 was blocked, and the body reports 480.73 XRP as sent. ${ask} A warning: toTxAddress.`,
    ],
    [
      'says what a list contains',
      `[${deposit()}, ${deposit()}, ${withdrawal()}]`,
      `${refused} an array. It contains 2 deposits and 1 withdrawal. ${answer}`,
    ],
    [
      'says what an object around a body contains, as text as well',
      JSON.stringify({ event: 'deposit', payload: deposit(), more: JSON.stringify(withdrawal()) }),
      `The body is refused: it should have either a depositId or a withdrawalId, but has neither. It contains 1 deposit and 1 withdrawal. ${answer}`,
    ],
    [
      'says what text encoded twice contains',
      JSON.stringify(withdrawal()),
      `${refused} a JSON string. Check whether the body was encoded twice. It contains 1 withdrawal. ${store}`,
    ],
    [
      'says that text that is not JSON contains two bodies',
      `${deposit()}${withdrawal()}`,
      `${refused} JSON with an error at line 1, column ${deposit().length + 1}. It contains 1 deposit and 1 withdrawal. ${answer}`,
    ],
    [
      'does not say that a broken body contains itself',
      `${deposit()}\0`,
      `${refused} JSON with an error at line 1, column ${deposit().length + 1}. ${answer}`,
    ],
    [
      'does not look into a body that is too large',
      JSON.stringify(Array.from({ length: 99 }, () => deposit())),
      'The body is refused: it has more than 65536 bytes. Ask the service about it. The endpoint should answer 413 and store its start.',
    ],
    [
      'knows percent-encoding',
      encodeURIComponent(deposit()),
      `${refused} percent-encoded text. Decode it first.`,
    ],
    [
      'knows HTML entities',
      deposit().replaceAll('"', '&quot;'),
      `${refused} text with HTML entities. Decode it first.`,
    ],
    ...['&quot;', '&#34;', '&#x22;', '&amp;quot;'].map((quote): [string, string, string] => [
      `knows HTML entities in other text: ${quote}`,
      `<td>${deposit().replaceAll('"', quote)}</td>`,
      `${refused} text with HTML entities. Decode it first.`,
    ]),
    ...['\n', '\r\n'].map((end): [string, string, string] => [
      `knows the source of a mail, with ${JSON.stringify(end)}`,
      `Subject: Order\n\n${withdrawal().replaceAll('=', '=3D').replace(/.{75}/g, `$&=${end}`)}`,
      `${refused} a copy of the source of a mail, with = at the end of lines. Decode it first.`,
    ]),
    [
      'knows the quotes of a mail program',
      deposit().replaceAll('"', '”'),
      `${refused} text with the quotes “ ”, as a mail program makes them. Ask for the original.`,
    ],
    ...[/.{80}/g, /.{76}/g].flatMap((line) =>
      ['\n', '\r\n'].map((end): [string, string, string] => [
        `knows a copy with line breaks inside its texts: ${line}, ${JSON.stringify(end)}`,
        deposit().replace(line, `$&${end}`),
        `${refused} a copy with line breaks inside its texts. Ask for the original.`,
      ]),
    ),
    ...['[...]', '…', '...', '[…]', ' …'].map((end): [string, string, string] => [
      `knows a copy that ends early: ${end}`,
      `${withdrawal().slice(0, 400).replace(/.{80}/g, '$&\n')}${end}`,
      `${refused} a copy that ends early. Ask for the original.`,
    ]),
    [
      'knows no copy in a body that has another fault as well',
      `${faulty}…`,
      `${refused} JSON with an error at line 1, column ${faulty.indexOf('0,02') + 3}. ${answer}`,
    ],
    [
      'knows no copy in a body that is not an object',
      '[1, 2…',
      `${refused} JSON with an error at line 1, column 6. ${answer}`,
    ],
    [
      'knows what Node.js prints',
      "{\n  depositId: '3d6c",
      `${refused} an object that was printed, and not JSON.`,
    ],
    [
      'knows what Python prints',
      "{'depositId': None}",
      `${refused} an object that was printed, and not JSON.`,
    ],
  ])('%s', (_, body, summary) => {
    expect(inspectBody(body).summary).toBe(summary);
  });

  test('says that an object is empty, whatever the endpoint', () => {
    const { summary } = inspectBody('{}', { as: 'withdrawal.broadcast' });
    expect(summary).toBe(`The body is refused: no field was sent. ${answer}`);
  });

  test.each(['500', '.5', '_', '-', '1INCH'])(
    'quotes a currency that does not begin with a letter: %s',
    (code) => {
      const { summary } = inspectBody(deposit({ depositCurrency: `"${code}"` }));
      expect(summary).toContain(`: 0.01523 "${code}" arrived`);
    },
  );

  test('shows an identifier that begins with a digit as it is', () => {
    expect(inspectBody(deposit({ clientPaymentId: '"10042"' })).summary).toContain('Order 10042: ');
  });

  const long = 'x'.repeat(129);
  test.each<[string, string]>([
    ['r\u202e\u3164', '"r\\u202e\\u3164"'],
    ['a\nb', '"a\\nb"'],
    ['x: 5 BTC arrived.', '"x: 5 BTC arrived."'],
    ['a:b', '"a:b"'],
    ['a.', '"a."'],
    [`a:${'x'.repeat(60)}`, `"a:${'x'.repeat(60)}"`],
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
    // An address is truncated later.
    const to = value === long ? `"${long.slice(1)}…" (129 characters)` : shown;
    expect(of(withdrawal({ toTxAddress: address }))).toBe(
      `${sent} to ${to} with the tag ${shown}.`,
    );
  });

  test('shows an address with its parameters', () => {
    const address = `addr1${'x'.repeat(98)}?memo=4111111&a=1`;
    expect(address).toHaveLength(120);
    expect(inspectBody(withdrawal({ toTxAddress: `"${address}"` })).summary).toBe(
      `${sent} to "${address}". Check a warning: toTxAddress.`,
    );
  });
});
