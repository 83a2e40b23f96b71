import { AMOUNT_LIMITS, type Decimal, isDecimalLiteral, toAmount } from '../amount.js';
import { type Kind, refuseField } from './fields.js';
import { describe, quote, quoteLiteral } from './issues.js';

/** Text: a string that is not empty, kept to the character. */
export const text: Kind<string> = {
  expected: 'a non-empty string',
  read(value, field, source) {
    return typeof value === 'string' && value !== ''
      ? value
      : refuseField(source, field, 'wrong_type', text.expected, describe(value));
  },
};

/** Text that may be empty. */
export const label: Kind<string> = {
  expected: 'a string',
  read(value, field, source) {
    return typeof value === 'string'
      ? value
      : refuseField(source, field, 'wrong_type', label.expected, describe(value));
  },
};

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** An identifier assigned by the service: a UUID of any version in any case, kept as sent. */
export const id: Kind<string> = {
  expected: 'a UUID',
  read(value, field, source) {
    if (typeof value !== 'string') {
      return refuseField(source, field, 'wrong_type', id.expected, describe(value));
    }
    return UUID.test(value)
      ? value
      : refuseField(source, field, 'invalid_id', id.expected, describe(value));
  },
};

/** An amount that says how much moved, or should move: never below zero. */
export const quantity: Kind<Decimal> = amountKind('unsigned');

/** An amount that keeps its sign: a fee (a rebate is below zero) or a loss (a gain is). */
export const signedAmount: Kind<Decimal> = amountKind('signed');

function amountKind(sign: 'signed' | 'unsigned'): Kind<Decimal> {
  const expected = 'a decimal number';
  return {
    expected,
    read(value, field, source) {
      if (typeof value !== 'number' && typeof value !== 'string') {
        return refuseField(source, field, 'wrong_type', expected, quote(value));
      }
      const isNumber = typeof value === 'number';
      const { literals } = source;
      const literal = isNumber && literals !== null ? String(literals[field]) : value;
      const amount = toAmount(literal);
      if (amount !== null && (sign === 'signed' || !amount.isNegative())) return amount;

      const shown = String(amount ?? literal);
      const received = isNumber ? quoteLiteral(shown) : quote(value);
      if (amount !== null) {
        return refuseField(source, field, 'negative_amount', 'zero or more', received);
      }
      const wanted = isDecimalLiteral(shown) ? AMOUNT_LIMITS : expected;
      return refuseField(source, field, 'invalid_amount', wanted, received);
    },
  };
}

/** From here on a UNIX time can only be in milliseconds: in seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;
/** The last instant a Date can hold, in milliseconds. */
const LAST_INSTANT = 8.64e15;

/**
 * A UNIX time, as a number or as digits in a string. The service document doesn't state its unit:
 * seconds, the UNIX unit, unless it is too large for that.
 */
export const timestamp: Kind<Date> = {
  expected: 'a UNIX timestamp',
  read(value, field, source) {
    if (typeof value !== 'number' && typeof value !== 'string') {
      return refuseField(source, field, 'wrong_type', timestamp.expected, quote(value));
    }
    const time = typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : Number.NaN;
    const milliseconds = time < MILLISECONDS_FROM ? Math.round(time * 1000) : time;
    // The comparison is false for NaN.
    return milliseconds >= 0 && milliseconds <= LAST_INSTANT
      ? new Date(milliseconds)
      : refuseField(source, field, 'invalid_timestamp', timestamp.expected, quote(value));
  },
};

/** One of the documented values, in the documented case. */
export function oneOf<T extends string>(values: Readonly<Record<T, T>>): Kind<T> {
  // Not quote(), whose expression would be compiled at import.
  const expected = Object.keys(values)
    .map((value) => `"${value}"`)
    .join(' or ');
  return {
    expected,
    read(value, field, source) {
      if (typeof value !== 'string') {
        return refuseField(source, field, 'wrong_type', expected, quote(value));
      }
      return isOneOf(values, value)
        ? value
        : refuseField(source, field, 'unknown_value', expected, quote(value));
    },
  };
}

/** Whether a text is one of the listed values. */
export function isOneOf<T extends string>(values: Readonly<Record<T, T>>, text: string): text is T {
  return Object.hasOwn(values, text);
}
