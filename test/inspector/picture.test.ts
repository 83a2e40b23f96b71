import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { toMoments, toMoney } from '../../inspector/picture.js';
import { deposit, withdrawal } from '../sample-bodies.js';

/** The bars of what was deposited, displayed or settled, by label. */
function barsOf(body: string, what: string) {
  const bars = toMoney(inspectBody(body)).find((one) => one.what === what)?.bars;
  return Object.fromEntries(bars?.map((bar) => [bar.label, bar]) ?? []);
}

test('the times of a deposit are in order, each as far from the next as it was', () => {
  const late = deposit({ paymentReceivedAt: '1790007200', expirationTime: '1790003600' });
  const after = '60 min after the link expired';
  expect(toMoments(inspectBody(late))).toStrictEqual([
    { label: 'requested', time: '2026-09-21 14:13:20 UTC', share: 0.5, after: null },
    { label: 'link expires', time: '2026-09-21 15:13:20 UTC', share: 0.5, after: '60 min later' },
    { label: 'received', time: '2026-09-21 16:13:20 UTC', share: 0, after },
  ]);
  const alone = deposit({ paymentReceivedAt: 'null', expirationTime: '"soon"' });
  for (const body of [alone, withdrawal()]) {
    expect(toMoments(inspectBody(body))).toStrictEqual([]);
  }
});

test('the amounts of a currency are bars, with the exact difference from what was expected', () => {
  const amounts = { expectedDepositAmount: '"0.100000000000000001"', actualDepositAmount: '0.1' };
  const body = deposit({ ...amounts, settlementRateDepegLossAmount: '-5' });
  expect(toMoney(inspectBody(body))[0]?.currency).toBe('BTC');
  expect(barsOf(body, 'deposited')).toMatchObject({
    expected: { amount: '0.100000000000000001', note: '', share: 1 },
    received: { amount: '0.1', note: '0.000000000000000001 less than expected' },
  });
  expect(barsOf(body, 'settled')['depeg loss']).toMatchObject({ amount: '-5', isFee: true });
  const nothing = deposit({ actualDepositAmount: '0', expectedDepositAmount: '0' });
  expect(barsOf(nothing, 'deposited')).toMatchObject({
    expected: { share: 0 },
    received: { share: 0 },
  });
});

test.each([
  ['"250.31"', '"250.31"'],
  ['"250.31"', 'null'],
  ['null', '"250.31"'],
  [undefined, '"250.31"'],
])('an amount that is sent in two spellings, %s and %s, has one bar', (usual, other) => {
  const fields = { deductedSettlementAmount: usual, deducedSettlementAmount: other };
  const settled = toMoney(inspectBody(withdrawal(fields))).at(-1);
  expect(settled?.bars.filter(({ label }) => label === 'debited')).toHaveLength(1);
});
