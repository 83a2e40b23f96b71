import fc from 'fast-check';
import type {
  DepositReceivedOverrides,
  WithdrawalBroadcastOverrides,
} from 'payment-notifications/testing';
import { FIELDS } from '../wire.js';

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });

/** Plain decimals of up to 40 digits, trailing zeros among them. */
const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.option(digits(20), { nil: null }))
  .map(([whole, fraction]) => (fraction === null ? `${whole}` : `${whole}.${fraction}`));

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });

/** What may be given for a field, by the rule under which it is read. */
const GIVEN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  id: fc.uuid(),
  text,
  quantity: amount,
  'signed amount': fc.oneof(
    amount,
    amount.filter((given) => /[1-9]/.test(given)).map((given) => `-${given}`),
  ),
  timestamp: fc.nat({ max: 4_000_000_000 }),
  'rate type': fc.constantFrom('FIXED', 'FLOATING'),
  'deposit status': fc.constant('CONFIRMED'),
  'withdrawal status': fc.constantFrom('COMPLETED', 'FAILED', 'BLOCKED'),
  address: text.filter((given) => !given.startsWith('?dt=')),
  owner: fc.record({ name: fc.string(), category: fc.string() }),
};

/** Any fields of a body, with values that it may have; null and undefined where a field is optional. */
function overridesOf(of: 'deposit' | 'withdrawal'): fc.Arbitrary<Record<string, unknown>> {
  const fields = FIELDS.filter((field) => field.of === of).map(({ name, kind, required }) => {
    const given = GIVEN[kind] ?? fc.constant(`no values for ${kind}`);
    return [name, required ? given : fc.oneof(given, fc.constantFrom(null, undefined))];
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

export const depositOverrides: fc.Arbitrary<DepositReceivedOverrides> = overridesOf('deposit');

export const withdrawalOverrides: fc.Arbitrary<WithdrawalBroadcastOverrides> =
  overridesOf('withdrawal');
