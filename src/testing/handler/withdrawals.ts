import { WithdrawalStatus } from '../../parser/enums.js';
import { FINAL, MISSING, NO_AMOUNT, SHARED_KEY, STATUS } from './advice.js';
import { type Changes, labeled, NOTHING_MOVED } from './events.js';
import { optionalFields } from './forms.js';
import { type Behavior, type Behaviors, settlesFarFrom } from './rows.js';

const STATUSES = Object.values(WithdrawalStatus);

/** What a correct handler does with withdrawals only. */
export const WITHDRAWALS: Behaviors = {
  'what left is debited, near to the estimate or far from it': settlesFarFrom(
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
      () => ({}),
      async (one, [first, then]) => {
        const has = (label: string, status: string): Promise<void> =>
          settles(one.with({ status }, label), status === 'COMPLETED' ? FINAL : STATUS);
        await has(first, first);
        await has(`${first}, then ${then}`, then);
        await has(`${first}, ${then}, then ${first} again`, first);
        await has(`${first}, ${then}, then ${then} again`, then);
      },
    ),
  'a new withdrawal after one that FAILED is debited': async ({ event, settles }) => {
    const one = await event();
    await settles(one.with({ status: 'FAILED', ...NOTHING_MOVED }, 'FAILED'), STATUS);
    const again = await event({ fields: one.order });
    await settles(labeled(again, 'a new one of its clientWithdrawalId'), SHARED_KEY);
  },
  'without an amount, nothing is debited until the amount arrives': async (trial) => {
    const one = await trial.event();
    await trial.keeps(one.with(NOTHING_MOVED, 'without an amount'), NO_AMOUNT, NO_AMOUNT);
    await trial.settles(labeled(one, 'now with its amount'), NO_AMOUNT);
  },
};

/** The service doesn't document which fields it sends if nothing moved. */
function debitsNothing(status: string): Behavior {
  // The address is documented as required, but nothing was sent to one.
  const left = ['toTxAddress', ...optionalFields('withdrawal.broadcast')];
  const required = Object.fromEntries(left.map((name) => [name, undefined]));
  const forms: readonly (readonly [label: string, changes: Changes, answer?: string])[] = [
    ['with an amount', {}],
    ['without an amount', NOTHING_MOVED],
    ['with required fields only', required, MISSING],
  ];
  return ({ each, settles }) =>
    each(
      forms,
      () => ({}),
      (one, [label, changes, answer]) =>
        settles(one.with({ status, ...changes }, label), { ...STATUS, ...(answer && { answer }) }),
    );
}
