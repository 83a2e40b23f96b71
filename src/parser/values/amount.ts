import { Decimal as DecimalJs } from 'decimal.js';
import { type Fault, quote, quoteIf } from '../messages.js';
import { isDecimalLiteral, type Parts, splitDouble, splitLiteral } from './digits.js';
import { isNumberOrString, type PlainType, plainType } from './plain-type.js';

/**
 * An exact amount. Compare with `gte`, `lt` or `equals` and calculate with `plus` or `times`,
 * because operators such as `>=` and `+` treat amounts as text.
 */
export type Decimal = DecimalJs;

/** Maximum length of an amount's literal: long enough for any amount in plain digits. */
const MAX_LENGTH = 160;
/**
 * Maximum number of significant digits, and maximum magnitude of the exponent in scientific
 * notation: 9.9e78 and 1e-78 are amounts.
 */
const MAX_DIGITS = 78;
/** Precision of results. The sum of two amounts can need 234 digits. */
const PRECISION = 256;
/** A message quotes an invalid amount only if it matches: no name, email or address does. */
const LIKE_AMOUNT = /^[\d.,+\-eE _]{1,40}$/;
/** Numbers with a larger exponent print in scientific notation. No amount is that large. */
const MAX_PRINTED_EXPONENT = 1000;

/**
 * A decimal.js constructor configured for amounts. Its values are also `instanceof` decimal.js's
 * `Decimal`.
 *
 * It keeps every significant digit, and prints plain digits without trailing zeros: `0.00000001`,
 * not `1e-8`, and `100` for `100.00`. Sums and products of two amounts are exact, because it keeps
 * 256 digits, where decimal.js keeps 20 by default.
 *
 * The left operand sets the precision. `amount.plus(x)` is exact, but `x.plus(amount)` rounds to 20
 * digits if `x` comes from decimal.js itself. Start sums with this constructor.
 *
 * The whole process shares this constructor, so `Decimal.set` and `Decimal.config` throw. For other
 * settings, use `Decimal.clone({ precision })`.
 *
 * @example
 * ```ts
 * new Decimal('0.1').plus('0.00000001').toString(); // '0.10000001'
 * ```
 */
export const Decimal: typeof DecimalJs = /* @__PURE__ */ createDecimal();

function createDecimal(): typeof DecimalJs {
  const OwnDecimal = DecimalJs.clone({
    // Ignore settings that the application made on decimal.js itself.
    defaults: true,
    precision: PRECISION,
    toExpNeg: -MAX_PRINTED_EXPONENT,
    toExpPos: MAX_PRINTED_EXPONENT,
  });
  const refuse = (): never => {
    throw new TypeError('Decimal.set and Decimal.config are disabled. Use Decimal.clone()');
  };
  return Object.assign(OwnDecimal, { set: refuse, config: refuse });
}

/** Reused for every amount: `fromParts` fills it in, and decimal.js copies it. */
const TEMPLATE: Decimal & Parts = /* @__PURE__ */ new Decimal(0);

/**
 * Whether the installed decimal.js stores a number as `Parts`. If not, it parses literals itself,
 * which is slower.
 */
export const HAS_KNOWN_PARTS: boolean = /* @__PURE__ */ hasKnownParts();

/** The `expected` text of an issue about an amount that exceeds the limits. */
const AMOUNT_LIMITS = `a decimal number of at most ${MAX_LENGTH} characters and ${MAX_DIGITS} significant digits, whose magnitude is 0 or from 1e-${MAX_DIGITS} to below 1e${MAX_DIGITS + 1}`;

type SampleAs = NonNullable<PlainType<Decimal>['sampleAs']>;

/**
 * An amount that may be negative: a fee (negative for a rebate) or a loss (negative for a gain).
 */
/* @__NO_SIDE_EFFECTS__ */
export function amount(sampleAs: SampleAs): PlainType<Decimal> {
  return plainType({ kind: 'amount', read: readAmount, explain: explainAmount, sampleAs });
}

/** An amount that moved or should move. It is never negative. */
/* @__NO_SIDE_EFFECTS__ */
export function nonNegativeAmount(sampleAs: SampleAs): PlainType<Decimal> {
  return plainType({ ...amount(sampleAs), read: readNonNegativeAmount });
}

/**
 * Parses a decimal literal exactly. Returns null if the text is not a decimal literal, or exceeds
 * the limits. -0 becomes 0.
 *
 * The limits keep later operations cheap: decimal.js accepts `1e1000000`, and `toFixed` then prints
 * a million digits. 78 digits are enough for any 256-bit integer.
 */
export function toAmount(literal: string | number): Decimal | null {
  const isLiteral =
    typeof literal === 'number'
      ? Number.isFinite(literal)
      : literal.length <= MAX_LENGTH && isDecimalLiteral(literal);
  if (!isLiteral) return null;
  const short = typeof literal === 'number' ? splitDouble(literal) : null;
  const parts = short ?? splitLiteral(String(literal), MAX_DIGITS);
  if (parts === null) return null;
  // Adding to 0 turns -0 into 0.
  return HAS_KNOWN_PARTS ? fromParts(parts) : new Decimal(0).plus(literal);
}

function readAmount(value: unknown): Decimal | null {
  return isNumberOrString(value) ? toAmount(value) : null;
}

function readNonNegativeAmount(value: unknown): Decimal | null {
  const amount = readAmount(value);
  return amount?.isNegative() ? null : amount;
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

function fromParts({ s, e, d }: Parts): Decimal {
  TEMPLATE.s = s;
  TEMPLATE.e = e;
  TEMPLATE.d = d;
  return new Decimal(TEMPLATE);
}

function hasKnownParts(): boolean {
  return String(fromParts({ s: -1, e: 7, d: [1, 2345678, 9000000] })) === '-12345678.9';
}
