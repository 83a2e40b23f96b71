import * as v from 'valibot';
import type { IssueCode } from './errors.js';
import type { Fault } from './issues.js';
import { describe, quote, quoteIf } from './quote.js';
import type { ObjectType, PlainType } from './rules.js';
import { AMOUNT_LIMITS, type Decimal, toAmount } from './values/amount.js';
import { isDecimalLiteral } from './values/digits.js';
import { toDate } from './values/timestamp.js';
import {
  doubtTxAddress,
  explainTxAddress,
  parseTxAddress,
  type TxAddress,
} from './values/tx-address.js';

// A message quotes a text only if it matches. An email address, a name with a space and most
// blockchain addresses don't match.
const LIKE_VALUE = /^[A-Za-z_]{1,20}$/;
const LIKE_AMOUNT = /^[\d.,+\-eE _]{1,40}$/;
const LIKE_TIME = /^[\d:.TZ+\- ]{1,40}$/;

/** A non-empty string, unchanged. */
export const text: PlainType<string> = stringType(
  'text',
  v.pipe(v.string(), v.nonEmpty()),
  'a non-empty string',
);

export const anyText: PlainType<string> = stringType('text', v.string(), 'a string');

/** An identifier assigned by the service: a UUID of any version, unchanged. */
export const uuid: PlainType<string> = stringType(
  'id',
  v.pipe(v.string(), v.uuid()),
  'a UUID',
  'invalid_id',
);

/**
 * An amount that may be negative: a fee (negative for a rebate) or a loss (negative for a gain).
 */
export const amount: PlainType<Decimal> = {
  kind: 'amount',
  read: readAmount,
  explain: explainAmount,
};

/** An amount that moved or should move. It is never negative. */
export const nonNegativeAmount: PlainType<Decimal> = {
  kind: 'amount',
  read: (value) => {
    const amount = readAmount(value);
    return amount === null || amount.s < 0 ? null : amount;
  },
  explain: explainAmount,
};

export const timestamp: PlainType<Date> = {
  kind: 'timestamp',
  read: (value) => (isNumberOrString(value) ? toDate(value) : null),
  explain: (value) => ({
    code: isNumberOrString(value) ? 'invalid_timestamp' : 'wrong_type',
    expected: 'a UNIX timestamp or a date-time of RFC 3339',
    received: quoteIf(LIKE_TIME, value),
  }),
};

/** A blockchain address, alone or followed by a destination tag. */
export const txAddress: PlainType<TxAddress> = {
  kind: 'address',
  read: parseTxAddress,
  explain: explainTxAddress,
  doubt: doubtTxAddress,
};

/** One of the documented values. Case-sensitive. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(documented: Readonly<Record<string, T>>): PlainType<T> {
  const values = Object.values(documented);
  const expected = values.map((value) => `"${value}"`).join(' or ');
  const show = (value: unknown) =>
    typeof value === 'string' ? quoteIf(LIKE_VALUE, value) : describe(value);
  const type = stringType('enum', v.picklist(values), expected, 'unknown_value', show);
  return { ...type, values };
}

/** A nested object. */
/* @__NO_SIDE_EFFECTS__ */
export function object<T>(rules: ObjectType<T>['rules'], expected: string): ObjectType<T> {
  const explain = (value: unknown): Fault => {
    return { code: 'wrong_type', expected, received: describe(value) };
  };
  return { kind: 'object', rules, explain };
}

/**
 * A string validated by a valibot schema.
 *
 * @param show - How messages show the value. By default they only describe it, so that no name,
 * identifier or address gets into a log.
 */
/* @__NO_SIDE_EFFECTS__ */
function stringType<T extends string>(
  kind: PlainType<T>['kind'],
  schema: v.GenericSchema<T>,
  expected: string,
  code: IssueCode = 'wrong_type',
  show: (value: unknown) => string = describe,
): PlainType<T> {
  return {
    kind,
    read: (value) => {
      // Databases store every lone surrogate as the same character, which would merge two accounts.
      if (typeof value !== 'string' || !value.isWellFormed()) return null;
      return v.is(schema, value) ? value : null;
    },
    explain: (value) => ({
      code: typeof value === 'string' ? code : 'wrong_type',
      expected,
      received: show(value),
    }),
  };
}

function readAmount(value: unknown): Decimal | null {
  return isNumberOrString(value) ? toAmount(value) : null;
}

function explainAmount(value: unknown): Fault {
  const expected = 'a decimal number';
  if (!isNumberOrString(value)) return { code: 'wrong_type', expected, received: quote(value) };
  const amount = toAmount(value);
  // In plain digits: JavaScript prints -0.00000001 as -1e-8.
  const received =
    typeof value === 'number' && amount !== null ? String(amount) : quoteIf(LIKE_AMOUNT, value);
  if (amount !== null) return { code: 'negative_amount', expected: 'zero or more', received };
  const isBeyondLimits = isDecimalLiteral(String(value));
  return { code: 'invalid_amount', expected: isBeyondLimits ? AMOUNT_LIMITS : expected, received };
}

function isNumberOrString(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}
