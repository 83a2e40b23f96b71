import { parse as parseLossless } from 'lossless-json';

/** A JSON text, read so that no digit of a number is lost. */
export interface ExactJson {
  /** What `JSON.parse` gives. */
  readonly value: unknown;
  /** The same value with each number as the string of its literal; null where no double lost a digit. */
  readonly literals: unknown;
}

/**
 * A number literal that a double may not carry: 16 or more digits (a double is sure of 15), or an
 * exponent of three or more digits. Digits right behind a quote are text, which loses nothing.
 *
 * It may find one where none is (the dot counts as a digit, and so do digits inside a text): that
 * costs a second reading. It must never miss one. Linear: from each start it looks at 24 characters
 * at the most.
 */
const LONG_NUMBER = /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]{1,15}[eE][+-]?\d{3})/;

/**
 * Reads JSON text with all digits of its numbers.
 *
 * The native parser always comes first: it is fast, and it alone judges what is valid. Only where it
 * may have lost digits are the literals read too, which costs several times as much.
 *
 * @throws SyntaxError where `JSON.parse` does; RangeError for text nested too deeply to be read
 * exactly (the exact reader recurses), rather than with digits lost.
 */
export function parseJson(text: string): ExactJson {
  const value: unknown = JSON.parse(text);
  return { value, literals: LONG_NUMBER.test(text) ? parseLiterals(text) : null };
}

/** JSON text with every number as the string of its literal. */
export function parseLiterals(text: string): unknown {
  return parseLossless(text, undefined, {
    parseNumber: (literal) => literal,
    // As JSON.parse does: the last one counts.
    onDuplicateKey: ({ newValue }) => newValue,
  });
}
