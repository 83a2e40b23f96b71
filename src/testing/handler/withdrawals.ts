import { WithdrawalStatus } from '../../parser/enums.js';
import * as advice from './advice.js';
import { type Changes, labeled, NOTHING_MOVED } from './events.js';
import { optionalFields } from './forms.js';
import { type Behavior, type Behaviors, settlesFarFrom } from './rows.js';

const HASH = 'c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655';
const STATUSES = Object.values(WithdrawalStatus);

/** What a correct handler does with withdrawals only. */
export const WITHDRAWALS: Behaviors = {
  'the actual amount is debited, not the estimate': settlesFarFrom(
    'estimatedWithdrawAmount',
    'estimated',
    {},
  ),
  'FAILED debits nothing': debitsNothing('FAILED'),
  'BLOCKED debits nothing': debitsNothing('BLOCKED'),
  'each status after each other one is an event, and debits once': ({ each, settles }) =>
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
  'without an amount, nothing is debited until the amount arrives': async (trial) => {
    const one = await trial.event();
    await trial.keeps(
      one.with(NOTHING_MOVED, 'without an amount'),
      advice.NO_AMOUNT,
      advice.NO_AMOUNT,
    );
    await trial.settles(labeled(one, 'now with its amount'), advice.NO_AMOUNT);
  },
};

/** The service doesn't document which fields it sends if nothing moved. */
function debitsNothing(status: string): Behavior {
  // The address is documented as required, but nothing was sent to one.
  const left = ['toTxAddress', ...optionalFields('withdrawal.broadcast')];
  const required = Object.fromEntries(left.map((name) => [name, undefined]));
  const forms: readonly (readonly [label: string, changes: Changes, answer?: string])[] = [
    ['with an amount and a transactionId', { transactionId: HASH }],
    ['with an amount', {}],
    ['without an amount', NOTHING_MOVED],
    ['with required fields only', required, advice.MISSING],
  ];
  return ({ each, settles }) =>
    each(forms, (one, [label, changes, answer]) =>
      settles(one.with({ status, ...changes }, label), {
        ...advice.STATUS,
        ...(answer && { answer }),
      }),
    );
}
