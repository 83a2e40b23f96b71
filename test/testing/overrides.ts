import fc from 'fast-check';
import {
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { nonNegativeAmount } from '../../src/internal/field-types.js';
import { FIELDS } from '../sample-bodies.js';

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });

/** Plain decimals of up to 40 digits, trailing zeros among them. */
const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.option(digits(20), { nil: null }))
  .map(([whole, fraction]) => (fraction === null ? `${whole}` : `${whole}.${fraction}`));

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });

const signedAmount = fc.oneof(
  amount,
  amount.filter((given) => /[1-9]/.test(given)).map((given) => `-${given}`),
);

/** What may be given for a field. */
function valuesOf(field: (typeof FIELDS)[number]): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'id':
      return fc.uuid();
    case 'text':
      return text;
    case 'amount':
      return field.type === nonNegativeAmount ? amount : signedAmount;
    case 'timestamp':
      return fc.nat({ max: 4_000_000_000 });
    case 'enum':
      return fc.constantFrom(...(ENUMS[`${field.of} ${field.name}`] ?? []));
    case 'address':
      return text.filter((given) => !given.startsWith('?dt='));
    case 'object':
      return fc.record({ name: fc.string(), category: fc.string() });
  }
}

const ENUMS: Record<string, string[]> = {
  'deposit status': ['CONFIRMED'],
  'deposit rateType': ['FIXED', 'FLOATING'],
  'withdrawal status': ['COMPLETED', 'FAILED', 'BLOCKED'],
};

/** Any fields of a body, with values that it may have; null and undefined where a field is optional. */
function overridesOf(of: 'deposit' | 'withdrawal'): fc.Arbitrary<Record<string, unknown>> {
  const fields = FIELDS.filter(
    (field) => field.of === of && field.name !== 'deducedSettlementAmount',
  ).map((field) => {
    const given = valuesOf(field);
    return [
      field.name,
      field.need !== 'optional' ? given : fc.oneof(given, fc.constantFrom(null, undefined)),
    ];
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

export const depositOverrides: fc.Arbitrary<DepositReceivedOverrides> = overridesOf('deposit');

export const withdrawalOverrides: fc.Arbitrary<WithdrawalBroadcastOverrides> =
  overridesOf('withdrawal');

/** A body of either kind, with either spelling. */
export const anyBody: fc.Arbitrary<string> = fc.oneof(
  depositOverrides.map((overrides) => depositReceivedBody(overrides)),
  withdrawalOverrides.map((overrides) => withdrawalBroadcastBody(overrides)),
  withdrawalOverrides.map(({ deductedSettlementAmount: deduced, ...overrides }) =>
    withdrawalBroadcastBody({
      ...overrides,
      deductedSettlementAmount: undefined,
      deducedSettlementAmount: deduced,
    }),
  ),
);
