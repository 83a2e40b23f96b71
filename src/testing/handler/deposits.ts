import * as advice from './advice.js';
import { labeled } from './events.js';
import { TIMES, withTimes } from './forms.js';
import { type Behaviors, FIVE, settlesFarFrom, together, UNPAID } from './rows.js';

/** What a correct handler does with deposits only. */
export const DEPOSITS: Behaviors = {
  'the actual amount is credited, not the expected one': settlesFarFrom(
    'expectedDepositAmount',
    'expected',
    advice.DROPPED,
  ),
  'a webhook with a time in another form is credited, or saved for review': ({
    each,
    settlesOrReviews,
  }) =>
    each(Object.keys(TIMES), (one, form) =>
      settlesOrReviews(withTimes(one, form), advice.HARMLESS),
    ),
  'deposits that pay an order in parts add up': async ({ event, settles }) => {
    const one = await event({ amount: '0.7', fields: UNPAID });
    await settles(one, advice.DROPPED);
    const fields = { ...one.order, ...UNPAID };
    const second = await event({ amount: '0.5', fields });
    await settles(labeled(second, 'the second of its order'), advice.SHARED_KEY);
    const third = await event({ amount: '0.7', fields });
    await settles(labeled(third, 'the third of its order'), advice.SHARED_KEY);
  },
  'deposits that differ only in depositId are all credited': async ({ event, settles }) => {
    const one = await event({ fields: UNPAID });
    await settles(one, advice.DROPPED);
    const { transactionId } = JSON.parse(one.body);
    const other = await event({ fields: { ...one.order, ...UNPAID, transactionId } });
    await settles(
      labeled(other, 'another of its order, amount and transaction'),
      advice.SHARED_KEY,
    );
  },
  'a deposit after its order is paid is credited, or saved for review': async (trial) => {
    const expected = { expectedDepositAmount: '0.7', expectedDisplayAmount: '20.7' };
    const one = await trial.event({ amount: '0.7', fields: expected });
    await trial.settles(one);
    const other = await trial.event({ amount: '0.5', fields: { ...one.order, ...expected } });
    await trial.settlesOrReviews(labeled(other, 'the order is paid'), { change: advice.DROPPED });
  },
  'a second deposit in another currency is credited in that currency, or saved for review': async (
    trial,
  ) => {
    const one = await trial.event({ fields: UNPAID });
    await trial.settles(one, advice.DROPPED);
    const fields = { ...one.order, ...UNPAID, depositCurrency: 'LTC' };
    const other = await trial.event({ amount: '0.5', fields });
    await trial.settlesOrReviews(labeled(other, 'LTC'), advice.CURRENCY);
  },
  'five deposits of one order at the same time add up': async (trial) => {
    const one = await trial.event({ fields: UNPAID });
    await trial.settles(one, advice.DROPPED);
    const fields = { ...one.order, ...UNPAID };
    const sent = [one];
    await trial.races(
      FIVE.map((wanted) => ({ ...wanted, fields })),
      async (events) => {
        sent.push(...events);
        await trial.settles(together(events), advice.RACE);
      },
    );
    for (const early of sent.slice(0, 6)) {
      await trial.repeats(labeled(early, 'the first again'), advice.FORGOTTEN);
    }
  },
};
