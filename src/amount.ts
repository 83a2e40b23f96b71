import { Decimal as DecimalJs } from 'decimal.js';

/** An exact amount: an instance of the package's own {@link Decimal} constructor. */
export type Decimal = DecimalJs;

/** Longest literal of an amount, in characters. */
export const MAX_LENGTH = 128;
/** How many significant digits an amount may have, and how large its decimal exponent may be. */
export const MAX_DIGITS = 78;
/** Significant digits of a result: two amounts at opposite limits span 235. */
const PRECISION = 256;
/** How a quotient is rounded to that many: half up, as decimal.js does by default. */
const ROUNDING: DecimalJs.Rounding = 4;
/** The exponent from which on a number is printed in scientific notation. No amount comes near. */
const MAX_PRINTED_EXPONENT = 1000;
/** The settings of {@link Decimal}, which decimal.js changes while it computes. */
let precision: number = PRECISION;
let rounding: DecimalJs.Rounding = ROUNDING;

/** How many decimal digits decimal.js keeps in one word of a coefficient. */
const WORD = 7;

/** 10^0 to 10^22: those that a double holds exactly. */
const POWERS_OF_10: readonly number[] = /* @__PURE__ */ Array.from({ length: 23 }, (_, power) =>
  Number(`1e${power}`),
);
/** Below this, an integer has at most 15 digits: as many as a double gives back for certain. */
const SAFE_LIMIT = 1e15;

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
 * `Decimal.config` throw, and no assignment makes a result less exact. For another precision, take a
 * `Decimal.clone({ precision })`.
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
    precision: PRECISION,
    toExpNeg: -MAX_PRINTED_EXPONENT,
    toExpPos: MAX_PRINTED_EXPONENT,
  });
  const refuse = (): never => {
    throw new TypeError(
      'payment-notifications shares its Decimal with the whole process; configure a Decimal.clone() instead',
    );
  };
  for (const setting of ['toExpNeg', 'toExpPos', 'minE', 'maxE', 'modulo', 'crypto']) {
    Object.defineProperty(OwnDecimal, setting, { writable: false });
  }
  return Object.defineProperties(Object.assign(OwnDecimal, { set: refuse, config: refuse }), {
    // While decimal.js computes a logarithm, a power or a sine, it raises the precision and truncates;
    // afterwards it restores both. So a higher precision can be set, until the next amount is read, but
    // none that makes a result less exact.
    precision: {
      get: () => precision,
      set: (value: number) => {
        if (value > PRECISION) precision = value;
        else resetSettings();
      },
    },
    rounding: {
      get: () => rounding,
      set: (value: DecimalJs.Rounding) => {
        const isComputing = value === DecimalJs.ROUND_DOWN && precision > PRECISION;
        rounding = isComputing ? value : ROUNDING;
      },
    },
  });
}

function resetSettings(): void {
  precision = PRECISION;
  rounding = ROUNDING;
}

/** What decimal.js documents a Decimal to consist of. */
interface Parts {
  /** 1 or -1. */
  s: number;
  /** The decimal exponent of the first digit. */
  e: number;
  /** The digits in words of seven, the decimal point between two words. */
  d: number[];
}

/** Filled in for decimal.js to copy, and never handed out. */
const TEMPLATE: Decimal & Parts = /* @__PURE__ */ new Decimal(0);

export const HAS_KNOWN_PARTS: boolean = /* @__PURE__ */ hasKnownParts();

/** Whether a text is a decimal number as JSON writes it, of whatever length. */
export function isDecimalLiteral(text: string): boolean {
  return DECIMAL_LITERAL.test(text);
}

/** What should have come instead of an amount beyond the limits. */
export const AMOUNT_LIMITS: string = `a decimal number of at most ${MAX_LENGTH} characters, ${MAX_DIGITS} digits and a magnitude within 1e±${MAX_DIGITS}`;

/**
 * The exact value of a decimal literal, with -0 as 0; null if it is not one, or beyond the limits.
 *
 * The limits (78 digits hold any 256-bit integer) keep every later operation cheap: decimal.js reads
 * `1e1000000` readily, and its `toFixed` then writes a million digits.
 *
 * The digits are read here, because decimal.js takes four times as long to read a literal as to copy
 * a Decimal.
 */
export function toAmount(literal: string | number): Decimal | null {
  // An operation that threw may have left them raised.
  resetSettings();
  if (typeof literal === 'string') return isReadable(literal) ? readText(literal) : null;
  if (!Number.isFinite(literal)) return null;
  return (HAS_KNOWN_PARTS ? readDouble(literal) : null) ?? readText(String(literal));
}

/**
 * The shortest decimal that reads back as this double; null where it has more than 15 digits or 22 decimals.
 *
 * To print the double would take as long as to parse it, so the decimal is computed: the first `digits / 10^n`
 * that equals the double is the number that `String` would print, because no two decimals of up to 15 digits
 * give the same double.
 */
export function readDouble(value: number): Decimal | null {
  const magnitude = Math.abs(value);
  for (let decimals = 0; decimals < POWERS_OF_10.length; decimals += 1) {
    const scale = powerOf10(decimals);
    const digits = Math.round(magnitude * scale);
    if (digits >= SAFE_LIMIT) return null;
    if (digits / scale === magnitude) return fromDigits(value < 0 ? -1 : 1, digits, decimals);
  }
  return null;
}

/** The Decimal of an integer of at most 15 digits, divided by 10^decimals. */
function fromDigits(sign: number, digits: number, decimals: number): Decimal {
  let length = 1;
  while (powerOf10(length) <= digits) length += 1;
  // The last word is filled up with zeros.
  const filled = decimals % WORD || WORD;
  const rest = Math.floor(digits / powerOf10(filled));
  // Bit operations keep the words small integers: all arithmetic with doubles would be slower.
  const high = (rest / powerOf10(WORD)) | 0;
  const middle = (rest % powerOf10(WORD)) | 0;
  const low = ((digits % powerOf10(filled)) * powerOf10(WORD - filled)) | 0;
  const words = high > 0 ? [high, middle, low] : middle > 0 ? [middle, low] : [low];
  while (words.at(-1) === 0 && words.length > 1) words.pop();
  return fromParts(sign, length - 1 - decimals, words);
}

function powerOf10(power: number): number {
  return POWERS_OF_10[power] as number;
}

/** A literal of any length, digit by digit. */
function readText(text: string): Decimal | null {
  let point = -1;
  // The digits without leading and trailing zeros.
  let first = -1;
  let last = -1;
  let end = 0;
  for (; end < text.length && !isExponentMark(text.charCodeAt(end)); end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x2e) point = end;
    if (code <= 0x30) continue;
    if (first === -1) first = end;
    last = end;
  }
  if (first === -1) return new Decimal(0);

  if (point === -1) point = end;
  const shift = end === text.length ? 0 : Number(text.slice(end + 1));
  const exponent = shift + point - first - (first < point ? 1 : 0);
  const digits = last - first + (first < point && point < last ? 0 : 1);
  if (Math.abs(exponent) > MAX_DIGITS || digits > MAX_DIGITS) return null;
  if (!HAS_KNOWN_PARTS) return new Decimal(text);
  const words = toWords(text, first, last, point, exponent);
  return fromParts(text.startsWith('-') ? -1 : 1, exponent, words);
}

function isReadable(literal: string): boolean {
  return literal.length <= MAX_LENGTH && isDecimalLiteral(literal);
}

/** `e` or `E`. */
export function isExponentMark(code: number): boolean {
  return code === 0x65 || code === 0x45;
}

/** The digits from `first` to `last` in words of seven, so that the point stands between two words. */
function toWords(
  text: string,
  first: number,
  last: number,
  point: number,
  exponent: number,
): number[] {
  const words: number[] = [];
  let word = 0;
  let room = (((exponent % WORD) + WORD) % WORD) + 1;
  // The last word is filled up with zeros one by one. Multiplied by a power of 10, the words would become
  // doubles, with which all arithmetic is slower.
  for (let at = first; at <= last || room < WORD; at += 1) {
    if (at === point) continue;
    word = word * 10 + (at <= last ? text.charCodeAt(at) - 0x30 : 0);
    room -= 1;
    if (room > 0) continue;
    words.push(word);
    word = 0;
    room = WORD;
  }
  return words;
}

function fromParts(sign: number, exponent: number, words: number[]): Decimal {
  TEMPLATE.s = sign;
  TEMPLATE.e = exponent;
  TEMPLATE.d = words;
  return new Decimal(TEMPLATE);
}

/**
 * Whether a Decimal still consists of these parts. If not, decimal.js reads the literals itself, more
 * slowly.
 */
function hasKnownParts(): boolean {
  return String(fromParts(-1, 7, [1, 2345678, 9000000])) === '-12345678.9';
}
