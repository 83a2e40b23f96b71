import deposit from '../../fixtures/deposit-received/sample.json' with { type: 'json' };
import failed from '../../fixtures/withdrawal-broadcast/failed.json' with { type: 'json' };
import withdrawal from '../../fixtures/withdrawal-broadcast/sample.json' with { type: 'json' };
import { DEPOSIT_RECEIVED, type DepositReceived } from '../parser/deposit-received.js';
import type { NotificationType } from '../parser/errors.js';
import type { Fields } from '../parser/objects.js';
import type { FieldOf, Rule, Rules } from '../parser/rules.js';
import { nameOfRule, OTHER_SPELLING } from '../parser/spelling.js';
import { WITHDRAWAL_BROADCAST, type WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';

/** A complete body, in the service's field order. `undefined` marks a field that is not sent. */
export type Sample = Fields;

/** The field names of a deposit. */
export type DepositReceivedField = FieldOf<DepositReceived>;

/** The field names of a withdrawal, including both spellings of one field. */
export type WithdrawalBroadcastField = FieldOf<WithdrawalBroadcast> | typeof OTHER_SPELLING;

/** A deposit, encoded like the service's sample. The values are made up. */
export const DEPOSIT_SAMPLE: Sample = deposit satisfies Record<DepositReceivedField, unknown>;

/** A completed withdrawal, encoded like the service's sample. The values are made up. */
export const WITHDRAWAL_SAMPLE: Sample = {
  ...withdrawal,
  [OTHER_SPELLING]: undefined,
} satisfies Record<WithdrawalBroadcastField, unknown>;

/**
 * A failed or blocked withdrawal. The service doesn't document which fields such a body has. This
 * one leaves out those that the service doesn't document as required.
 */
export const NOT_COMPLETED_WITHDRAWAL_SAMPLE: Sample = Object.fromEntries(
  Object.keys(WITHDRAWAL_SAMPLE).map((name) => [name, (failed as Fields)[name]]),
);

/** One sample per type, with every documented field in its documented encoding. */
export const SAMPLES: Readonly<Record<NotificationType, Sample>> = {
  'deposit.received': DEPOSIT_SAMPLE,
  'withdrawal.broadcast': WITHDRAWAL_SAMPLE,
};

/** Returns the type of a field of a sample; null if the sample has no such field. */
export function typeOf(sample: Sample, name: string): Rule['type'] | null {
  const rules: Rules = 'depositId' in sample ? DEPOSIT_RECEIVED : WITHDRAWAL_BROADCAST;
  const rule = Object.entries(rules).find(([known]) => known === nameOfRule(name))?.[1];
  return rule?.type ?? null;
}
