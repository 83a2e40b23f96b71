import type { DepositReceived } from '../parser/deposit-received.js';
import { describe, quote, REFERENCE_FIELDS } from '../parser/messages.js';
import type { Decimal } from '../parser/values/amount.js';
import { isDecimalLiteral } from '../parser/values/digits.js';
import { timestamp } from '../parser/values/timestamp.js';
import type { TxAddress } from '../parser/values/tx-address.js';
import type { TxAddressOwner, WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { isJson } from '../shared/members.js';
import {
  DEPOSIT_SAMPLE,
  type DepositReceivedField,
  NOT_COMPLETED_WITHDRAWAL_SAMPLE,
  type Sample,
  typeOf,
  WITHDRAWAL_SAMPLE,
  type WithdrawalBroadcastField,
} from './sample.js';
import { type WireFields, writeWire } from './wire.js';

/** The type of an override: digits for an amount; for a time, any form that the parser reads. */
type Override<T> = T extends Decimal
  ? string
  : T extends Date
    ? number | string
    : T extends TxAddress
      ? string
      : T extends TxAddressOwner
        ? Pick<TxAddressOwner, 'name' | 'category'>
        : T;

/** Fields of a deposit to change. `undefined` removes a field. */
export type DepositReceivedOverrides = {
  readonly [Field in DepositReceivedField]?: Override<DepositReceived[Field]> | undefined;
};

/** Fields of a withdrawal to change. `undefined` removes a field. */
export type WithdrawalBroadcastOverrides = {
  readonly [Field in Exclude<WithdrawalBroadcastField, 'deducedSettlementAmount'>]?:
    | Override<WithdrawalBroadcast[Field]>
    | undefined;
} & {
  /**
   * The other spelling of `deductedSettlementAmount`. If you set it, set that one to undefined or
   * null.
   */
  readonly deducedSettlementAmount?: string | null | undefined;
};

/** Options of a sample body. */
export interface BodyOptions {
  /**
   * A whole number from 0 to 2^48 - 1. Each seed makes a different event, with its own identifiers;
   * the same seed always makes the same body. Without a seed, the identifiers are the sample's.
   */
  readonly seed?: number | undefined;
  /**
   * Fields that this version doesn't know, as JSON text, which is written unchanged, so that no
   * digit is lost: `{ networkFeeAmount: '0.10', memoText: JSON.stringify('hi') }`. They come last
   * in the body.
   */
  readonly additional?: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes a deposit body, encoded like the documented sample.
 *
 * @param overrides - Fields to change. Pass an amount as a string: it is written digit for digit,
 * as a number or a string like in the sample. `undefined` removes a field.
 * @param options - `seed` makes a different event; `additional` adds fields that this version
 * doesn't know.
 * @throws TypeError for an unknown field or an invalid value; RangeError for an invalid seed.
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
 * Makes a withdrawal body, encoded like the documented sample.
 *
 * A FAILED or BLOCKED withdrawal has only the fields that the service documents as required. The
 * service doesn't say whether it sends others; {@link bodyVariants} also includes them as null.
 *
 * @param overrides - As for {@link depositReceivedBody}.
 * @param options - As for {@link depositReceivedBody}.
 * @throws TypeError for an unknown field or an invalid value; RangeError for an invalid seed.
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

export function withdrawalSample(status: unknown): Sample {
  return status === 'FAILED' || status === 'BLOCKED'
    ? NOT_COMPLETED_WITHDRAWAL_SAMPLE
    : WITHDRAWAL_SAMPLE;
}

export function writeBody(
  sample: Sample,
  overrides: Readonly<Record<string, unknown>>,
  { seed, additional = {} }: BodyOptions,
): string {
  const fields: WireFields = new Map();
  for (const [name, value] of Object.entries(sample)) {
    const isGiven = Object.hasOwn(overrides, name);
    const wire = isGiven
      ? write(name, typeOf(sample, name), overrides[name])
      : JSON.stringify(seed === undefined ? value : seeded(name, value, seed));
    if (wire !== undefined) fields.set(name, wire);
  }
  for (const name of Object.keys(overrides)) {
    if (!Object.hasOwn(sample, name)) throw new TypeError(`the body has no field "${name}"`);
  }
  for (const [name, json] of Object.entries(additional)) {
    if (Object.hasOwn(sample, name)) {
      throw new TypeError(`additional: expected unknown fields, received "${name}". Override it`);
    }
    if (!isJson(json)) {
      const expected = `${name}: expected JSON text, such as 0.10 or "text" in quotation marks`;
      throw new TypeError(`${expected}, received ${describe(json)}`);
    }
    fields.set(name, json);
  }
  return writeWire(fields);
}

/** Which values fit a field: in words, and as a test. */
type Fit = readonly [expected: string, fits: (value: unknown) => boolean];

const TEXT: Fit = ['a string', (value) => typeof value === 'string'];

/** By the kind of a field. All other kinds are text. */
const FITS: Readonly<Record<string, Fit>> = {
  amount: [
    'a decimal number, given as a string such as "0.5"',
    (value) => typeof value === 'string' && isDecimalLiteral(value),
  ],
  timestamp: [
    'a UNIX time, as a number or a string, or a date-time such as "2026-09-21T14:34:20Z"',
    (value) => timestamp.read(value) !== null,
  ],
  object: [
    'an object with name and category',
    (value) => typeof value === 'object' && !Array.isArray(value),
  ],
};

/** The JSON text of a value. Undefined removes the field. */
function write(name: string, type: ReturnType<typeof typeOf>, value: unknown): string | undefined {
  if (value === undefined || value === null) return JSON.stringify(value);
  const [expected, fits] = FITS[`${type?.kind}`] ?? TEXT;
  if (!fits(value)) throw new TypeError(`${name}: expected ${expected}, received ${quote(value)}`);
  return type?.sampleAs === 'number' ? String(value) : JSON.stringify(value);
}

/** The largest seed: it becomes the last 12 hexadecimal digits of a UUID. */
export const MAX_SEED: number = 2 ** 48 - 1;

/** The seed as the last digits of a UUID. */
export const hexOf = (seed: number): string => seed.toString(16).padStart(12, '0');

/** Puts the seed at the end of an identifier. Other values are unchanged. */
function seeded(name: string, value: unknown, seed: number): unknown {
  if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) {
    throw new RangeError(
      `seed: expected a whole number from 0 to ${MAX_SEED}, received ${quote(seed)}`,
    );
  }
  if (typeof value !== 'string' || !REFERENCE_FIELDS.some((id) => id === name)) return value;
  if (name.startsWith('client')) return value.slice(0, value.lastIndexOf('-') + 1) + seed;
  const digits = hexOf(seed);
  return value.slice(0, -digits.length) + digits;
}
