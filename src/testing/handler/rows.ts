import type * as advice from './advice.js';
import {
  type Changes,
  labeled,
  part,
  type TestBody,
  type TestEvent,
  type Wanted,
} from './events.js';
import type { Trial } from './trial.js';

/** What a correct handler does. */
export type Behavior = (trial: Trial) => Promise<void>;
/** Behaviors by name. */
export type Behaviors = Readonly<Record<string, Behavior>>;

/** Changes that must not change what moves, and the likely causes if they do. */
export type Row = readonly [label: string, changes: Changes, causes: advice.Causes];

/** Different amounts, so that a change shows which one is missing. */
export const FIVE: readonly Wanted[] = ['0.71', '0.53', '0.37', '0.29', '0.83'].map((amount) => {
  return { amount };
});

/** An order that expects more than all deposits of a test. */
export const UNPAID: Changes = { expectedDepositAmount: '500', expectedDisplayAmount: '13800' };

/** Events that differ only in some fields: each of them is settled, or perhaps saved for review. */
export const eachIs =
  (verb: 'settles' | 'settlesOrReviews', rows: readonly Row[], amount = '0.75'): Behavior =>
  (trial) =>
    trial.each(
      rows,
      (one, [label, , causes]) => trial[verb](labeled(one, label), causes),
      ([, fields]) => ({ amount, fields }),
    );

/** What moves 0.8, though the order expects another amount, or another one was estimated. */
export const settlesFarFrom = (name: string, what: string, causes: advice.Causes): Behavior =>
  eachIs(
    'settles',
    ['1', '0.995', '1.005', '0.5', '2'].map((factor): Row => {
      const other = part('0.8', factor);
      const fields = { [name]: other, expectedDisplayAmount: part('20.8', factor) };
      return [`${other} ${what}`, fields, causes];
    }),
    '0.8',
  );

/** Events that are sent at the same time. */
export const together = (events: readonly TestEvent[]): TestBody[] =>
  events.map((one) => labeled(one, 'at the same time'));
