import { MAX_DIGITS } from '../../src/parser/values/amount.js';

// Regular expressions for JSON Schema: without lookahead, which RE2 doesn't have, and with [0-9]
// for \d, which in some languages matches the digits of every script. Each takes time linear in the
// text.

/** Zero, whatever its sign and its exponent. */
export const ZERO = '^-?0(?:\\.0+)?(?:[eE][+-]?[0-9]+)?$';
/** From 1e-78 on, and below 1e79: digits behind `0.`, or whole ones. */
export const PLAIN: string = `^(?:0\\.0{0,${MAX_DIGITS - 1}}[1-9][0-9]*|[1-9][0-9]{0,${MAX_DIGITS}}(?:\\.[0-9]+)?)$`;
/** With at most 160 characters, any longer exponent leads beyond the limits. */
export const SCIENTIFIC = '^(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?[eE][+-]?0*[0-9]{1,3}$';

const MORE_DIGITS = MAX_DIGITS - 1;
/**
 * From the first digit that isn't 0 to the last one are too many: all of them before the point or
 * all behind it, or with the point among them, where it counts as one more.
 */
export const TOO_MANY_DIGITS: readonly string[] = [
  `^[.0]*[1-9][0-9]{${MORE_DIGITS}}0*[1-9]`,
  `^[1-9][.0-9]{${MORE_DIGITS + 1}}[.0]*[1-9]`,
];

export const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** An address is empty where the mark of the tag comes first. */
export const TAG_WITHOUT_ADDRESS = '^\\?dt=';
