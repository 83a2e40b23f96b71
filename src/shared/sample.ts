import deposit from '../../fixtures/deposit-received/sample.json' with { type: 'json' };
import failed from '../../fixtures/withdrawal-broadcast/failed.json' with { type: 'json' };
import withdrawal from '../../fixtures/withdrawal-broadcast/sample.json' with { type: 'json' };
import { DEPOSIT_RECEIVED, type DepositReceived } from '../parser/deposit-received.js';
import type { NotificationType } from '../parser/errors.js';
import type { Fields } from '../parser/objects.js';
import type { FieldOf, Rule } from '../parser/rules.js';
import { WITHDRAWAL_BROADCAST, type WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';

/** A complete body, in the service's field order. `undefined` marks a field that is not sent. */
export type Sample = Fields;

/** The field names of a deposit. */
export type DepositReceivedField = FieldOf<DepositReceived>;

/** The field names of a withdrawal, including both spellings of one field. */
export type WithdrawalBroadcastField = FieldOf<WithdrawalBroadcast> | 'deducedSettlementAmount';

/** Two spellings of one field: in the service's sample body, and in the service's field table. */
export const DEDUCTED = 'deductedSettlementAmount';
export const DEDUCED = 'deducedSettlementAmount';

/** A deposit, encoded like the service's sample. The values are made up. */
export const DEPOSIT_SAMPLE: Sample = deposit satisfies Record<DepositReceivedField, unknown>;

/** A completed withdrawal, encoded like the service's sample. The values are made up. */
export const WITHDRAWAL_SAMPLE: Sample = {
  ...withdrawal,
  [DEDUCED]: undefined,
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

/** How a sample encodes a field. An amount is a `number` or a `string`. */
export type Encoding = 'number' | 'string' | 'text' | 'time' | 'owner';

const RULES = new Map(Object.entries<Rule>({ ...DEPOSIT_RECEIVED, ...WITHDRAWAL_BROADCAST }));

/**
 * Returns how a sample encodes a field. An amount that the sample leaves out counts as a string.
 *
 * @param name - A field of either body. Fields with the same name have the same kind.
 */
export function encodingOf(sample: Sample, name: string): Encoding {
  const kind = RULES.get(name === DEDUCED ? DEDUCTED : name)?.type.kind;
  if (kind === 'timestamp') return 'time';
  if (kind === 'object') return 'owner';
  if (kind !== 'amount') return 'text';
  return sample[name] === null || typeof sample[name] === 'number' ? 'number' : 'string';
}
