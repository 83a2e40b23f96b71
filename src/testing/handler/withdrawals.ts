import { WithdrawalStatus } from '../../parser/enums.js';
import { changed } from '../variants.js';
import { readWire } from '../wire.js';
import * as advice from './advice.js';
import { labeled, NOTHING_MOVED } from './events.js';
import { optionalFields } from './forms.js';
import { type Behavior, type Behaviors, type Row, settlesFarFrom } from './rows.js';

const HASH = 'c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655';
const STATUSES = Object.values(WithdrawalStatus);

/** Amounts of a COMPLETED withdrawal that can't be debited, as JSON text. */
const UNREADABLE: readonly (readonly [label: string, amount: string | undefined])[] = [
  ['without an amount', undefined],
  ['with null as its amount', 'null'],
  ['with an amount that has a comma', '"1,5"'],
  ['with an amount below zero', '"-1"'],
];

/** What a correct handler does with withdrawals only. */
export const WITHDRAWALS: Behaviors = {
  'the actual amount is debited, not the estimate': settlesFarFrom(
    'estimatedWithdrawAmount',
    'estimated',
    {},
  ),
  'FAILED debits nothing': debitsNothing('FAILED'),
  'BLOCKED debits nothing': debitsNothing('BLOCKED'),
  'each status after another one is a new event, and only COMPLETED debits': ({ each, settles }) =>
    each(
      STATUSES.flatMap((first) =>
        STATUSES.filter((then) => then !== first).map((then) => [first, then] as const),
      ),
      async (one, [first, then]) => {
        const has = (label: string, status: string): Promise<void> =>
          settles(
            one.with({ status }, label),
            status === 'COMPLETED' ? advice.FINAL : advice.STATUS,
          );
        await has(first, first);
        await has(`${first}, then ${then}`, then);
        await has(`${first}, ${then}, then ${first} again`, first);
        await has(`${first}, ${then}, then ${then} again`, then);
      },
    ),
  'a new withdrawal after one that FAILED is debited': async ({ event, settles }) => {
    const one = await event();
    await settles(one.with({ status: 'FAILED', ...NOTHING_MOVED }, 'FAILED'), advice.STATUS);
    const again = await event({ fields: one.order });
    await settles(labeled(again, 'a new one of its clientWithdrawalId'), advice.SHARED_KEY);
  },
  'without an amount, nothing is debited until the amount arrives': ({ each, reviews, settles }) =>
    each(UNREADABLE, async (one, [label, actualWithdrawAmount]) => {
      const { body } = changed(label, readWire(one.body), { actualWithdrawAmount });
      await reviews({ ...one, body, label }, advice.NO_AMOUNT, advice.NO_AMOUNT);
      await settles(labeled(one, `${label}, now with its amount`), advice.NO_AMOUNT);
    }),
};

/** The service doesn't document which fields it sends if nothing moved. */
function debitsNothing(status: string): Behavior {
  const rows: readonly Row[] = [
    ['with an amount and a transactionId', { transactionId: HASH }, advice.STATUS],
    ['with an amount', {}, advice.STATUS],
    ['without an amount', NOTHING_MOVED, advice.STATUS],
  ];
  // The address is documented as required, but nothing was sent to one. A handler that insists on
  // it may refuse the webhook, if it saves it for review.
  const names = ['toTxAddress', ...optionalFields('withdrawal.broadcast')];
  const left = Object.fromEntries(names.map((name) => [name, undefined]));
  const label = 'without toTxAddress and each optional field';
  return async ({ event, each, settles, settlesOrReviews }) => {
    await each(rows, (one, [what, changes, causes]) =>
      settles(one.with({ status, ...changes }, what), causes),
    );
    const least = (await event()).with({ status, ...left }, label);
    await settlesOrReviews(least, { ...advice.STATUS, answer: advice.MISSING });
  };
}
