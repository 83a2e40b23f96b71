import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { toMoments, toMoney } from '../../inspector/picture.js';
import { splitLostDigits, toRows } from '../../inspector/rows.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const LATE = { paymentReceivedAt: '1790007200', expirationTime: '1790003600' };

test('the times of a deposit are in order, each as far from the next as it was', () => {
  expect(toMoments(inspectBody(deposit(LATE)))).toStrictEqual([
    { label: 'requested', time: '2026-09-21 14:13:20 UTC', share: 0.5, after: null },
    { label: 'link expires', time: '2026-09-21 15:13:20 UTC', share: 0.5, after: '60 min later' },
    {
      label: 'received',
      time: '2026-09-21 16:13:20 UTC',
      share: 0,
      after: '60 min after the link expired',
    },
  ]);
  const alone = deposit({ paymentReceivedAt: 'null', expirationTime: '"soon"' });
  expect(toMoments(inspectBody(alone))).toStrictEqual([]);
  expect(toMoments(inspectBody(withdrawal()))).toStrictEqual([]);
});

test('the amounts of a currency are bars, with the exact difference from what was expected', () => {
  const body = deposit({
    expectedDepositAmount: '"0.100000000000000001"',
    actualDepositAmount: '0.1',
    settlementRateDepegLossAmount: '-5',
  });
  const [coins, , settled] = toMoney(inspectBody(body));
  expect(coins).toMatchObject({
    currency: 'BTC',
    bars: [
      { label: 'expected', amount: '0.100000000000000001', note: '', share: 1 },
      { label: 'received', amount: '0.1', note: '0.000000000000000001 less than expected' },
    ],
  });
  expect(settled?.bars.at(-1)).toMatchObject({ label: 'depeg loss', amount: '-5', isFee: true });
  const nothing = deposit({ actualDepositAmount: '0', expectedDepositAmount: '0' });
  expect(toMoney(inspectBody(nothing))[0]?.bars).toMatchObject([{ share: 0 }, { share: 0 }]);
});

test.each([
  ['0.123456789012345678', ['0.1234567890123456', '78', '']],
  ['-100000000000000000001e-2', ['-10000000000000000000', '1', 'e-2']],
  ['0.01523', ['0.01523', '', '']],
])('%s has digits that a double loses', (literal, parts) => {
  expect(splitLostDigits(literal)).toStrictEqual(parts);
});

test('a field is a row: what was read, what was sent where it looks different, and remarks', () => {
  const fields = { status: undefined, paymentReceivedAt: '"1790001260"', network: 'null' };
  const { rows } = toRows(inspectBody(deposit({ ...fields, actualDepositAmount: '"1,5"' })));
  const rowOf = (name: string) => rows.find((row) => row.name === name);
  expect(rowOf('status')).toMatchObject({ read: [['', 'not sent']], sent: null });
  expect(rowOf('network')).toMatchObject({ read: [['', 'no value']], sent: ['null', '', ''] });
  expect(rowOf('clientPaymentId')).toMatchObject({ read: [['', 'order-10042']], sent: null });
  expect(rowOf('paymentReceivedAt')).toMatchObject({
    read: [['', '2026-09-21 14:34:20 UTC']],
    sent: ['"1790001260"', '', ''],
  });
  expect(rowOf('actualDepositAmount')).toMatchObject({
    read: [['', 'not read']],
    sent: ['"1,5"', '', ''],
    remarks: [{ kind: 'fault', text: 'expected a decimal number, received "1,5"' }],
  });
});

test('a body of thousands of fields has 200 rows', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `"x${index}":1`);
  const { rows, more } = toRows(inspectBody(deposit().replace(/\}$/, `,${names.join(',')}}`)));
  expect(rows).toHaveLength(200);
  expect(more).toBe(Object.keys(JSON.parse(deposit())).length + 5000 - 200);
});
