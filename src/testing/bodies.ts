import type { Decimal } from '../amount.js';
import type { DepositReceived } from '../deposit-received.js';
import { isDecimalLiteral } from '../internal/digits.js';
import { quote, REFERENCE_FIELDS } from '../internal/issues.js';
import type { TxAddress } from '../tx-address.js';
import { type WireFields, writeWire } from '../wire/members.js';
import {
  DEPOSIT_SAMPLE,
  type DepositReceivedField,
  type Encoding,
  encodingOf,
  NOT_COMPLETED_WITHDRAWAL_SAMPLE,
  type Sample,
  WITHDRAWAL_SAMPLE,
  type WithdrawalBroadcastField,
} from '../wire/sample.js';
import type { TxAddressOwner, WithdrawalBroadcast } from '../withdrawal-broadcast.js';

/** The given value of a field: an amount as its digits, a time as a UNIX time. */
type Override<T> = T extends Decimal
  ? string
  : T extends Date
    ? number
    : T extends TxAddress
      ? string
      : T extends TxAddressOwner
        ? Pick<TxAddressOwner, 'name' | 'category'>
        : T;

/** Fields of a deposit that differ from the sample's. `undefined` leaves a field out. */
export type DepositReceivedOverrides = {
  readonly [Field in DepositReceivedField]?: Override<DepositReceived[Field]> | undefined;
};

/** Fields of a withdrawal that differ from the sample's. `undefined` leaves a field out. */
export type WithdrawalBroadcastOverrides = {
  readonly [Field in Exclude<WithdrawalBroadcastField, 'deducedSettlementAmount'>]?:
    | Override<WithdrawalBroadcast[Field]>
    | undefined;
} & {
  /**
   * The other spelling of `deductedSettlementAmount`. Give that one as undefined or null beside it: two
   * amounts that differ conflict.
   */
  readonly deducedSettlementAmount?: string | null | undefined;
};

/** How a body is made. */
export interface BodyOptions {
  /**
   * From 0 to 2^48 - 1. Two seeds give two events, with identifiers that differ;
   * the same seed gives the same body. Without one, the identifiers are the sample's.
   */
  readonly seed?: number | undefined;
}

/**
 * The JSON text of a deposit-received body as the service sends it: in the encodings of the
 * documentation's sample, with values of our own.
 *
 * @param overrides - Fields that differ from the sample's. An amount is a string and is written digit
 * by digit, as a JSON number or string as the sample encodes that field. `undefined` leaves a field out.
 * @param options - A seed gives another event.
 * @throws TypeError for a field that a deposit does not have, or a value that can't be written; RangeError
 * for a seed out of its range.
 *
 * @example
 * ```ts
 * const body = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });
 * parseDepositReceived(body).actualDepositAmount.toString(); // '0.123456789012345678'
 * ```
 */
export function depositReceivedBody(
  overrides: DepositReceivedOverrides = {},
  options: BodyOptions = {},
): string {
  return writeBody(DEPOSIT_SAMPLE, overrides, options);
}

/**
 * The JSON text of a withdrawal broadcast body as the service sends it: in the encodings of the
 * documentation's sample, with values of our own.
 *
 * A FAILED or BLOCKED one has no fields that say what moved. Whether the service sends them is
 * undocumented; {@link bodyVariants} has them as null, too.
 *
 * @param overrides - As for {@link depositReceivedBody}.
 * @param options - A seed gives another event.
 * @throws TypeError for a field that a withdrawal does not have, or a value that can't be written;
 * RangeError for a seed out of its range.
 *
 * @example
 * ```ts
 * const body = withdrawalBroadcastBody({ status: 'FAILED' });
 * parseWithdrawalBroadcast(body).actualWithdrawAmount; // null
 * ```
 */
export function withdrawalBroadcastBody(
  overrides: WithdrawalBroadcastOverrides = {},
  options: BodyOptions = {},
): string {
  return writeBody(withdrawalSample(overrides.status), overrides, options);
}

/** The sample of a withdrawal with the given status. */
export function withdrawalSample(status: unknown): Sample {
  return status === 'FAILED' || status === 'BLOCKED'
    ? NOT_COMPLETED_WITHDRAWAL_SAMPLE
    : WITHDRAWAL_SAMPLE;
}

/** A sample with some fields replaced, as JSON text. */
export function writeBody(
  sample: Sample,
  overrides: Readonly<Record<string, unknown>>,
  { seed }: BodyOptions,
): string {
  const fields: WireFields = new Map();
  for (const [name, value] of Object.entries(sample)) {
    const isGiven = Object.hasOwn(overrides, name);
    const wire = isGiven
      ? write(name, encodingOf(sample, name), overrides[name])
      : JSON.stringify(seed === undefined ? value : seeded(name, value, seed));
    if (wire !== undefined) fields.set(name, wire);
  }
  for (const name of Object.keys(overrides)) {
    if (!Object.hasOwn(sample, name)) throw new TypeError(`the body has no field "${name}"`);
  }
  return writeWire(fields);
}

/** The values that can be written in an encoding, in words and as a test. */
type Fit = readonly [expected: string, fits: (value: unknown) => boolean];

const AMOUNT: Fit = [
  'a decimal number, given as a string such as "0.5"',
  (value) => typeof value === 'string' && isDecimalLiteral(value),
];

const FITS: Readonly<Record<Encoding, Fit>> = {
  number: AMOUNT,
  string: AMOUNT,
  text: ['a string', (value) => typeof value === 'string'],
  time: ['a UNIX time, given as a number', Number.isFinite],
  owner: ['an object with name and category', (value) => typeof value === 'object'],
};

/** The JSON text of one value; undefined for none. */
function write(name: string, as: Encoding, value: unknown): string | undefined {
  if (value === undefined || value === null) return JSON.stringify(value);
  const [expected, fits] = FITS[as];
  if (!fits(value)) throw new TypeError(`${name}: expected ${expected}, received ${quote(value)}`);
  return as === 'number' ? String(value) : JSON.stringify(value);
}

/** The largest seed: a UUID ends with 12 hexadecimal digits. */
const MAX_SEED = 2 ** 48 - 1;

/** An identifier that ends with the seed; every other value as it is. */
function seeded(name: string, value: unknown, seed: number): unknown {
  if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) {
    throw new RangeError(
      `seed: expected a whole number from 0 to ${MAX_SEED}, received ${quote(seed)}`,
    );
  }
  if (typeof value !== 'string' || !REFERENCE_FIELDS.some((id) => id === name)) return value;
  if (name.startsWith('client')) return value.slice(0, value.lastIndexOf('-') + 1) + seed;
  const digits = seed.toString(16).padStart(12, '0');
  return value.slice(0, -digits.length) + digits;
}
