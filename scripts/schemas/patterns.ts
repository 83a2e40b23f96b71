import { MAX_DIGITS } from '../../src/amount.js';

// Regular expressions for JSON Schema: without lookahead, which RE2 doesn't have, and with [0-9]
// for \d, which in some languages matches the digits of every script. Each takes time linear in the
// text.

const LEADING_ZEROS = `0{0,${MAX_DIGITS - 1}}`;
const INTEGER = `[1-9][0-9]{0,${MAX_DIGITS}}`;

/** Zero, whatever its sign and its exponent. */
export const ZERO = '^-?0(?:\\.0+)?(?:[eE][+-]?[0-9]+)?$';
/** From 1e-78 on, and below 1e79: digits behind `0.`, or whole ones. */
export const PLAIN: string = `(?:0\\.${LEADING_ZEROS}[1-9][0-9]*|${INTEGER}(?:\\.[0-9]+)?)$`;
/** With at most 160 characters, any longer exponent leads beyond the limits. */
export const SCIENTIFIC = '(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?[eE][+-]?0*[0-9]{1,3}$';

const MORE_DIGITS = MAX_DIGITS - 1;
/**
 * From the first digit that isn't 0 to the last one are too many: all of them before the point or
 * all behind it, or with the point among them, where it counts as one more.
 */
export const TOO_MANY_DIGITS: readonly string[] = [
  `^-?[.0]*[1-9][0-9]{${MORE_DIGITS}}0*[1-9]`,
  `^-?[1-9][.0-9]{${MORE_DIGITS + 1}}[.0]*[1-9]`,
];

/**
 * Ends with a digit that isn't 0, or has no fraction: as a notification's JSON writes an amount.
 */
export const WRITTEN_AMOUNT = `(?:0\\.${LEADING_ZEROS}[1-9](?:[0-9]*[1-9])?|${INTEGER}(?:\\.[0-9]*[1-9])?)`;

export const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** An address is empty where the mark of the tag comes first. */
export const TAG_WITHOUT_ADDRESS = '^\\?dt=';

const YEAR = '(?:19[7-9][0-9]|[2-9][0-9]{3})';
const LEAP_YEAR =
  '(?:19(?:7[26]|8[048]|9[26])|[2-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[3579][26])00)';
const DAY =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const DATE = `(?:${YEAR}-${DAY}|${LEAP_YEAR}-02-29)`;
const HOUR_AND_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const OFFSET = `(?:[Zz]|[+-]${HOUR_AND_MINUTE})`;
const DATE_TIME = `${DATE}[Tt]${HOUR_AND_MINUTE}:[0-5][0-9](?:\\.[0-9]+)?${OFFSET}`;

/** A UNIX time of at most 14 digits before the point, or a date-time of RFC 3339. */
export const TIMESTAMP: string = `^(?:0*[0-9]{1,14}(?:\\.[0-9]+)?|${DATE_TIME})$`;

/** As `toISOString` writes it. */
export const WRITTEN_TIMESTAMP: string = `^${DATE}T${HOUR_AND_MINUTE}:[0-5][0-9]\\.[0-9]{3}Z$`;
