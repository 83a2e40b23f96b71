import { parseNotification } from 'payment-notifications';
import { expect, test } from 'vitest';
import { createEvents } from '../../src/inspect/events.js';
import { deposit, withdrawal } from '../sample-bodies.js';

/** What each body has to do with an earlier one. */
function relationsOf(bodies: readonly string[], most = 10): string[] {
  const relate = createEvents<number>(most);
  return bodies.map((body, index) => {
    const relation = relate(parseNotification(body), index + 1);
    if (relation === undefined) return 'unknown';
    return relation === null ? '' : `${relation.kind} ${relation.place}`;
  });
}

const ID = '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';

test.each<[what: string, bodies: string[], expected: string]>([
  ['the same text', [deposit(), deposit()], 'repeats 1'],
  ['another encoding', [deposit(), deposit({ actualDepositAmount: '"0.015230"' })], 'repeats 1'],
  ['an id in capitals', [deposit(), deposit({ depositId: `"${ID.toUpperCase()}"` })], 'repeats 1'],
  ['an optional field', [deposit(), deposit({ network: '"X"' })], 'repeats 1'],
  ['a warning', [withdrawal(), withdrawal({ txAddressOwner: undefined })], 'repeats 1'],
  ['an amount', [deposit(), deposit({ actualDepositAmount: '1' })], 'contradicts 1'],
  ['a currency', [deposit(), deposit({ settlementCurrency: '"USD"' })], 'contradicts 1'],
  ['an identity', [deposit(), deposit({ clientPaymentId: '"x"' })], 'contradicts 1'],
  ['an address', [withdrawal(), withdrawal({ toTxAddress: '"r?dt=1"' })], 'contradicts 1'],
  ['what was sent', [withdrawal(), withdrawal({ actualWithdrawAmount: 'null' })], 'contradicts 1'],
  ['another status', [withdrawal({ status: '"FAILED"' }), withdrawal()], 'contradicts 1'],
  [
    'a part that moved',
    [deposit(), deposit({ clientPaymentId: '"order-10042B"', depositCurrency: '"TC"' })],
    'contradicts 1',
  ],
])('two bodies of one event that differ in %s', (_, bodies, expected) => {
  expect(relationsOf(bodies)).toStrictEqual(['', expected]);
});

test('all are compared with the first, and no more events are kept than allowed', () => {
  const other = deposit({ actualDepositAmount: '1' });
  expect(relationsOf([deposit(), other, other, deposit()])).toStrictEqual([
    ...['', 'contradicts 1', 'contradicts 1', 'repeats 1'],
  ]);
  expect(relationsOf([deposit(), withdrawal(), deposit()], 1)).toStrictEqual([
    ...['', 'unknown', 'repeats 1'],
  ]);
});
