import { Decimal as DecimalJs } from 'decimal.js';
import { digitsOfDouble, digitsOfLiteral, type Parts } from './internal/digits.js';

/** An exact amount: an instance of the package's own {@link Decimal} constructor. */
export type Decimal = DecimalJs;

/** Longest literal of an amount, in characters: enough for the plain digits of any amount. */
export const MAX_LENGTH = 160;
/** The most significant digits of an amount, and its largest decimal exponent. */
export const MAX_DIGITS = 78;
/** Significant digits of a result: two amounts at opposite limits span 235. */
const PRECISION = 256;
/** The exponent from which on a number is printed in scientific notation. No amount comes near. */
const MAX_PRINTED_EXPONENT = 1000;

/** JSON's number grammar (RFC 8259, section 6): `1E-8` is fine; `+1`, `0x10` and `1_000` are not. */
const DECIMAL_LITERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The package's own decimal.js constructor; `instanceof` decimal.js's `Decimal` holds.
 *
 * It differs from decimal.js's own in two ways. It prints plain digits: a satoshi is `0.00000001` in
 * `toString` and `toJSON`, never `1e-8`. And sums and products of two amounts are exact: it keeps 256
 * digits, where decimal.js rounds to 20.
 *
 * The left operand decides: `amount.plus(x)` is exact, but `x.plus(amount)` rounds to 20 digits where
 * `x` is a Decimal of decimal.js's own. Start sums with this one.
 *
 * One constructor serves the whole process, so its settings are not for you to change: `Decimal.set` and
 * `Decimal.config` throw. For another precision, take a `Decimal.clone({ precision })`. A function that
 * throws (`new Decimal('1e800').sin()`) leaves a higher precision, and results that are rounded down; sums
 * and products stay exact.
 *
 * @example
 * ```ts
 * new Decimal('0.1').plus('0.00000001').toString(); // '0.10000001'
 * ```
 */
export const Decimal: typeof DecimalJs = /* @__PURE__ */ createDecimal();

function createDecimal(): typeof DecimalJs {
  const OwnDecimal = DecimalJs.clone({
    // Ignores what the host has set on decimal.js itself.
    defaults: true,
    precision: PRECISION,
    toExpNeg: -MAX_PRINTED_EXPONENT,
    toExpPos: MAX_PRINTED_EXPONENT,
  });
  const refuse = (): never => {
    throw new TypeError(
      'payment-notifications shares its Decimal with the whole process; configure a Decimal.clone() instead',
    );
  };
  return Object.assign(OwnDecimal, { set: refuse, config: refuse });
}

/** The Decimal that decimal.js copies; only its parts are filled in. */
const TEMPLATE: Decimal & Parts = /* @__PURE__ */ new Decimal(0);

/** Whether the installed decimal.js stores these parts. If not, it parses literals itself, more slowly. */
export const HAS_KNOWN_PARTS: boolean = /* @__PURE__ */ hasKnownParts();

/** Whether a text is a decimal number as JSON writes it, of whatever length. */
export function isDecimalLiteral(text: string): boolean {
  return DECIMAL_LITERAL.test(text);
}

/** The expectation in the message about an amount beyond the limits. */
export const AMOUNT_LIMITS: string = `a decimal number of at most ${MAX_LENGTH} characters, ${MAX_DIGITS} digits and a magnitude within 1e±${MAX_DIGITS}`;

/**
 * The exact value of a decimal literal, with -0 as 0; null if it is not one, or beyond the limits.
 *
 * The limits (78 digits hold any 256-bit integer) keep every later operation cheap: decimal.js reads
 * `1e1000000` readily, and its `toFixed` then writes a million digits.
 */
export function toAmount(literal: string | number): Decimal | null {
  const isLiteral =
    typeof literal === 'number'
      ? Number.isFinite(literal)
      : literal.length <= MAX_LENGTH && isDecimalLiteral(literal);
  if (!isLiteral) return null;
  const short = typeof literal === 'number' ? digitsOfDouble(literal) : null;
  const parts = short ?? digitsOfLiteral(String(literal), MAX_DIGITS);
  if (parts === null) return null;
  return HAS_KNOWN_PARTS ? fromParts(parts) : new Decimal(0).plus(literal);
}

function fromParts({ s, e, d }: Parts): Decimal {
  TEMPLATE.s = s;
  TEMPLATE.e = e;
  TEMPLATE.d = d;
  return new Decimal(TEMPLATE);
}

function hasKnownParts(): boolean {
  return String(fromParts({ s: -1, e: 7, d: [1, 2345678, 9000000] })) === '-12345678.9';
}
