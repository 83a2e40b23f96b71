/** Digits per word: decimal.js stores a coefficient in base 10^7. */
const WORD = 7;

/** 10^0 to 10^22, the powers of 10 that a double represents exactly. */
const POWERS_OF_10: readonly number[] = /* @__PURE__ */ Array.from({ length: 23 }, (_, power) =>
  Number(`1e${power}`),
);
/** An integer below this has at most 15 digits, which a double always preserves. */
const SAFE_LIMIT = 1e15;

/**
 * The fields of a Decimal that decimal.js documents. Making a Decimal from them is four times as
 * fast as parsing a literal.
 */
export interface Parts {
  /** The sign: 1 or -1. */
  s: number;
  /** The exponent of the first digit. */
  e: number;
  /** The digits in base 10^7. The decimal point falls between two words. */
  d: number[];
}

/**
 * Returns the shortest decimal that parses to this double; null if it has more than 15 digits or 22
 * decimals.
 *
 * Tries `digits / 10^n` for growing `n`, which is faster than `String(value)`. The first match is
 * the number that `String` prints, because no two decimals of up to 15 digits parse to the same
 * double.
 */
export function splitDouble(value: number): Parts | null {
  const magnitude = Math.abs(value);
  for (let decimals = 0; decimals < POWERS_OF_10.length; decimals += 1) {
    const scale = powerOf10(decimals);
    const digits = Math.round(magnitude * scale);
    if (digits >= SAFE_LIMIT) return null;
    if (digits / scale === magnitude) return splitDigits(value < 0 ? -1 : 1, digits, decimals);
  }
  return null;
}

/** Returns the parts of `digits / 10^decimals`, for an integer of at most 15 digits. */
function splitDigits(s: number, digits: number, decimals: number): Parts {
  let length = 1;
  while (powerOf10(length) <= digits) length += 1;
  // The last word is padded with zeros.
  const filled = decimals % WORD || WORD;
  const rest = Math.floor(digits / powerOf10(filled));
  // With `| 0`, V8 stores the words as integers. As doubles, they would slow later arithmetic down.
  const high = (rest / powerOf10(WORD)) | 0;
  const middle = (rest % powerOf10(WORD)) | 0;
  const low = ((digits % powerOf10(filled)) * powerOf10(WORD - filled)) | 0;
  const words = [high, middle, low];
  while (words[0] === 0 && words.length > 1) words.shift();
  while (words.at(-1) === 0 && words.length > 1) words.pop();
  return { s, e: length - 1 - decimals, d: words };
}

function powerOf10(power: number): number {
  return POWERS_OF_10[power] as number;
}

/**
 * Returns the parts of a decimal literal; null if its digits or its exponent exceed `maxDigits`.
 */
export function splitLiteral(text: string, maxDigits: number): Parts | null {
  let point = -1;
  // The first and the last digit that is not zero.
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
  if (first === -1) return { s: 1, e: 0, d: [0] };

  if (point === -1) point = end;
  const shift = end === text.length ? 0 : Number(text.slice(end + 1));
  const exponent = shift + point - first - (first < point ? 1 : 0);
  const digits = last - first + (first < point && point < last ? 0 : 1);
  if (Math.abs(exponent) > maxDigits || digits > maxDigits) return null;
  const d = toWords(text, first, last, point, exponent);
  return { s: text.startsWith('-') ? -1 : 1, e: exponent, d };
}

/**
 * JSON's number grammar (RFC 8259, section 6). It allows `1E-8`, but not `+1`, `0x10` or `1_000`.
 */
const DECIMAL_LITERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function isDecimalLiteral(text: string): boolean {
  return DECIMAL_LITERAL.test(text);
}

export function isExponentMark(code: number): boolean {
  return code === 0x65 || code === 0x45;
}

/**
 * Splits the digits from `first` to `last` into words, so that the decimal point falls between two
 * words.
 */
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
  // Pads the last word with zeros one by one. Multiplying by a power of 10 would make it a double,
  // which is slower.
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
