import deposit from '../../fixtures/deposit-received/sample.json' with { type: 'json' };
import failed from '../../fixtures/withdrawal-broadcast/failed.json' with { type: 'json' };
import withdrawal from '../../fixtures/withdrawal-broadcast/sample.json' with { type: 'json' };
import { type DepositReceived, readDepositReceived } from '../deposit-received.js';
import type { NotificationType } from '../errors.js';
import { type Fields, rulesOf } from '../internal/fields.js';
import { readWithdrawalBroadcast, type WithdrawalBroadcast } from '../withdrawal-broadcast.js';

/** A whole body as the service sends it, in its order; undefined for a field that is not sent. */
export type Sample = Fields;

type FieldOf<T> = Exclude<keyof T, 'type' | 'additionalFields' | 'warnings'>;

/** The names that a deposit has on the wire. */
export type DepositReceivedField = FieldOf<DepositReceived>;

/** The names that a withdrawal has on the wire, both spellings of one of them included. */
export type WithdrawalBroadcastField = FieldOf<WithdrawalBroadcast> | 'deducedSettlementAmount';

/** The two names of one amount: of the documentation's sample body, and of its field table. */
export const DEDUCTED = 'deductedSettlementAmount';
export const DEDUCED = 'deducedSettlementAmount';

/** A deposit in the encodings of the documentation's sample. The values are ours. */
export const DEPOSIT_SAMPLE: Sample = deposit satisfies Record<DepositReceivedField, unknown>;

/** A completed withdrawal in the encodings of the documentation's sample. The values are ours. */
export const WITHDRAWAL_SAMPLE: Sample = {
  ...withdrawal,
  [DEDUCED]: undefined,
} satisfies Record<WithdrawalBroadcastField, unknown>;

/**
 * A withdrawal that did not complete, without the fields that say what moved. Which fields such a
 * body has is undocumented; these are the ones that the documentation does not require.
 */
export const NOT_COMPLETED_WITHDRAWAL_SAMPLE: Sample = Object.fromEntries(
  Object.keys(WITHDRAWAL_SAMPLE).map((name) => [name, (failed as Fields)[name]]),
);

/** The samples by what they are: every documented field, and how it is encoded. */
export const SAMPLES: Readonly<Record<NotificationType, Sample>> = {
  'deposit.received': DEPOSIT_SAMPLE,
  'withdrawal.broadcast': WITHDRAWAL_SAMPLE,
};

/** The encoding of a field: an amount as a JSON number or string, text, a UNIX time, the owner object. */
export type Encoding = 'number' | 'string' | 'text' | 'time' | 'owner';

/** The kind of each field, by its rule. */
const KINDS = /* @__PURE__ */ new Map(
  /* @__PURE__ */ [readDepositReceived, readWithdrawalBroadcast]
    .flatMap((reader) => rulesOf(reader))
    .map(({ name, type }) => [name, type.kind]),
);

/**
 * The encoding of a field in a sample. An amount that isn't sent is a string, as in a withdrawal.
 *
 * @param name - A field of either body: a name that both have is of one kind in both.
 */
export function encodingOf(sample: Sample, name: string): Encoding {
  const kind = KINDS.get(name);
  if (kind === 'timestamp') return 'time';
  if (kind === 'object') return 'owner';
  if (kind !== 'amount') return 'text';
  return sample[name] === null || typeof sample[name] === 'number' ? 'number' : 'string';
}
