import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const TYPES = {
  either: undefined,
  deposit: 'deposit.received',
  withdrawal: 'withdrawal.broadcast',
} as const;

const NO_VALUE = { expectedDisplayAmount: undefined };
const NEW = { status: '"NEW"' };
const received = (paymentReceivedAt: string) => deposit({ paymentReceivedAt });
/** Received so many seconds after the link has expired. */
const late = (seconds: number) => received(`${1790003600 + seconds}`);
const withMore = (body: string, fields: string) => body.replace(/\}$/, `, ${fields}}`);
const twice = ['\\u202e', 'b', 'c', 'd', 'e'].map((name) => `"${name}": 1, "${name}": 1`).join();
const wrapper = { event: 'deposit', payload: deposit(), more: JSON.stringify(withdrawal()) };

/** By what each shows. */
const BODIES = {
  'coins alone are compared': deposit({ expectedDisplayAmount: 'null' }),
  'coins are missing': deposit({ expectedDepositAmount: '"0.01623"', ...NO_VALUE }),
  'the rate changed': deposit({ actualDisplayAmount: '940.00', rateType: '"FLOATING"' }),
  'values alone are compared': deposit({
    expectedDepositAmount: '"x"',
    actualDisplayAmount: '950.26',
  }),
  'numbers, not text': deposit({
    actualDepositAmount: '1.5230e-2',
    actualDisplayAmount: '"950.250"',
  }),
  'all digits': deposit({ actualDepositAmount: '1e78', expectedDepositAmount: '1e-78' }),
  'nothing arrived': deposit({ actualDepositAmount: '0', actualDisplayAmount: '-0' }),
  'nothing, as expected': deposit({ actualDepositAmount: '"0.00"', expectedDepositAmount: '0' }),
  'late by less than a second': late(0.25),
  'late by a second': late(1),
  'late by seconds': late(119),
  'late by two minutes': late(120),
  'late by minutes': late(5040),
  'late by hours': late(7200),
  'late by two days': late(172_800),
  'late by days': late(259_200),
  'late, and too much': deposit({ paymentReceivedAt: '1790008640', actualDepositAmount: '0.02' }),
  'in the last second': received('1790003600'),
  'just before': received('1790003599.999'),
  'no time of arrival': received('null'),
  'an unreadable time': received('"today"'),
  'the link has no end': deposit({ paymentReceivedAt: '1790008640', expirationTime: 'null' }),
  'unreadable coins': deposit({ expectedDepositAmount: '"x"', expectedDisplayAmount: 'null' }),
  'an unreadable value': deposit({ expectedDepositAmount: 'null', expectedDisplayAmount: '"x"' }),
  'nothing was sent': withdrawal({ actualWithdrawAmount: '0.00' }),
  'completed without an amount': withdrawal({ actualWithdrawAmount: undefined }),
  'completed without an amount, and a warning': withdrawal({
    actualWithdrawAmount: undefined,
    txAddressOwner: 'null',
  }),
  'failed with an amount': withdrawal({ status: '"FAILED"' }),
  'failed with an amount, without a currency': withdrawal({
    status: '"FAILED"',
    withdrawCurrency: 'null',
  }),
  'blocked with an amount, without an address': withdrawal({
    status: '"BLOCKED"',
    toTxAddress: 'null',
  }),
  'repeated fields before warnings': withMore(withdrawal({ txAddressOwner: 'null' }), twice),
  'a missing field': deposit({ settlementAmount: undefined }),
  'the text null': deposit({ status: '"null"' }),
  'refused, reports 0': withdrawal({
    ...NEW,
    actualWithdrawAmount: '0e-9',
    withdrawCurrency: '"X: 5"',
  }),
  'refused, without a currency': deposit({ depositCurrency: 'null' }),
  'refused, has an estimate alone': withdrawal({ ...NEW, actualWithdrawAmount: undefined }),
  'refused, has two amounts': withMore(deposit(NEW), '"actualDepositAmount": 1'),
  'refused, has two amounts that left': withMore(withdrawal(NEW), '"actualWithdrawAmount": 1'),
  'refused, has two currencies': withMore(withdrawal(NEW), '"withdrawCurrency": "BTC"'),
  'refused, has two currencies that arrived': withMore(deposit(NEW), '"depositCurrency": "LTC"'),
  'refused, names a withdrawal': withMore(deposit(NEW), '"clientWithdrawalId": "payout-1"'),
  'refused, names an order': withMore(withdrawal(NEW), '"clientPaymentId": "order-1"'),
  'a list': `[${deposit()}, ${deposit()}, ${withdrawal()}]`,
  'a list of deposits': `[${deposit()}, ${deposit()}]`,
  'a list in which one identifier has a value': '[{"depositId": "", "withdrawalId" : "x"}]',
  'an object around bodies': JSON.stringify(wrapper),
  'text encoded twice': JSON.stringify(withdrawal()),
  'two bodies': `${deposit()}${withdrawal()}`,
  'a broken body does not contain itself': `${deposit()}\0`,
  'too large to look into': JSON.stringify(Array.from({ length: 99 }, () => deposit())),
  'percent-encoding': encodeURIComponent(deposit()),
};

test('the summary of every fixture, and of what the fixtures lack, is as agreed on', async () => {
  const summaries = fixtures.map(({ id, body, endpoint }) => {
    return { id, summary: inspectBody(body, { as: TYPES[endpoint] }).summary };
  });
  const samples = summaries.filter(({ id }) => id.endsWith('/sample'));
  const isLikeSample = ({ id, summary }: (typeof summaries)[number]) =>
    !id.endsWith('/sample') && samples.some((sample) => sample.summary === summary);
  const listed = [
    // Those that say the same as a sample are left out.
    ...summaries.filter((one) => !isLikeSample(one)),
    ...Object.entries(BODIES).map(([id, body]) => ({ id, summary: inspectBody(body).summary })),
  ];
  const lines = listed.map(({ id, summary }) => `${id}: ${summary}\n`);
  // For a change that is meant: npm run update, and a review of what it did to this file.
  await expect(lines.join('')).toMatchFileSnapshot('summaries.txt');
});

test('an object is empty, whatever the endpoint', () => {
  const { summary } = inspectBody('{}', { as: 'withdrawal.broadcast' });
  expect(summary).toMatch(/^The body is refused: no field was sent\. /);
});

test.each(['500', '.5', '_', '-', '1INCH'])(
  'a currency that does not begin with a letter is quoted: %s',
  (code) => {
    const { summary } = inspectBody(deposit({ depositCurrency: `"${code}"` }));
    expect(summary).toContain(`: 0.01523 "${code}" arrived`);
  },
);

test('an identifier that begins with a digit is shown unchanged', () => {
  expect(inspectBody(deposit({ clientPaymentId: '"10042"' })).summary).toContain('Order 10042: ');
});

const LONG = 'x'.repeat(129);

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

test('an address is shown with its parameters', () => {
  const address = `addr1${'x'.repeat(98)}?memo=4111111&a=1`;
  const { summary } = inspectBody(withdrawal({ toTxAddress: `"${address}"` }));
  expect(summary).toContain(`480.73 XRP to "${address}". Check a warning: toTxAddress.`);
});
