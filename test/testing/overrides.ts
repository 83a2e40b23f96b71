import fc from 'fast-check';
import {
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { OTHER_SPELLING } from '../../src/parser/spelling.js';
import { FIELDS } from '../sample-bodies.js';

/** Plain decimals of up to 40 digits, trailing zeros among them. */
const amount = fc.stringMatching(/^(0|[1-9]\d{0,19})(\.\d{1,20})?$/);
const signedAmount = fc.stringMatching(/^(0|-?[1-9]\d{0,19})(\.\d{1,20})?$/);

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });

/** What may be given for a field. */
function valuesOf({ kind, type }: (typeof FIELDS)[number]): fc.Arbitrary<unknown> {
  const values: Record<typeof kind, fc.Arbitrary<unknown>> = {
    id: fc.uuid(),
    text,
    amount: type.kind === 'amount' && type.read(-1) === null ? amount : signedAmount,
    timestamp: fc.nat({ max: 4_000_000_000 }),
    enum: fc.constantFrom(...(type.values ?? [''])),
    address: text.filter((given) => !given.startsWith('?dt=')),
    object: fc.record({ name: fc.string(), category: fc.string() }),
  };
  return values[kind];
}

/**
 * Any fields of a body, with values that it may have; null and undefined where a field is optional.
 */
function overridesOf(of: 'deposit' | 'withdrawal'): fc.Arbitrary<Record<string, unknown>> {
  const fields = FIELDS.filter((field) => field.of === of && field.name !== OTHER_SPELLING).map(
    (field) => {
      const given = valuesOf(field);
      const isOptional = field.need === 'optional';
      return [field.name, isOptional ? fc.oneof(given, fc.constantFrom(null, undefined)) : given];
    },
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

export const depositOverrides: fc.Arbitrary<DepositReceivedOverrides> = overridesOf('deposit');

export const withdrawalOverrides: fc.Arbitrary<WithdrawalBroadcastOverrides> =
  overridesOf('withdrawal');

const withdrawalBody = withdrawalOverrides.map((overrides) => withdrawalBroadcastBody(overrides));

/** A body of either kind, with either spelling. */
export const anyBody: fc.Arbitrary<string> = fc.oneof(
  depositOverrides.map((overrides) => depositReceivedBody(overrides)),
  withdrawalBody,
  withdrawalBody.map((body) => body.replace('deductedSettlementAmount', OTHER_SPELLING)),
);
