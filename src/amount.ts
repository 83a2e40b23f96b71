import { Decimal as DecimalJs } from 'decimal.js';

/** An exact amount: an instance of the package's own {@link Decimal} constructor. */
export type Decimal = DecimalJs;

/** Longest literal of an amount, in characters. */
const MAX_LENGTH = 128;
/** Most significant digits of an amount, and the largest magnitude of its decimal exponent. */
const MAX_DIGITS = 78;

/** JSON's number grammar (RFC 8259, section 6), so that `1E-8` is fine and `+1`, `0x10`, `1_000` are not. */
const DECIMAL_LITERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A digit other than 0 in front of the exponent. */
const NONZERO = /^[^eE]*[1-9]/;

/**
 * The package's own decimal.js constructor; `instanceof` decimal.js's `Decimal` holds.
 *
 * Two things differ from decimal.js as it comes. It prints plain digits: a satoshi is `0.00000001` in
 * `toString` and `toJSON`, never `1e-8`. And sums and products of two amounts are exact: 256 digits
 * of precision, where decimal.js rounds to 20 (two amounts at opposite limits span 235 digits).
 *
 * The left operand decides: `amount.plus(x)` is exact, but `x.plus(amount)` rounds to 20 digits where
 * `x` is a Decimal of decimal.js's own. Start sums with this one.
 *
 * It is one constructor for the whole process, so `Decimal.set` and `Decimal.config` throw: for
 * another precision, take a `Decimal.clone({ precision })`.
 *
 * @example
 * ```ts
 * new Decimal('0.1').plus('0.00000001').toString(); // '0.10000001'
 * ```
 */
export const Decimal: typeof DecimalJs = /* @__PURE__ */ createDecimal();

function createDecimal(): typeof DecimalJs {
  const OwnDecimal = DecimalJs.clone({
    // Whatever the host has set on decimal.js itself.
    defaults: true,
    precision: 256,
    toExpNeg: -9e15,
    toExpPos: 9e15,
  });
  const refuse = (): never => {
    throw new TypeError(
      'payment-notifications shares its Decimal with the whole process; configure a Decimal.clone() instead',
    );
  };
  return Object.assign(OwnDecimal, { set: refuse, config: refuse });
}

const ZERO = /* @__PURE__ */ new Decimal(0);

/** Whether a text is a decimal number as JSON writes it, of whatever length. */
export function isDecimalLiteral(text: string): boolean {
  return DECIMAL_LITERAL.test(text);
}

/** What an amount beyond the limits was expected to be. */
export const AMOUNT_LIMITS: string = `a decimal number of at most ${MAX_LENGTH} characters, ${MAX_DIGITS} digits and a magnitude within 1e±${MAX_DIGITS}`;

/**
 * The exact value of a decimal literal, with -0 as 0; null where it is none or beyond the limits.
 *
 * The limits (78 digits hold any 256-bit integer) keep every later operation cheap: decimal.js reads
 * `1e1000000` readily, and its `toFixed` then writes a million digits.
 */
export function toAmount(literal: string | number): Decimal | null {
  if (typeof literal === 'string' && (literal.length > MAX_LENGTH || !isDecimalLiteral(literal))) {
    return null;
  }
  const amount = new Decimal(literal);
  if (amount.isZero()) {
    // decimal.js turns what is too small for it into 0; such a literal has a digit other than 0.
    return typeof literal === 'string' && NONZERO.test(literal) ? null : ZERO;
  }
  // The exponent of NaN and Infinity is NaN, which is within no limit.
  if (!(Math.abs(amount.e) <= MAX_DIGITS)) return null;
  return isShort(literal) || amount.precision() <= MAX_DIGITS ? amount : null;
}

/** Whether a literal is too short for more digits than allowed: that saves counting them. */
function isShort(literal: string | number): boolean {
  return typeof literal === 'number' || literal.length <= MAX_DIGITS;
}
