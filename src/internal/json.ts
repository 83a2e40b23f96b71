import { parse as parseLossless } from 'lossless-json';

/** A JSON text, read so that no digit of a field's number is lost. */
export interface ExactJson {
  /** What `JSON.parse` gives. */
  readonly value: unknown;
  /** The same value with each number as the string of its literal; null where no field lost a digit. */
  readonly literals: unknown;
}

/** A double gives back any literal of so many characters, as long as it has no exponent. */
const SAFE_LENGTH = 15;

/**
 * Reads JSON text with all digits of the numbers that are fields.
 *
 * The native parser always comes first: it is fast, and it alone judges what is valid. Only where it
 * may have lost digits are the literals read too, which costs several times as much.
 *
 * @throws SyntaxError where `JSON.parse` does; RangeError for text nested too deeply to be read
 * exactly (the exact reader recurses), rather than with digits lost.
 */
export function parseJson(text: string): ExactJson {
  const value: unknown = JSON.parse(text);
  return { value, literals: mayLoseDigits(text) ? parseLiterals(text) : null };
}

/** JSON text with every number as the string of its literal. */
function parseLiterals(text: string): unknown {
  return parseLossless(text, undefined, {
    parseNumber: (literal) => literal,
    // As JSON.parse does: the last one counts.
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

/**
 * Whether valid JSON text holds a field whose number a double may not carry.
 *
 * A field's value stands behind a colon, so only the colons are looked at; a colon inside a string
 * may raise a false alarm, which costs a second reading and nothing else. A loop, because a regular
 * expression for the same takes three times as long on a body that needs no second reading.
 */
function mayLoseDigits(text: string): boolean {
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let start = colon + 1;
    while (isWhitespace(text.charCodeAt(start))) start += 1;
    let end = start;
    while (isDigitOrMark(text.charCodeAt(end))) end += 1;
    if (end - start > SAFE_LENGTH || isExponent(text.charCodeAt(end))) return true;
  }
  return false;
}

/** Space, tab, line feed, carriage return: all the white space of JSON. */
function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** A digit, or one of `-` `.`; the slash between `.` and `0` begins no value. */
function isDigitOrMark(code: number): boolean {
  return code >= 0x2d && code <= 0x39;
}

/** `e` or `E`; no other value begins with it. */
function isExponent(code: number): boolean {
  return code === 0x65 || code === 0x45;
}
