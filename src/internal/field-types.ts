import * as v from 'valibot';
import { AMOUNT_LIMITS, type Decimal, isDecimalLiteral, toAmount } from '../amount.js';
import type { IssueCode } from '../errors.js';
import { toDate } from '../timestamp.js';
import { explainTxAddress, parseTxAddress, type TxAddress } from '../tx-address.js';
import { describe, type Fault, quote } from './issues.js';

/** The kind of value that a field holds. */
type FieldKind = 'text' | 'id' | 'amount' | 'timestamp' | 'enum' | 'address' | 'object';

/** The values that a field may hold. */
export interface FieldType<T> {
  readonly kind: FieldKind;
  /** The output for a value; null if it can't be read. Never throws. */
  readonly read: (value: unknown) => T | null;
  /** Says what is wrong with a value that can't be read, in the words of a message. */
  readonly explain: (value: unknown) => Fault;
  /** The documented values, if there are only some. */
  readonly values?: readonly T[];
}

/** A string that is not empty, kept verbatim. */
export const text: FieldType<string> = /* @__PURE__ */ stringType(
  'text',
  /* @__PURE__ */ v.pipe(/* @__PURE__ */ v.string(), /* @__PURE__ */ v.nonEmpty()),
  'a non-empty string',
);

/** A string that may be empty. */
export const anyText: FieldType<string> = /* @__PURE__ */ stringType(
  'text',
  /* @__PURE__ */ v.string(),
  'a string',
);

/** An identifier assigned by the service: a UUID of any version in any case, kept as sent. */
export const uuid: FieldType<string> = /* @__PURE__ */ stringType(
  'id',
  /* @__PURE__ */ v.pipe(/* @__PURE__ */ v.string(), /* @__PURE__ */ v.uuid()),
  'a UUID',
  'invalid_id',
);

/** An amount that keeps its sign: a fee (negative for a rebate) or a loss (negative for a gain). */
export const amount: FieldType<Decimal> = {
  kind: 'amount',
  read: readAmount,
  explain: explainAmount,
};

/** An amount that says how much moved, or should move: never below zero. */
export const nonNegativeAmount: FieldType<Decimal> = {
  kind: 'amount',
  read: (value) => {
    const amount = readAmount(value);
    return amount === null || amount.s < 0 ? null : amount;
  },
  explain: explainAmount,
};

/** A point in time. */
export const timestamp: FieldType<Date> = {
  kind: 'timestamp',
  read: (value) => (isNumberOrString(value) ? toDate(value) : null),
  explain: (value) => ({
    code: isNumberOrString(value) ? 'invalid_timestamp' : 'wrong_type',
    expected: 'a UNIX timestamp or a date-time of RFC 3339',
    received: quote(value),
  }),
};

/** A blockchain address, which may be followed by a destination tag. */
export const txAddress: FieldType<TxAddress> = {
  kind: 'address',
  read: parseTxAddress,
  explain: explainTxAddress,
};

/** One of the documented values, in the documented case. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(documented: Readonly<Record<string, T>>): FieldType<T> {
  const values = Object.values(documented);
  const expected = values.map((value) => `"${value}"`).join(' or ');
  const type = stringType('enum', v.picklist(values), expected, 'unknown_value', quote);
  return { ...type, values };
}

/**
 * A string that valibot judges.
 *
 * @param show - By default, messages only describe values: names, identifiers and addresses stay out of logs.
 */
/* @__NO_SIDE_EFFECTS__ */
function stringType<T extends string>(
  kind: FieldKind,
  schema: v.GenericSchema<unknown, T>,
  expected: string,
  code: IssueCode = 'wrong_type',
  show: (value: unknown) => string = describe,
): FieldType<T> {
  return {
    kind,
    read: (value) => {
      // valibot would look into any other value to describe it, and a foreign object may throw. A lone
      // surrogate becomes the same character in every database, which would make one account of two.
      if (typeof value !== 'string' || !value.isWellFormed()) return null;
      const result = v.safeParse(schema, value, OWN_CONFIG);
      return result.success ? result.output : null;
    },
    explain: (value) => ({
      code: typeof value === 'string' ? code : 'wrong_type',
      expected,
      received: show(value),
    }),
  };
}

/**
 * The configuration for every call of valibot: no host registers messages for this language, so valibot
 * calls none of the functions that a host has registered.
 */
const OWN_CONFIG = { lang: 'payment-notifications' };

function readAmount(value: unknown): Decimal | null {
  return isNumberOrString(value) ? toAmount(value) : null;
}

function explainAmount(value: unknown): Fault {
  const expected = 'a decimal number';
  if (!isNumberOrString(value)) return { code: 'wrong_type', expected, received: quote(value) };
  const amount = toAmount(value);
  // Plain digits: JavaScript prints a negative satoshi as -1e-8.
  const received = typeof value === 'number' && amount !== null ? String(amount) : quote(value);
  if (amount !== null) return { code: 'negative_amount', expected: 'zero or more', received };
  const isBeyondLimits = isDecimalLiteral(String(value));
  return { code: 'invalid_amount', expected: isBeyondLimits ? AMOUNT_LIMITS : expected, received };
}

function isNumberOrString(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}
